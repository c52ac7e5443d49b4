/**
 * Signals, a kill and what comes after: nothing is lost, nothing is half published, and everything can be said again. Kills again and
 * again are row 1 of `test/faults`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { REPORT_NAMES } from './support/contract-columns.ts';
import { openWorkspace, PATIENCE, until, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const DATE = '2026-09-01';
const SET = `${DATE}/nightly-r1`;
const IDS = Array.from({ length: 60 }, (_, i) => `k${String(i).padStart(2, '0')}`);
const SETTINGS = { service: '  concurrency: 2\n', settings: 'rules: { QUOTE_MISSING: off }\n' };

let server: RecordServer;
/** While a run is to be interrupted, every answer takes a while. */
let isSlow = false;
const workspaces: Workspace[] = [];

beforeAll(async () => {
  server = await startRecordServer();
  for (const [i, id] of IDS.entries()) {
    // Every seventh has no hash.
    const fields = i % 7 === 0 ? { finalTxHash: 'null' } : {};
    const body = aPurchase({ id: `"${id}"`, purchaseViewToken: undefined, ...fields });
    server.answers.set(id, () => ({ delayMs: isSlow ? 100 : 0, body }));
  }
});
afterAll(async () => {
  for (const each of workspaces) each.remove();
  await server.close();
});

async function aWorkspace(): Promise<Workspace> {
  const place = openWorkspace(server.url, SETTINGS);
  workspaces.push(place);
  const lines = IDS.map((id) => JSON.stringify({ kind: 'purchase', id, view_token: `token-${id}` }));
  await place.ends(0, ['import', '-', '-q'], { stdin: lines.join('\n') });
  return place;
}

/** Starts a run, and ends it by the signal when it has come so far. */
async function interrupt(
  place: Workspace,
  args: readonly string[],
  signal: NodeJS.Signals,
  soFar: () => Promise<void>,
) {
  isSlow = true;
  const running = place.start(args);
  await soFar();
  running.child.kill(signal);
  isSlow = false;
  return running.done;
}

const newCounts = (before: ReadonlyMap<string, number>) => IDS.map((id) => server.count(id) - (before.get(id) ?? 0));
const counts = () => new Map(IDS.map((id) => [id, server.count(id)]));

/** Published files without what only the clock decides. */
function content(place: Workspace, set: string): Record<string, string> {
  const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
  const since = Date.parse('2026-11-02T00:00:00Z');
  return Object.fromEntries(
    REPORT_NAMES.map((name) => [
      name,
      readFileSync(place.path('out', set, `${name}.csv`), 'utf8').replace(instants, (text) =>
        Date.parse(text) < since ? text : '(when it was fetched)',
      ),
    ]),
  );
}

