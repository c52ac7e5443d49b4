/** Archives and backups made by a hostile hand: each is refused by name, or gives other reports and says so; none stops the program. */
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig({ ...PATIENCE, testTimeout: 900_000 });

const AFTER = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
/** TIEOUT_ATTACKS=300 tries as many. */
const TRIES = Number(process.env.TIEOUT_ATTACKS ?? 8);

let sandbox: Awaited<ReturnType<typeof createSandbox>>;
let place: Workspace;
let nightly = '';
let lines: readonly string[] = [];

beforeAll(async () => {
  sandbox = await createSandbox({ clock: () => Date.now(), records: 30, defects: 0.1, rateLimits: 'off' });
  place = openWorkspace(sandbox.url);
  place.write('ids.csv', await (await fetch(`${sandbox.origin}/sandbox/tracked?format=csv`)).text());
  place.write('quotes.ndjson', await (await fetch(`${sandbox.origin}/sandbox/quotes`)).text());
  for (const args of ['import ids.csv -q', 'quotes import quotes.ndjson -q', 'run reference-data -q'])
    await place.ends(0, args.split(' '));
  const run = await place.tieout(['run', '--fail-on', 'none', '--json']);
  nightly = (JSON.parse(run.out) as { run_id: string }).run_id;
  copyFileSync(place.path('var', 'tieout.db'), place.path('whole.db'));
  await place.ends(0, ['db', 'archive', '--before', AFTER, '--file', 'old.ndjson']);
  lines = place.read('old.ndjson').trimEnd().split('\n');
});
afterAll(async () => {
  place?.remove();
  await sandbox?.close();
});

/** With a last line that fits: this hand knows how the file is made. */
function written(rows: readonly string[]): string {
  const text = rows.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ rows: rows.length - 1, sha256 })}\n`;
}

const NASTY: readonly unknown[] = [
  null,
  -1,
  1e300,
  2 ** 53,
  0.5,
  '',
  'x'.repeat(10_000),
  '{"a":',
  '[]',
  '"__proto__"',
  '\u0000',
  '\ud800',
  { base64: '' },
  { base64: 'AAAA' },
  '9'.repeat(80),
  'null',
  '../../../../../../../../tmp/elsewhere',
];

async function replayed(name: string) {
  const began = performance.now();
  const replay = await place.tieout(['replay', nightly, '--archive', name]);
  return { ...replay, ms: performance.now() - began };
}

it('a file with its own hashes: every changed cell, line and table is refused, or other reports are told', async () => {
  const random = seededRandom(Number(process.env.TIEOUT_SEED ?? 5));
  const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const [head = '', ...rest] = lines.slice(0, -1);
  const tables = [...new Set(rest.map((line) => (JSON.parse(line) as [string])[0]))];
  const told = { same: 0, other: 0, refused: 0, slowest: 0 };
  for (let n = 0; n < TRIES; n++) {
    const rows = [...rest];
    const table = any(tables);
    const at = any([...rows.keys()].filter((i) => (JSON.parse(rows[i] ?? '') as [string])[0] === table));
    const [, cells] = JSON.parse(rows[at] ?? '') as [string, unknown[]];
    const way = random();
    let first = head;
    if (way < 0.6) cells[Math.floor(random() * cells.length)] = any(NASTY);
    else if (way < 0.65) cells.pop();
    else if (way < 0.7) rows.push(rows[at] ?? '');
    else if (way < 0.75) rows.splice(at, 1);
    if (way < 0.65) rows[at] = JSON.stringify([table, cells]);
    else if (way < 0.8)
      rows[at] = JSON.stringify([
        any(['sqlite_schema', 'kysely_migration', 'x; drop table runs', '__proto__', 'access_links']),
        cells,
      ]);
    else if (way < 0.85) rows.reverse();
    else if (way < 0.9)
      first = head.replace(
        /"columns":\{/,
        any(['"columns":{"runs":["run_key"],', '"columns":{"sqlite_schema":["sql"],', '"columns":{"__proto__":["a"],']),
      );
    else if (way < 0.95)
      first = head.replace(
        /"schema":"[^"]*"/,
        any(['"schema":"9999-later"', '"schema":"../x"', '"schema":"0001-tracking"', '"schema":5']),
      );
    else first = head.replace(nightly, any(['', '../../etc', 'nightly-2026-11-31-r1']));
    writeFileSync(place.path('forged.ndjson'), written([first, ...rows]));
    const { code, out, err, ms } = await replayed('forged.ndjson');
    const what = `try ${n}: ${table} ${way.toFixed(2)}: ${code} ${err.slice(0, 400)}`;
    expect([0, 1, 2, 4], what).toContain(code);
    expect(err, what).not.toMatch(/unexpected|at .*\.ts:\d+|SqliteError/i);
    if (code === 0) told.same++;
    else if (code === 2) told.refused++;
    else told.other++;
    told.slowest = Math.max(told.slowest, Math.round(ms));
    expect(out.length).toBeLessThan(100_000);
  }
  if (process.env.TIEOUT_ATTACKS !== undefined) console.log(JSON.stringify(told));
});

it.each<[column: string, value: unknown, refusal: string]>([
  ['job', '../../../../elsewhere', 'no place of a report set'],
  ['revision', -5, 'no place of a report set'],
  ['published_to', '../../../../etc', 'no place of a report set'],
  ['terms', 'null', 'cannot be judged'],
  ['terms', '{"a":', 'cannot be judged'],
])('a run whose %s is %s writes and reads nothing elsewhere, and is refused', async (column, value, refusal) => {
  const [head = '', ...rest] = lines.slice(0, -1);
  const { columns } = JSON.parse(head) as { columns: { runs: readonly string[] } };
  const rows = rest.map((line) => {
    const [table, cells] = JSON.parse(line) as [string, unknown[]];
    return table === 'runs' ? JSON.stringify([table, cells.with(columns.runs.indexOf(column), value)]) : line;
  });
  writeFileSync(place.path('forged.ndjson'), written([head, ...rows]));
  const { code, err } = await place.tieout(['replay', nightly, '--archive', 'forged.ndjson', '--out', 'a/b/c/again']);
  expect([code, err]).toEqual([2, expect.stringContaining(refusal)]);
  expect(readdirSync(place.path()).filter((name) => name.startsWith('elsewhere'))).toEqual([]);
});

it('one line of 40 MB, and a file without a line feed, are refused in linear time', async () => {
  for (const text of [`${'x'.repeat(40_000_000)}`, `${lines[0]}\n["runs",["${'y'.repeat(40_000_000)}`]) {
    writeFileSync(place.path('long.ndjson'), text);
    const { code, err, ms } = await replayed('long.ndjson');
    expect([code, err]).toEqual([2, expect.stringContaining('not a complete archive')]);
    expect(ms).toBeLessThan(15_000);
  }
});

