/** Cron and a user start the same job; and the owner of a run is paused beyond its lease and continued. */
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { until, type Workspace } from '../e2e/support/workspace.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { type Meddling, passing } from './harness/proxy.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET } from './harness/scene.ts';

/** The shortest that the settings allow. */
const LEASE_MS = 5_000;

faultRow(
  {
    number: 13,
    fault: 'two runs start at once; a run is paused beyond its lease',
    how: 'two processes start the same job at the same moment, 100 times; SIGSTOP halts a run until another one has taken over and finished, then SIGCONT continues it',
    mustHold:
      'runs never overlap: the second one exits 5 or starts after the first; the paused run writes nothing after SIGCONT and exits 5',
  },
  async (row) => {
    await startTogether(row);
    await sleepPastLease(row);
  },
);

async function startTogether(row: Row): Promise<void> {
  const pairs = row.isShort ? 3 : 100;
  await using scene = await openScene({ records: 12 });
  const { place, proxy } = scene;
  proxy.meddle = slowly(60);
  let refused = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const date = new Date(Date.UTC(2026, 0, 1 + pair)).toISOString().slice(0, 10);
    const both = await Promise.all([1, 2].map(() => place.process(['run', '--date', date])));
    for (const { code, err } of both) expect(code, err).toBeOneOf([0, 1, 5]);
    const losers = both.filter(({ code }) => code === 5).length;
    expect(losers, 'one of them had the lock').toBeLessThan(2);
    refused += losers;
  }
  const runs = ledger(place);
  let overlaps = 0;
  for (const [n, run] of runs.entries()) if (n > 0 && run.started_at < (runs[n - 1]?.finished_at ?? 0)) overlaps++;
  row.measured('starts', pairs * 2);
  row.measured('starts that exit 5', refused);
  row.measured('runs', runs.length);
  row.measured('overlapping runs', overlaps);
  expect(runs.length + refused).toBe(pairs * 2);
  expect(refused).toBeGreaterThan(0);
  expect(overlaps).toBe(0);
}

interface LedgerRow {
  started_at: number;
  finished_at: number;
}

function withDatabase<T>(place: Workspace, read: (db: DatabaseSync) => T): T {
  const db = openSqliteFile(place.path('var', 'tieout.db'), { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function ledger(place: Workspace): LedgerRow[] {
  const sql = 'select started_at, finished_at from runs order by started_at';
  return withDatabase(place, (db) => db.prepare(sql).all() as unknown as LedgerRow[]);
}

const slowly =
  (ms: number): Meddling =>
  async (call) => {
    await pause(ms);
    await call.pass();
  };

/** Everything in the database, by table. */
function contents(place: Workspace): Record<string, string> {
  return withDatabase(place, (db) => {
    const tables = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    return Object.fromEntries(
      tables.map(({ name }) => {
        const rows = db.prepare(`select * from "${String(name)}"`).all();
        const text = rows.map((each) =>
          JSON.stringify(each, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
        );
        return [String(name), createHash('sha256').update(text.join('\n')).digest('hex')];
      }),
    );
  });
}

async function sleepPastLease(row: Row): Promise<void> {
  const times = row.isShort ? 1 : 3;
  let stale = 0;
  for (let time = 0; time < times; time++) {
    await using scene = await openScene({
      records: 40,
      service: { concurrency: '2' },
      settings: `database: { lease: { ttl: ${LEASE_MS}ms } }\n`,
    });
    const { place, proxy } = scene;
    proxy.meddle = slowly(150);
    const owner = place.start(['run', '--date', SCENE_DATE]);
    await until('a part was asked for', () => proxy.arrivals.length >= 8 + time * 8);
    owner.child.kill('SIGSTOP');
    await pause(LEASE_MS + 1_000);
    proxy.meddle = passing;
    const successor = await place.process(['run', '--resume']);
    expect(successor.code, successor.err).toBe(1);
    const before = contents(place);
    const manifest = place.read(`out/${SCENE_SET}/manifest.json`);
    owner.child.kill('SIGCONT');
    const { code, err } = await owner.done;
    expect(code, err).toBe(5);
    expect(err).toContain('has passed to another process');
    const after = contents(place);
    stale += Object.keys(after).filter((table) => after[table] !== before[table]).length;
    expect(after).toEqual(before);
    expect(place.read(`out/${SCENE_SET}/manifest.json`)).toBe(manifest);
    expect(await place.process(['verify', 'out'])).toMatchObject({ code: 0 });
  }
  row.measured('runs paused beyond their lease', times);
  row.measured('tables changed after SIGCONT', stale);
}
