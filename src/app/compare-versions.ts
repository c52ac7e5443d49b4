/** What two versions of the code make of the same rows: for each file, which columns differ, and in how many rows. */
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { streamOf } from '../publish/file-system.ts';

/** Columns that name a row: reports are sorted by them. */
const NAMES = ['business_month', 'kind', 'record_id', 'rule', 'field', 'severity', 'currency', 'fiat_currency'];
const FURTHER_NAMES = ['payment_method', 'status', 'payout_id', 'tx_hash', 'from_status', 'to_status', 'chain'];

interface ReportOfChange {
  /** The file. */
  name: string;
  rows: number;
  columns: readonly string[];
}

/** @param name of a CSV file that both folders may have */
export async function changeOf(published: string, rendered: string, name: string): Promise<ReportOfChange> {
  const [before, now] = [await rowsOf(join(published, name)), await rowsOf(join(rendered, name))];
  const columns = new Set<string>();
  let rows = 0;
  for (const [key, row] of now) {
    const other = before.get(key);
    before.delete(key);
    if (other === undefined) {
      rows++;
      continue;
    }
    const changed = Object.keys({ ...other, ...row }).filter((column) => other[column] !== row[column]);
    if (changed.length > 0) rows++;
    for (const column of changed) columns.add(column);
  }
  return { name, rows: rows + before.size, columns: [...columns].sort() };
}

type CsvRow = Readonly<Record<string, string>>;

async function rowsOf(path: string): Promise<Map<string, CsvRow>> {
  const rows = new Map<string, CsvRow>();
  const file = streamOf(path);
  if (file === null) return rows;
  for await (const row of file.pipe(parse({ bom: true, columns: true, relax_column_count: true }))) {
    const read = row as CsvRow;
    const key = [...NAMES, ...FURTHER_NAMES].map((column) => read[column] ?? '').join('\u0000');
    // Rows without a name of their own differ by their order.
    let unique = key;
    for (let n = 2; rows.has(unique); n++) unique = `${key}\u0000${n}`;
    rows.set(unique, read);
  }
  return rows;
}
