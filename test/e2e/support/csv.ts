/** Reads a published CSV file with a reader that is not part of the product, so that the file itself is checked. */
import { parse } from 'csv-parse/sync';

export type Row = Readonly<Record<string, string>>;

export interface Csv {
  header: readonly string[];
  rows: readonly Row[];
  /** The only row with this value; fails where there is none or several. */
  row(column: string, value: string): Row;
  /** All values of a column. */
  column(name: string): readonly string[];
}

export function readCsv(text: string, delimiter = ','): Csv {
  const [header = [], ...lines] = parse(text, { relax_column_count: false, delimiter }) as string[][];
  const rows = lines.map((line) => Object.fromEntries(header.map((name, i) => [name, line[i] ?? ''])));
  return {
    header,
    rows,
    row: (column, value) => {
      const found = rows.filter((row) => row[column] === value);
      const [first] = found;
      if (first === undefined || found.length > 1) {
        throw new Error(`${found.length} rows with ${column} = ${value} in ${rows.length}`);
      }
      return first;
    },
    column: (name) => {
      if (!header.includes(name)) throw new Error(`there is no column ${name} among ${header.join(', ')}`);
      return rows.map((row) => row[name] ?? '');
    },
  };
}
