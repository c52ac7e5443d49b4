/**
 * The out folder and the database know each other. That only the holder of the lease publishes is row 40 of
 * `test/faults`, and a database that goes or is exchanged during a run is row 50.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const [FIRST, SECOND] = ['2026-09-01', '2026-09-02'];

const { server, open: openPlace } = await onARecordServer();
let place: Workspace;

const good = (id: string) => ({ body: aPurchase({ id: `"${id}"`, purchaseViewToken: undefined }) });
const run = (...flags: string[]) => place.tieout(['run', '--json', ...flags]);
const published = () => place.read('out/manifests.ndjson').trim().split('\n').length;

async function open(settings = ''): Promise<void> {
  place = openPlace({ settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n${settings}` });
  server.answers.set('a', good('a'));
  await track();
}

async function track(): Promise<void> {
  const line = JSON.stringify({ kind: 'purchase', id: 'a', view_token: 'S3cr3tT0ken' });
  await place.ends(0, ['import', '-', '-q'], { stdin: line });
}

function loseDatabase(): void {
  for (const name of readdirSync(place.path('var'))) {
    if (name.startsWith('tieout.db') && !name.endsWith('.key')) rmSync(place.path('var', name));
  }
}

describe('a database that does not know the newest set', () => {
  it('ends every run with 4, before anything is asked for or published; --adopt is the way on', async () => {
    await open();
    expect((await run('--date', FIRST)).code).toBe(0);
    loseDatabase();
    await track();
    server.requests.length = 0;
    for (const args of [
      ['run', '--date', SECOND],
      ['run', 'reference-data'],
      ['run', '--resume'],
      ['audit', '--id', 'a'],
      ['period', 'close', '2026-08', '--by', 'Ann'],
    ]) {
      const refused = await place.tieout(args);
      expect(refused.code, args.join(' ')).toBe(4);
      expect(refused.err).toContain('belongs to another database');
      expect(refused.err).toContain('--adopt');
    }
    // A receiver captures quotes where it has no out folder, or another's: it makes no run.
    expect((await run('quotes')).code).toBe(0);
    expect(server.requests).toEqual([]);
    expect(published()).toBe(1);

    // The same date again: the revision of the adopted set is taken.
    const adopted = await run('--date', FIRST, '--adopt');
    expect([adopted.code, adopted.err]).toEqual([0, expect.stringContaining('adopted out with 1 published sets')]);
    expect(place.manifest(`${FIRST}/nightly-r2`)).toMatchObject({ revision: 2 });
    await place.ends(0, ['verify', 'out']);
    expect((await run('--date', SECOND)).code).toBe(0);
  });

  it('is an older copy of the right one, too', async () => {
    await open();
    expect((await run('--date', FIRST)).code).toBe(0);
    await place.ends(0, ['db', 'backup', 'old.db']);
    expect((await run('--date', SECOND)).code).toBe(0);
    loseDatabase();
    cpSync(place.path('old.db'), place.path('var/tieout.db'));
    const refused = await run('--date', '2026-09-03');
    expect(refused.code).toBe(4);
    expect(refused.err).toContain(`does not know ${SECOND}/nightly-r1`);
  });

  it('may publish to a folder of its own, and so may any database to a new folder', async () => {
    await open();
    expect((await run('--date', FIRST)).code).toBe(0);
    expect((await run('--date', SECOND, '--out', 'elsewhere')).code).toBe(0);
    expect((await run('--date', '2026-09-03')).code).toBe(0);
  });
});

it('an out folder that is empty, unmounted or gone is missed as a lost database is; --adopt begins anew', async () => {
  await open();
  expect((await run('--date', FIRST)).code).toBe(0);
  server.requests.length = 0;
  renameSync(place.path('out'), place.path('unmounted'));
  for (const isThere of [false, true]) {
    if (isThere) mkdirSync(place.path('out'));
    const refused = await run('--date', SECOND);
    expect([refused.code, refused.err]).toEqual([
      4,
      expect.stringMatching(
        /the out folder out is empty, and 2026-09-01\/nightly-r1 was published there last.*--adopt/s,
      ),
    ]);
  }
  expect(server.requests).toEqual([]);
  expect(readdirSync(place.path('out'))).toEqual([]);
  expect((await run('--date', SECOND, '--adopt')).code).toBe(0);
  expect((await run('--date', '2026-09-03')).code).toBe(0);
});

it('a newest set that was removed together with its line is missed', async () => {
  await open();
  expect((await run('--date', FIRST)).code).toBe(0);
  const before = place.read('out/manifests.ndjson');
  expect((await run('--date', SECOND)).code).toBe(0);
  rmSync(place.path('out', SECOND), { recursive: true });
  place.write('out/manifests.ndjson', before);
  const refused = await run('--date', '2026-09-03');
  expect(refused.code).toBe(4);
  expect(refused.err).toContain(`${SECOND}/nightly-r1, which was published last, is no longer in the list`);
  expect((await run('--date', '2026-09-03', '--adopt')).code).toBe(0);
});
describe('an out folder that only flags name', () => {
  it('is the one that replay, report and verify find again', async () => {
    await open();
    await place.ends(0, ['run', '--date', FIRST, '--out', 'elsewhere']);
    const night = `nightly-${FIRST}-r1`;
    const replayed = await place.ends(0, ['replay', night, '--out', 'elsewhere', '--json']);
    expect(JSON.parse(replayed.out)).toMatchObject({ identical: true, folder: null });
    await place.ends(0, ['report', night, '--format', 'html', '--out', 'elsewhere']);
    expect(existsSync(place.path('elsewhere', 'rendered', FIRST, 'nightly-r1', 'report.html'))).toBe(true);
    await place.ends(0, ['report', night, '--profile', 'excel', '--out', 'elsewhere']);
    expect(existsSync(place.path('elsewhere', 'rendered/excel-csv', FIRST, 'nightly-r1', 'records.csv'))).toBe(true);
    await place.ends(0, ['verify', 'elsewhere']);
    const { out } = await place.ends(1, ['replay', night]);
    expect(out).toMatch(/nightly-r1 is gone: restore it from a backup, or name the out folder .* with --out\n/);
  });

  it('keeps a rendering: another form of the run needs another folder', async () => {
    await open();
    await place.ends(0, ['run', '--date', FIRST]);
    const night = `nightly-${FIRST}-r1`;
    await place.ends(0, ['report', night, '--out', 'own']);
    const { err } = await place.ends(2, ['report', night, '--format', 'json', '--out', 'own']);
    expect(err).toContain(`own has another rendering of ${night}; name another folder with --out`);
  });
});
