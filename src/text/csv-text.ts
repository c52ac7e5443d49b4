/** Lines of CSV. Spreadsheets end a row at every line break outside quotes, whichever one the file's own rows end with. */
import { type Options, stringify } from 'csv-stringify/sync';

const LINE_BREAK = /[\r\n]/;

export function csvText(rows: readonly unknown[], options: Options = {}): string {
  return stringify([...rows], { quoted_match: LINE_BREAK, ...options });
}