it('a row of twenty million objects, or of lists in lists, is refused before it is read', async () => {
  for (const values of ['{},'.repeat(20_000_000), '['.repeat(5_000_000)]) {
    writeFileSync(place.path('forged.ndjson'), written([lines[0] ?? '', `["runs",[${values}`]));
    const before = process.memoryUsage().heapUsed;
    const { code, err } = await replayed('forged.ndjson');
    expect([code, err]).toEqual([2, expect.stringContaining('more values than a row')]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(700_000_000);
  }
});

it('names a place that it cannot be written to, and a file that cannot be read', async () => {
  symlinkSync('loop', place.path('loop'));
  copyFileSync(place.path('var', 'tieout.db'), place.path('archived.db'));
  copyFileSync(place.path('whole.db'), place.path('var', 'tieout.db'));
  const archive = (file: string) => place.tieout(['db', 'archive', '--before', AFTER, '--file', file]);
  for (const [file, reason] of [
    ['n'.repeat(250), 'too long'],
    ['loop/old.ndjson', 'leads back to itself'],
  ] as const) {
    const { code, err } = await archive(file);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
  }
  copyFileSync(place.path('archived.db'), place.path('var', 'tieout.db'));
  const { code, err } = await place.tieout(['replay', nightly, '--archive', 'loop']);
  expect([code, err]).toEqual([2, expect.stringContaining('loop: cannot be read')]);
});

it.each([
  ['a run that is only called archived', 'update runs set archived_at = 1', 'whole.db'],
  [
    'a changed row of what stayed',
    `update run_items set outcome = 'unverified', content_key = null, snapshot_key = null`,
  ],
  ['its seal deleted', `delete from row_seals where name like 'kept %'`],
  ['the run called here again', 'update runs set archived_at = null'],
])('what stays of an archived run is sealed: %s is named', async (_what, edit, base = 'var/tieout.db') => {
  const kept = readFileSync(place.path('var', 'tieout.db'));
  copyFileSync(place.path(base), place.path('copy.db'));
  copyFileSync(place.path('copy.db'), place.path('var', 'tieout.db'));
  await place.ends(0, ['db', 'check']);
  {
    using file = openSqliteFile(place.path('var', 'tieout.db'));
    file.exec(edit);
  }
  const { out } = await place.ends(1, ['db', 'check']);
  expect(out).toContain(`records of ${nightly}`);
  writeFileSync(place.path('var', 'tieout.db'), kept);
});

it('a backup with views, triggers, cut pages or another schema in place of a table does nothing of its own', async () => {
  const database = place.path('var', 'tieout.db');
  const kept = readFileSync(place.path('whole.db'));
  const forgeries: Record<string, string> = {
    'a trigger that deletes': 'create trigger evil after insert on runs begin delete from tracked_records; end',
    'a trigger on leases that rewrites breaks':
      "create trigger evil after update on leases begin update breaks set state = 'waived'; end",
    'a view in place of a table': 'alter table quotes rename to other; create view quotes as select * from other',
    'a table that is missing': 'drop table deliveries',
    'a column that is missing': 'alter table contents drop column digest',
    'a migration of the future': "insert into kysely_migration values ('9999-x', '2030-01-01')",
    'a migration that is missing': "update kysely_migration set name = '0040-moments'",
  };
  for (const [what, sql] of Object.entries(forgeries)) {
    writeFileSync(database, kept);
    {
      using file = openSqliteFile(database);
      file.exec(sql);
    }
    const check = await place.tieout(['db', 'check']);
    expect([what, check.code]).not.toEqual([what, 0]);
    expect(check.err + check.out, what).not.toMatch(/unexpected|at .*\.ts:\d+/);
  }
  writeFileSync(database, kept);
  truncateSync(database, 4096 * 7 + 100);
  await place.ends(4, ['db', 'check']);
});
