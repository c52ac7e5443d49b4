/** Archives as they come back: with every text that a database holds, and made by others. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { archiveLines } from '../../src/store/archive.ts';
import { ArchiveDamagedError, checkArchive, linesOf, restoreArchive } from '../../src/store/archive-file.ts';
import { openEngine } from '../../src/store/open.ts';
import { migrate } from '../../src/store/schema/upgrade.ts';
import { temporaryFolder } from './support/engines.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const COLUMNS = { payouts: ['payout_id', 'source'] };
const HEAD = { format: 'tieout archive 1', runs: ['nightly-2026-11-20-r1'], columns: COLUMNS };

/** A file with a correct hash and any lines. */
function anArchive(head: unknown, ...rows: unknown[]): string {
  const text = [head, ...rows].map((line) => `${JSON.stringify(line)}\n`).join('');
  const end = { rows: rows.length, sha256: createHash('sha256').update(text).digest('hex') };
  const file = join(folder.path, 'archive.ndjson');
  writeFileSync(file, `${text}${JSON.stringify(end)}\n`);
  return file;
}

async function restored(file: string): Promise<void> {
  const engine = await openEngine('sqlite::memory:', { create: true });
  try {
    await restoreArchive(engine, linesOf(file));
  } finally {
    await engine.close();
  }
}

it.each(['\u2028', '\u2029', '\u0085', '\r'])('a text with %j is no end of a line', async (mark) => {
  const file = anArchive(HEAD, ['payouts', [`a${mark}b`, 'csv']]);
  expect(await checkArchive(linesOf(file))).toEqual(HEAD.runs);
});

it('a line may be longer than a read buffer', async () => {
  const long = 'x'.repeat(300_000);
  const found: string[] = [];
  for await (const line of linesOf(anArchive(HEAD, ['payouts', [long, 'é']]))) found.push(line);
  expect(found).toHaveLength(3);
  expect(found[1]).toBe(JSON.stringify(['payouts', [long, 'é']]));
});

it('long rows are stored before a batch of them is full: a packed file of a few megabytes may hold gigabytes', async () => {
  const rows = Array.from({ length: 12 }, (_, n) => ['sealing_keys', [`${n}${'x'.repeat(6 * 1024 * 1024)}`]]);
  const engine = await openEngine('sqlite::memory:', { create: true });
  try {
    const write = vi.spyOn(engine, 'write');
    await restoreArchive(engine, linesOf(anArchive({ ...HEAD, columns: { sealing_keys: ['key_id'] } }, ...rows)));
    // Beside the schema, and the changes of its version.
    expect(write.mock.calls.length - 2).toBe(4);
  } finally {
    await engine.close();
  }
});

it('no page of its tables looks up again which records are of its runs: 300,000 of them took minutes', async () => {
  const engine = await openEngine('sqlite::memory:', { create: true });
  try {
    await migrate(engine);
    const rows = vi.spyOn(engine, 'rows');
    const runs = [1, 2].map((runKey) => ({ runKey, runId: `nightly-2026-11-2${runKey}-r1`, items: 1 }));
    for await (const line of archiveLines(engine, runs)) expect(line).not.toBe('');
    const pages = rows.mock.calls.map(([query]) => query.compile().sql);
    const of = (table: string) => pages.filter((sql) => sql.includes(`from "${table}"`));
    // As many as runs, each with its key given.
    expect(of('run_items').map((sql) => /where \("?run_key"? = /.test(sql))).toEqual([true, true]);
    const large = ['tracked_records', 'contents', 'bodies', 'snapshots', 'sealed_bodies', 'breaks', 'break_events'];
    for (const table of large) expect(of(table).filter((sql) => sql.includes('(select'))).toEqual([]);
    expect(large.every((table) => of(table).length > 0)).toBe(true);
  } finally {
    await engine.close();
  }
});

it.each<[string, () => string]>([
  ['nothing', () => anArchive(null)],
  ['another format', () => anArchive({ ...HEAD, format: 'tieout archive 3' })],
  ['no columns', () => anArchive({ ...HEAD, columns: null })],
])('a head of %s is refused in a sentence', async (_, file) => {
  await expect(checkArchive(linesOf(file()))).rejects.toThrow('this is not a complete archive');
});

it.each<[string, () => string]>([
  ['a table that there is not', () => anArchive({ ...HEAD, columns: { 'runs"; drop table runs; --': ['run_key'] } })],
  ['a column that there is not', () => anArchive({ ...HEAD, columns: { payouts: ['source") select 1; --'] } })],
  ['a name of a prototype', () => anArchive({ ...HEAD, columns: { constructor: ['name'] } })],
  ['a row of another table', () => anArchive(HEAD, ['runs', ['x']])],
  ['a row that is too short', () => anArchive(HEAD, ['payouts', ['x']])],
  ['a cell that is an object', () => anArchive(HEAD, ['payouts', ['x', { base64: 1 }]])],
])('with %s nothing is restored, though the hash is right', async (_, file) => {
  expect(await checkArchive(linesOf(file()))).toEqual(HEAD.runs);
  await expect(restored(file())).rejects.toThrow('this is not a complete archive');
});

it.each<[string, (lines: readonly string[]) => readonly string[]]>([
  ['no line', () => []],
  ['its head alone', ([head = '']) => [head]],
  ['no last line', (lines) => lines.slice(0, -1)],
  ['a row less', ([head = '', , ...rest]) => [head, ...rest]],
  ['a row more', ([head = '', row = '', ...rest]) => [head, row, row, ...rest]],
  ['another text in a row', (lines) => lines.map((line) => line.replace('csv', 'api'))],
  ['a line that is cut short', ([head = '', ...rest]) => [head.slice(0, 20), ...rest]],
])('a file with %s is no complete archive', async (_, change) => {
  const file = anArchive(HEAD, ['payouts', ['a', 'csv']], ['payouts', ['b', 'csv']]);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(
    file,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
  await expect(checkArchive(linesOf(file))).rejects.toThrow(ArchiveDamagedError);
});
