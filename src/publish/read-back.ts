/** Reads a CSV file as a stranger would, and measures it again: rows, bytes, hash and exact totals. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { parse } from 'csv-parse';
import { Decimal } from '../domain/decimal.ts';
import type { Profile } from './profiles.ts';

/** Column name → text, with the profile's decimal point as it is in the file. */
export type ParsedRow = Readonly<Record<string, string>>;

export interface ReadBack {
  bytes: number;
  rows: number;
  sha256: string;
  header: readonly string[];
  /** Currency → column → sum, for the columns asked for. */
  totals: Record<string, Record<string, string>>;
}

/** Which columns are to be added up, and where their currency is. */
export type AmountColumns = ReadonlyMap<string, string>;

/**
 * @param amounts amount column → its currency column.
 * @param onRow sees every row, for checks across columns.
 * @throws where the text is not CSV of this profile, or an amount is not a number.
 */
export async function readBack(
  path: string,
  profile: Profile,
  amounts: AmountColumns,
  onRow: (row: ParsedRow, line: number) => void = () => {},
): Promise<ReadBack> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  let header: readonly string[] = [];
  const parser = parse({
    bom: profile.bom,
    delimiter: profile.delimiter,
    record_delimiter: profile.lineEnd,
    columns: (names: string[]) => {
      header = names;
      return names;
    },
  });
  const file = createReadStream(path);
  // `pipe` forwards no errors; without this a file that vanishes would hang the loop below.
  file.on('error', (error) => parser.destroy(error));
  file.pipe(measure).pipe(parser);
  const sums = new Map<string, Map<string, Decimal>>();
  let rows = 0;
  for await (const row of parser as AsyncIterable<ParsedRow>) {
    rows++;
    for (const [column, currencyColumn] of amounts) addCell(sums, row, column, currencyColumn, profile);
    onRow(row, rows + 1);
  }
  return { bytes, rows, sha256: hash.digest('hex'), header, totals: asTexts(sums, [...amounts.keys()]) };
}

/** A number cell of any profile; null where it is empty. */
export function readNumber(cell: string | undefined, profile: Profile): Decimal | null {
  if (cell === undefined || cell === '') return null;
  return Decimal.parse(profile.decimalPoint === '.' ? cell : cell.replace(profile.decimalPoint, '.'));
}

function addCell(
  sums: Map<string, Map<string, Decimal>>,
  row: ParsedRow,
  column: string,
  currencyColumn: string,
  profile: Profile,
): void {
  const amount = readNumber(row[column], profile);
  if (amount === null) return;
  const currency = row[currencyColumn] ?? '';
  let columns = sums.get(currency);
  if (columns === undefined) {
    columns = new Map();
    sums.set(currency, columns);
  }
  columns.set(column, columns.get(column)?.plus(amount) ?? amount);
}

function asTexts(sums: Map<string, Map<string, Decimal>>, order: readonly string[]) {
  const texts: Record<string, Record<string, string>> = {};
  for (const currency of [...sums.keys()].sort()) {
    const columns: Record<string, string> = {};
    for (const column of order) {
      const sum = sums.get(currency)?.get(column);
      if (sum !== undefined) columns[column] = sum.toString();
    }
    texts[currency] = columns;
  }
  return texts;
}
