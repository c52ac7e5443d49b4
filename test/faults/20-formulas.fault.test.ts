/** Texts that a spreadsheet would run, in every field that outsiders can write. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from './harness/folder.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET } from './harness/scene.ts';

const BEFORE = [
  '',
  ' ',
  '   ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\0',
  '\u0001',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u2003',
  ' \t ',
];
const FORMULAS = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(1;1)',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://127.0.0.1/","x")',
  '=WEBSERVICE("http://127.0.0.1/")',
  '\uff1d1+1',
  '\uff0b1+1',
  '\uff0d1+1',
  '\uff20SUM(1)',
  '\u22121+1',
  '=1+1"',
  '",=1+1',
  '";=1+1',
  '"\n=1+1,"',
  "'=1+1",
  "''=1+1",
  '=1+1;=1+1',
  '-2+3+cmd',
];
const TEXTS = BEFORE.flatMap((before) => FORMULAS.map((formula) => `${before}${formula}`));
const PROFILES = { standard: 44, excel: 44, 'excel-eu': 59, 'google-sheets': 44 } as const;
type Profile = keyof typeof PROFILES;

faultRow(
  {
    number: 20,
    fault: 'spreadsheet formula in any text field',
    how: 'formulas after nothing, blanks, tab, LF, CR, NUL and invisible marks, in full width, with quotes and delimiters, as host reference, status, method, transaction and address; LibreOffice opens each profile with formulas enabled',
    mustHold: 'no cell is a formula; sums are unchanged; the set verifies',
  },
  async (row) => {
    await using scene = await openScene({
      records: row.isShort ? 60 : 340,
      defects: 0,
      settings: 'reports: { formats: [csv, xlsx] }\n',
    });
    const { place, proxy, sandbox } = scene;
    const lines = [...sandbox.trackedLines()].map((line, n) =>
      JSON.stringify({ ...line, host_reference: TEXTS[(n * 7) % TEXTS.length] }),
    );
    const imported = await place.process(['import', '-', '--format', 'ndjson', '--json'], { stdin: lines.join('\n') });
    expect(imported.code, imported.err).toBeOneOf([0, 1, 3]);
    let served = 0;
    proxy.meddle = async (call) => {
      const { status, headers, body } = await call.real();
      if (call.recordId === null || !call.path.includes('/purchase/'))
        return void call.response.writeHead(status, headers).end(body);
      const text = TEXTS[served++ % TEXTS.length] ?? '';
      const field = ['status', 'paymentMethodType', 'finalTxHash', 'receiverAddress'][served % 4] ?? 'status';
      const changed = { ...JSON.parse(body.toString('utf8')), [field]: text };
      call.response.writeHead(status, headers).end(JSON.stringify(changed));
    };
    const run = await place.process(['run', '--date', SCENE_DATE]);
    expect(run.code, run.err).toBe(1);
    using folder = temporaryFolder();
    const sets: [Profile, string][] = [['standard', place.path('out', SCENE_SET)]];
    for (const profile of row.isShort ? (['excel-eu'] as const) : (['excel', 'excel-eu', 'google-sheets'] as const)) {
      const out = join(folder.path, profile);
      const { code, err } = await place.process([
        'report',
        `nightly-${SCENE_DATE}-r1`,
        '--profile',
        profile,
        '--format',
        'csv,xlsx',
        '--out',
        out,
      ]);
      expect(code, err).toBe(0);
      sets.push([profile, join(out, SCENE_SET)]);
    }
    for (const [, set] of sets) expect((await place.process(['verify', set])).code).toBe(0);
    row.measured('texts sent', served);
    const marked = sets.reduce((sum, [profile, set]) => sum + inspected(profile, set), 0);
    row.measured('cells of CSV files that begin like a formula', marked);
    expect(marked).toBe(0);
    if (row.isShort) row.gap('a spreadsheet (the long form opens every file in LibreOffice)');
    else opened(row, sets, folder);
  },
);

/** By our own reading of RFC 4180: cells that begin with a formula's sign, blanks and the like aside, and are no number. */
function inspected(profile: Profile, set: string): number {
  let live = 0;
  for (const name of readdirSync(set).filter((each) => each.endsWith('.csv'))) {
    for (const cell of cellsOf(readFileSync(join(set, name), 'utf8'), String.fromCharCode(PROFILES[profile]))) {
      const text = cell.replace(/^[\s\p{Cc}\p{Cf}]+/u, '');
      if (/^[=+\-@\uff1d\uff0b\uff0d\uff20\u2212]/.test(text) && !/^-?\d+(?:[.,]\d+)?$/.test(cell)) live++;
    }
  }
  return live;
}

function cellsOf(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let inQuotes = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (inQuotes) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') cell += text[++at];
      else inQuotes = false;
    } else if (sign === '"' && cell === '') inQuotes = true;
    else if (sign === delimiter || sign === '\n') {
      cells.push(cell);
      cell = '';
    } else cell += sign;
  }
  return [...cells, cell];
}

