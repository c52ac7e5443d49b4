/**
 * Every CSV file of every profile, and the workbook, opened by LibreOffice in English, German and Polish offices: amounts, counts
 * and percentages are numbers, with the digits of the file, and nothing that is no number has become one.
 * Run by `npm run test:spreadsheets`, which says so where LibreOffice is not installed.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORTS as REPORT_OF_RUN } from '../../reports/index.ts';
import { openWorkspace, type Workspace } from '../e2e/support/workspace.ts';
import { type Held, Office } from './office.ts';

const OFFICES = [
  { locale: 'en-US', lcid: 1033 },
  { locale: 'de-DE', lcid: 1031 },
  { locale: 'pl-PL', lcid: 1045 },
] as const;
const ENGLISH = 1033;
const PROFILES = ['standard', 'excel', 'excel-eu', 'google-sheets'] as const;
const REPORTS = REPORT_OF_RUN.map(({ definition }) => definition);
const NUMBERS = ['amount', 'count', 'percent'];

let place: Workspace;
const folders = new Map<string, string>();

beforeAll(async () => {
  place = openWorkspace(null);
  const demo = await place.process(['demo', '--records', '300', '--defects', '0.1', '--out', 'demo', '--json']);
  expect([demo.code, demo.err]).toEqual([0, demo.err]);
  const { runs } = JSON.parse(
    (await place.process(['runs', 'list', '--json', '--config', 'demo/tieout.yaml'])).out,
  ) as {
    runs: { run_id: string }[];
  };
  for (const profile of PROFILES) {
    const call = [
      'report',
      runs[0]?.run_id ?? '',
      '--profile',
      profile,
      '--format',
      'csv,xlsx',
      '--out',
      profile,
      '--json',
    ];
    const { out, err, code } = await place.process([...call, '--config', 'demo/tieout.yaml']);
    expect([code, err]).toEqual([0, err]);
    folders.set(profile, place.path((JSON.parse(out) as { folder: string }).folder));
  }
}, 300_000);
afterAll(() => place.remove());

const officeIn = (locale: string, name: string) => {
  const folder = place.path(`office-${locale}-${name}`);
  mkdirSync(folder);
  return new Office(process.env.TIEOUT_SOFFICE ?? '', folder, locale);
};

const typeOf = (file: string, column: string) =>
  REPORTS.find((report) => `${report.name}.csv` === file)?.columns.find(({ name }) => name === column)?.type;

/** Whether a number is the cell's, to the fifteen digits that spreadsheets keep, of which the last may be one off. */
function isOf(value: Held, cell: string): boolean {
  const exact = Number(cell.replace(',', '.'));
  return typeof value === 'number' && Math.abs(value - exact) <= Math.abs(exact) * 1e-14;
}

describe.each(OFFICES)('an office in $locale', ({ locale, lcid }) => {
  it.each(PROFILES)(
    'opens the files of profile %s with numbers as numbers',
    async (profile) => {
      const isEuropean = profile === 'excel-eu';
      const separator = isEuropean ? ';' : ',';
      // As the finance guide says: English for points; for decimal commas a language that has them, the office's own if it does.
      const language = isEuropean ? (lcid === ENGLISH ? 1031 : lcid) : ENGLISH;
      const files = REPORTS.map(({ name }) => join(folders.get(profile) ?? '', `${name}.csv`));
      const present = files.filter((file) => readable(file) !== null);
      expect(present.length).toBeGreaterThanOrEqual(8);
      const opened = await officeIn(locale, profile).open(present, { separator, language });
      let numbers = 0;
      for (const path of present) {
        const file = path.split('/').at(-1) ?? '';
        const [header = [], ...rows] = parse(readable(path) ?? '', { bom: true, delimiter: separator }) as string[][];
        const held = [...(opened.get(file)?.values() ?? [])][0] ?? [];
        expect([file, held.length]).toEqual([file, rows.length + 1]);
        for (const [r, row] of rows.entries()) {
          for (const [c, cell] of row.entries()) {
            const type = typeOf(file, header[c] ?? '');
            const value: Held = held[r + 1]?.[c] ?? null;
            const where = `${file} ${header[c]} row ${r + 2}: ${cell}`;
            if (cell === '') expect(value ?? '', where).toBe('');
            else if (NUMBERS.includes(type ?? '')) {
              numbers++;
              expect(isOf(value, cell), `${where}: ${value}`).toBe(true);
            } else if (profile !== 'standard' && (type === 'id' || type === 'units')) {
              // A short number may be one: no digit of it is lost.
              expect(typeof value === 'number' ? String(value) : value, where).toBe(cell);
            }
          }
        }
      }
      expect(numbers).toBeGreaterThan(3000);
    },
    300_000,
  );

  it('opens the workbook with numbers as numbers, and ids as texts', async () => {
    const folder = folders.get('standard') ?? '';
    const opened = await officeIn(locale, 'workbook').open([join(folder, 'report.xlsx')], null);
    const sheets = opened.get('report.xlsx') ?? new Map<string, Held[][]>();
    let numbers = 0;
    for (const { name, columns } of REPORTS) {
      const [header = [], ...rows] = sheets.get(name) ?? [];
      for (const column of columns) {
        const at = header.indexOf(column.name);
        if (at === -1) continue;
        // The totals stand below an empty row.
        const end = rows.findIndex((row) => row.every((cell) => cell === null || cell === ''));
        const cells = rows.slice(0, end === -1 ? undefined : end).map((row) => row[at] ?? null);
        const known = cells.filter((cell) => cell !== null && cell !== '');
        const wrong = known.filter((cell) =>
          NUMBERS.includes(column.type)
            ? typeof cell !== 'number'
            : (column.type === 'id' || column.type === 'units') && typeof cell !== 'string',
        );
        if (NUMBERS.includes(column.type)) numbers += known.length;
        expect([name, column.name, wrong]).toEqual([name, column.name, []]);
      }
    }
    expect(numbers).toBeGreaterThan(3000);
  }, 300_000);
});

it('sees texts where a file with decimal commas is opened as English', async () => {
  const file = join(folders.get('excel-eu') ?? '', 'totals.csv');
  const opened = await officeIn('en-US', 'control').open([file], { separator: ';', language: ENGLISH });
  const [header = [], ...rows] = [...(opened.get('totals.csv')?.values() ?? [])][0] ?? [];
  const values = rows.map((row) => row[header.indexOf('applied_fee_total')] ?? null);
  expect(values.some((value) => typeof value === 'string')).toBe(true);
}, 300_000);

function readable(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
