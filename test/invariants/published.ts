/**
 * A published set as an outsider reads it: `csv-parse` and whole numbers of the smallest unit that occurs. Nothing of the product is
 * used, so nothing can agree with its own mistake.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { unzip } from '../publish/support/unzip.ts';

export type Cells = Readonly<Record<string, string>>;

export interface Dialect {
  delimiter: ',' | ';';
  point: '.' | ',';
}

export const STANDARD: Dialect = { delimiter: ',', point: '.' };

/** More places than any amount of the files has. */
const PLACES = 60;

/** A plain decimal in units of 10^-60; null for an empty cell. */
export function scaled(cell: string | undefined): bigint | null {
  if (cell === undefined || cell === '') return null;
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(cell);
  if (match === null) throw new Error(`not a plain decimal: ${cell}`);
  const [, sign, whole = '', fraction = ''] = match;
  const units = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return sign === '-' ? -units : units;
}

export function sum(cells: Iterable<string | undefined>): bigint {
  let total = 0n;
  for (const cell of cells) total += scaled(cell) ?? 0n;
  return total;
}

/** By delimiter and text: most files are read several times, and copied into spoiled sets as they are. Not those of long suites. */
const KEPT_TEXT = 1_000_000;
const parsed = new Map<string, readonly Cells[]>();

/** Rows of a CSV file, numbers with a point, and without the mark that keeps a text a text. */
export function readRows(folder: string, name: string, { delimiter, point }: Dialect): readonly Cells[] {
  const text = readFileSync(join(folder, `${name}.csv`), 'utf8');
  const known = parsed.get(delimiter + text);
  if (known !== undefined) return known;
  const rows = parse(text, { columns: true, bom: true, delimiter }) as Record<string, string>[];
  const plain = (cell: string) => (point === ',' && /^-?\d+,\d+$/.test(cell) ? cell.replace(',', '.') : cell);
  const read = rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, plain(cell)])));
  if (text.length < KEPT_TEXT) parsed.set(delimiter + text, read);
  return read;
}

export interface ManifestRead {
  population: number;
  verdicts: Readonly<Record<string, number>>;
  breaks: Readonly<Record<string, number>>;
  records_at_risk: number;
  money_at_stake: readonly {
    currency: string;
    bearer: string;
    records: number;
    total: string;
  }[];
  waived: readonly { by: string; currency: string | null; breaks: number; total: string | null }[];
  files: readonly {
    name: string;
    rows: number | null;
    totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
    currency_columns: Readonly<Record<string, string>>;
    rounding?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  }[];
}

export function readManifestOf(folder: string): ManifestRead {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as ManifestRead;
}

/** Sheet name → rows of cells by column letter, numbers as the file has them. */
export function readSheets(folder: string): ReadonlyMap<string, readonly Cells[]> {
  const entries = unzip(readFileSync(join(folder, 'report.xlsx')));
  const names = [...(entries.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(
    ([, name = '']) => name,
  );
  return new Map(
    names.map((name, i) => {
      const xml = entries.get(`xl/worksheets/sheet${i + 1}.xml`) ?? '';
      const rows = [...xml.matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, row = '']): Cells => {
        const cells = [
          ...row.matchAll(/<c r="([A-Z]+)\d+"[^>]*>(?:<v>([^<]*)<\/v>|<is><t[^>]*>([^<]*)<\/t><\/is>)<\/c>/g),
        ];
        return Object.fromEntries(cells.map(([, column = '', number, text = '']) => [column, number ?? text]));
      });
      return [name, rows];
    }),
  );
}