/** Every file in a real spreadsheet, with everything on that could make a cell live. */
function opened(row: Row, sets: readonly [Profile, string][], folder: TemporaryFolder): void {
  const soffice = ['/usr/bin/soffice', '/usr/bin/libreoffice'].find((path) => existsSync(path));
  if (soffice === undefined) {
    row.gap('LibreOffice (not on this machine)');
    return;
  }
  const control = join(folder.path, 'control.csv');
  writeFileSync(control, 'a,b\n=1+1,x\n');
  expect(formulas(convert(soffice, folder, 44, [control])), 'LibreOffice runs what is not defused').toBe(1);
  let [live, files, sums] = [0, 0, 0];
  const examples: string[] = [];
  for (const [profile, set] of sets) {
    const names = readdirSync(set)
      .filter((name) => name.endsWith('.csv'))
      .map((name) => join(set, name));
    const sheets = convert(soffice, folder, PROFILES[profile], names);
    live += formulas(sheets, examples);
    files += names.length;
    if (profile === 'excel-eu') continue;
    sums += wrongSums(set, sheets);
  }
  const books = sets
    .slice(0, 1)
    .map(([, set]) => join(set, 'report.xlsx'))
    .filter((path) => existsSync(path));
  live += books.length === 0 ? 0 : formulas(convert(soffice, folder, null, books), examples);
  for (const each of examples.slice(0, 8)) row.say(`live: ${each}`);
  row.measured('files opened in LibreOffice', files + books.length);
  row.measured('cells that are formulas', live);
  row.measured('sums that differ', sums);
  expect({ live, sums }).toEqual({ live: 0, sums: 0 });
}

/** Flat XML of each file, by name. @param delimiter its code; null for a workbook. */
function convert(
  soffice: string,
  folder: TemporaryFolder,
  delimiter: number | null,
  files: readonly string[],
): Map<string, string> {
  const to = join(folder.path, `sheets-${readdirSync(folder.path).length}`);
  mkdirSync(to);
  // Separator, quote, UTF-8, first line, no formats, any language, special numbers found, spaces cut, formulas evaluated.
  const filter = delimiter === null ? [] : [`--infilter=CSV:${delimiter},34,76,1,,0,false,true,false,false,true,,true`];
  execFileSync(
    soffice,
    [
      `-env:UserInstallation=${pathToFileURL(join(folder.path, 'profile')).href}`,
      '--headless',
      '--norestore',
      ...filter,
      '--convert-to',
      'fods',
      '--outdir',
      to,
      ...files,
    ],
    { stdio: 'pipe', timeout: 240_000 },
  );
  return new Map(readdirSync(to).map((name) => [name.replace(/\.fods$/, ''), readFileSync(join(to, name), 'utf8')]));
}

function formulas(sheets: ReadonlyMap<string, string>, examples: string[] = []): number {
  let count = 0;
  for (const [name, xml] of sheets)
    for (const [cell] of xml.matchAll(/<table:table-cell[^>]*table:formula=[^>]*>/g)) {
      // LibreOffice itself writes a workbook's true and false so.
      if (/table:formula="of:=(?:TRUE|FALSE)\(\)"/.test(cell)) continue;
      count++;
      examples.push(`${name}: ${cell}`);
    }
  return count;
}

/** The spreadsheet's sum of `fiat_value` in records.csv equals the manifest's, to the precision of doubles. */
function wrongSums(set: string, sheets: ReadonlyMap<string, string>): number {
  const manifest = JSON.parse(readFileSync(join(set, 'manifest.json'), 'utf8')) as {
    files: { name: string; totals: Record<string, Record<string, string>> }[];
  };
  const totals = manifest.files.find(({ name }) => name === 'records.csv')?.totals ?? {};
  const expected = Object.values(totals).reduce((sum, columns) => sum + Number(columns.fiat_value ?? 0), 0);
  const [head = [], ...rows] = rowsOf(sheets.get('records') ?? '');
  const column = head.indexOf('fiat_value');
  expect(column).toBeGreaterThan(0);
  const sum = rows.reduce((total, cells) => total + Number(cells[column] || 0), 0);
  return Math.abs(sum - expected) <= 1e-9 * Math.abs(expected) ? 0 : 1;
}

/** The cells of the first table: numbers by their value, others by their text; repeated cells repeated. */
function rowsOf(xml: string): string[][] {
  return [...xml.matchAll(/<table:table-row[^>]*?(?:\/>|>(.*?)<\/table:table-row>)/gs)].map(([, inside = '']) =>
    [...inside.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes = '', content = '']) => {
        const times = Number(/number-columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1);
        const value = /office:value="([^"]+)"/.exec(attributes)?.[1] ?? content.replace(/<[^>]+>/g, '').trim();
        return Array.from({ length: Math.min(times, 64) }, () => value);
      },
    ),
  );
}