/** How many records of the run have been stored, as another reader of the database sees it. */
function storedBy(place: Workspace): number {
  const db = openSqliteFile(place.path('var', 'tieout.db'), { readOnly: true });
  try {
    return (db.prepare('select max(observed) as stored from runs').get() as { stored: number }).stored;
  } finally {
    db.close();
  }
}

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('SIGTERM', () => {
  let place: Workspace;

  it('saves answers in flight, publishes nothing and exits 143; --resume fetches only the rest', async () => {
    place = await aWorkspace();
    const before = counts();
    let at = 0;
    const stopped = await interrupt(place, ['run', '--date', DATE], 'SIGTERM', async () => {
      await until('twenty were asked for', () => newCounts(before).filter((n) => n > 0).length >= 20);
      at = performance.now();
    });
    expect(stopped.code).toBe(143);
    expect(performance.now() - at).toBeLessThan(30_000);
    expect(stopped.err).toContain('tieout run nightly --resume');
    expect(existsSync(place.path('out', DATE)) ? readdirSync(place.path('out', DATE)) : []).toEqual([]);
    await place.ends(1, ['run', '--resume', '--json']);
    expect(newCounts(before)).toEqual(IDS.map(() => 1));
    // All requests of the run are in its account, those of the interrupted part too.
    expect(place.manifest(SET)).toMatchObject({ population: 60, status: 'complete', requests_sent: 60 });
  });

  it('a killed run keeps the account of what it had stored, fetches the rest alone, and publishes the same', async () => {
    const killed = await aWorkspace();
    const before = counts();
    await interrupt(killed, ['run', '--date', DATE], 'SIGKILL', () =>
      until('thirty were stored', () => storedBy(killed) >= 30),
    );
    expect(existsSync(killed.path('out', SET))).toBe(false);
    await killed.ends(1, ['run', '--resume', '-q']);
    const asked = newCounts(before);
    expect([Math.min(...asked), asked[0]]).toEqual([1, 1]);
    expect(Math.max(...asked)).toBeLessThanOrEqual(2);
    const { requests_sent: told } = killed.manifest(SET);
    // Two were under way when it was killed: they may be booked and not sent, or sent and not stored.
    expect(told).toBeGreaterThanOrEqual(60);
    expect(told).toBeLessThanOrEqual(asked.reduce((sum, n) => sum + n, 0) + 2);
    expect(content(killed, SET)).toEqual(content(place, SET));
  });

  it('a replay takes the spelling of the set, not that of the present settings', async () => {
    const settings = place.read('tieout.yaml');
    place.write('tieout.yaml', `${settings}reports: { profile: excel-eu }\n`);
    const { code, out } = await place.tieout(['replay', 'nightly-2026-09-01-r1']);
    place.write('tieout.yaml', settings);
    expect([code, out]).toEqual([0, expect.stringContaining('identical')]);
  });

  it('the ledger has one run', async () => {
    const listed = await place.tieout(['runs', 'list', '--json']);
    expect(JSON.parse(listed.out)).toMatchObject({
      runs: [{ run_id: 'nightly-2026-09-01-r1', state: 'complete', population: 60, published_to: SET }],
    });
    const shown = await place.ends(0, ['runs', 'show', 'nightly-2026-09-01-r1']);
    expect(shown.out).toContain('60');
  });

  it('a replay gives the published bytes, twice, and sends nothing', async () => {
    const asked = server.requests.length;
    for (const out of ['again-1', 'again-2']) {
      const replay = await place.ends(0, ['replay', 'nightly-2026-09-01-r1', '--json', '--out', out]);
      expect(JSON.parse(replay.out)).toMatchObject({ identical: true, differences: [] });
    }
    for (const name of REPORT_NAMES) {
      const published = sha256(place.path('out', SET, `${name}.csv`));
      for (const out of ['again-1', 'again-2']) expect(sha256(place.path(out, SET, `${name}.csv`))).toBe(published);
    }
    expect(server.requests.length).toBe(asked);
  });

  it('a replay of one report makes and compares that one alone', async () => {
    const run = 'nightly-2026-09-01-r1';
    const replay = await place.ends(0, ['replay', run, '--report', 'breaks', '--json', '--out', 'again-breaks']);
    expect(JSON.parse(replay.out)).toMatchObject({ population: 60, identical: true, differences: [] });
    expect(readdirSync(place.path('again-breaks', SET)).sort()).toEqual([
      'breaks.csv',
      'datapackage.json',
      'manifest.json',
    ]);
    expect(sha256(place.path('again-breaks', SET, 'breaks.csv'))).toBe(sha256(place.path('out', SET, 'breaks.csv')));
    const unknown = await place.tieout(['replay', run, '--report', 'break']);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('use records, breaks, fees') });
    const both = await place.tieout(['replay', run, '--report', 'breaks', '--rules', 'other.yaml']);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('--report makes files') });
  });

  it('a replay with other rules lists the breaks that they would add and remove', async () => {
    place.write('other.yaml', 'rules:\n  RELEASED_WITHOUT_TX: off\n  QUOTE_MISSING: { severity: low }\n');
    const preview = await place.ends(0, ['replay', 'nightly-2026-09-01-r1', '--rules', 'other.yaml', '--json']);
    // Every seventh of sixty has no hash. None has a quote, which is a finding of the run and of no record.
    const { rules } = JSON.parse(preview.out) as { rules: { rule: string; added: number; removed: number }[] };
    const moved = rules.filter(({ added, removed }) => added + removed > 0);
    expect(moved).toMatchObject([{ rule: 'RELEASED_WITHOUT_TX', before: 9, after: 0, added: 0, removed: 9 }]);
    const listed = await place.tieout(['breaks', 'list', '--json', '--rule', 'QUOTE_MISSING']);
    expect(JSON.parse(listed.out)).toEqual({ breaks: [], more: false });
  });

  it('a replay compares with the published set, whatever its own folder', async () => {
    const records = place.path('out', SET, 'records.csv');
    const before = readFileSync(records);
    writeFileSync(records, before.toString().replace('104.76', '104.77'));
    const replay = await place.tieout(['replay', 'nightly-2026-09-01-r1', '--json', '--out', 'again-3']);
    writeFileSync(records, before);
    expect(replay.code).toBe(1);
    expect(JSON.parse(replay.out)).toMatchObject({
      identical: false,
      differences: [expect.stringContaining('records.csv')],
    });
  });

  it('a report has a place of its own in the folder where runs are published', async () => {
    const published = sha256(place.path('out', SET, 'manifest.json'));
    for (const flags of [[], ['--out', './out']]) {
      await place.ends(0, ['report', 'nightly-2026-09-01-r1', '--profile', 'excel', ...flags]);
      expect(existsSync(place.path('out', 'rendered', SET, 'manifest.json'))).toBe(true);
      rmSync(place.path('out', 'rendered', SET), { recursive: true });
    }
    expect(sha256(place.path('out', SET, 'manifest.json'))).toBe(published);
    await place.ends(0, ['verify', 'out']);
  });

  it('a report in another profile leaves the published set alone', async () => {
    const published = sha256(place.path('out', SET, 'records.csv'));
    await place.ends(0, ['report', 'nightly-2026-09-01-r1', '--profile', 'excel-eu', '--out', 'for-excel']);
    const text = readFileSync(place.path('for-excel', SET, 'records.csv'), 'utf8');
    expect(text.startsWith('\uFEFFrun_id;business_date;')).toBe(true);
    expect(text).toContain(';104,76;4,76;');
    expect(text.endsWith('\r\n')).toBe(true);
    expect(sha256(place.path('out', SET, 'records.csv'))).toBe(published);
  });

  it('verify finds nothing wrong, and names the file that was tampered with', async () => {
    expect(await place.tieout(['verify', `out/${SET}`])).toMatchObject({ code: 0, err: '' });
    const fees = place.path('out', SET, 'fees.csv');
    writeFileSync(fees, readFileSync(fees, 'utf8').replace('104.76', '104.77'));
    const found = await place.ends(1, ['verify', `out/${SET}`]);
    expect(found.out).toContain('fees.csv');
    expect(found.out).not.toContain('records.csv');
  });
});
