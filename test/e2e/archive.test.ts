/** Old runs move to a file, out of the database, and are judged from there to the byte; over both engines: test/app/archive-runs.test.ts. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const AFTER = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

const STANDING = `select count(*) as found, count(*) filter (where exists (
  select 1 from run_items where run_items.record_key = breaks.record_key)) as here
  from breaks where state <> 'resolved'`;

describe('an archive of runs', () => {
  let sandbox: Awaited<ReturnType<typeof createSandbox>>;
  let place: Workspace;
  let nightly = '';
  let second = '';
  const tieout = (...args: string[]) => place.tieout(args);
  const ask = (sql: string): Record<string, number> => {
    using file = openSqliteFile(place.path('var', 'tieout.db'));
    return file.prepare(sql).get() as Record<string, number>;
  };
  const ITEMS = 'select count(*) as n from run_items';
  const unpacked = () => gunzipSync(readFileSync(place.path('old.ndjson.gz'))).toString();

  beforeAll(async () => {
    sandbox = await createSandbox({ clock: () => Date.now(), records: 60, defects: 0.1, rateLimits: 'off' });
    place = openWorkspace(sandbox.url);
    place.write('ids.csv', await (await fetch(`${sandbox.origin}/sandbox/tracked?format=csv`)).text());
    place.write('quotes.ndjson', await (await fetch(`${sandbox.origin}/sandbox/quotes`)).text());
    expect((await tieout('import', 'ids.csv', '-q')).code).toBe(0);
    expect((await tieout('quotes', 'import', 'quotes.ndjson', '-q')).code).toBe(0);
    expect((await tieout('run', 'reference-data', '-q')).code).toBe(0);
    const { code, out } = await tieout('run', '--fail-on', 'none', '--json');
    expect(code).toBe(0);
    nightly = (JSON.parse(out) as { run_id: string }).run_id;
    // Once more, so that the rows of the first run are not the last ones of their records, which stay.
    const again = await tieout('run', '--fail-on', 'none', '--json');
    second = (JSON.parse(again.out) as { run_id: string }).run_id;
    expect((await tieout('replay', nightly)).code).toBe(0);
  });
  afterAll(async () => {
    place?.remove();
    await sandbox?.close();
  });

  it('is reported before it is made', async () => {
    const { code, out } = await tieout('db', 'archive', '--before', AFTER, '--dry-run', '--json');
    expect([code, (JSON.parse(out) as { runs: string[] }).runs]).toEqual([0, [nightly, second]]);
    const none = await tieout('db', 'archive', '--before', '2020-01-01', '--dry-run');
    expect(none.out).toContain('No run before 2020-01-01');
  });

  it('is private, has no token, and leaves the records of breaks that stand', async () => {
    const { code, out, err } = await tieout('db', 'archive', '--before', AFTER, '--file', 'old.ndjson.gz', '--json');
    expect(code, err).toBe(0);
    const { records } = JSON.parse(out) as { records: number };
    expect(statSync(place.path('old.ndjson.gz')).mode & 0o777).toBe(0o600);
    const text = unpacked();
    for (const { view_token: token } of [...sandbox.trackedLines()]) expect(text).not.toContain(token);
    expect(records).toBeGreaterThan(0);
    expect(records).toBeLessThan(60);
    expect(ask(ITEMS).n).toBe(120 - records);
    const { found, here } = ask(STANDING);
    expect(found).toBeGreaterThan(0);
    expect(here).toBe(found);
  });

  it('is where the run is judged from, to the byte', async () => {
    const gone = await tieout('replay', nightly);
    expect(gone.code).toBe(2);
    expect(gone.err).toContain(`tieout replay ${nightly} --archive FILE`);
    const { code, out, err } = await tieout('replay', nightly, '--archive', 'old.ndjson.gz', '--json');
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ run_id: nightly, population: 60, identical: true });
  });

  it('is refused where a line was changed or is missing', async () => {
    const text = unpacked();
    writeFileSync(place.path('changed.ndjson'), text.replace('"purchase"', '"sale"'));
    const changed = await tieout('replay', nightly, '--archive', 'changed.ndjson');
    expect([changed.code, changed.err]).toEqual([2, expect.stringContaining('its lines were changed')]);
    writeFileSync(place.path('short.ndjson'), text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
    const short = await tieout('replay', nightly, '--archive', 'short.ndjson');
    expect([short.code, short.err]).toEqual([2, expect.stringContaining('its last line is missing')]);
    const packed = gzipSync(text);
    writeFileSync(place.path('cut.gz'), packed.subarray(0, packed.length - 100));
    const cut = await tieout('replay', nightly, '--archive', 'cut.gz');
    expect([cut.code, cut.err]).toEqual([2, expect.stringContaining('it cannot be unpacked')]);
    const folder = await tieout('replay', nightly, '--archive', 'out');
    expect([folder.code, folder.err]).toEqual([2, expect.stringContaining('there is no file out')]);
  });

  it('leaves the breaks that stand explained, and what it left of a run sealed', async () => {
    expect((await tieout('db', 'check')).code).toBe(0);
    const { breaks } = JSON.parse((await tieout('breaks', 'list', '--json')).out) as { breaks: { break_id: string }[] };
    const id = breaks[0]?.break_id ?? '';
    const { code, out, err } = await tieout('breaks', 'show', id);
    expect([code, out], err).toEqual([
      0,
      expect.stringMatching(/Judged again from what .* stored.*the\s+same finding/s),
    ]);
    expect((await tieout('breaks', 'pack', id, '--file', 'break.zip')).code).toBe(0);
  });

  it('is followed by nights as before', async () => {
    expect((await tieout('run', '--fail-on', 'none', '-q')).code).toBe(0);
    const again = await tieout('db', 'archive', '--before', AFTER, '--dry-run', '--json');
    expect((JSON.parse(again.out) as { runs: string[] }).runs).not.toContain(nightly);
    expect((await tieout('verify', 'out')).code).toBe(0);
    expect((JSON.parse(again.out) as { runs: string[] }).runs).toHaveLength(1);
  });

  it('goes on with deleting what an interrupted call had written to its file', async () => {
    {
      using file = openSqliteFile(place.path('var', 'tieout.db'));
      file.exec('update runs set archived_at = 1 where archived_at is null');
    }
    const before = ask(ITEMS).n ?? 0;
    const { code, out } = await tieout('db', 'archive', '--before', AFTER, '--file', 'more.ndjson', '--json');
    const told = JSON.parse(out) as { runs: string[]; records: number; file: string | null };
    expect([code, told.runs, told.file]).toEqual([0, [], null]);
    expect(told.records).toBeGreaterThan(0);
    expect(ask(ITEMS).n).toBe(before - told.records);
  });
});
