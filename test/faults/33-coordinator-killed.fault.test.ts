/** The coordinator dies in the middle of a run, and another one goes on with it: here, and on another host. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Fleet, openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, ownServer } from './harness/own-server.ts';
import { faultRow, type Row } from './harness/row.ts';

const BATCH = 10;
const WORKERS = 2;
/** A worker asks every 2.5 s whether a claim is still its own; meanwhile it sends for a run that cannot store the answers. */
const SECONDS_UNTOLD = 4;

faultRow(
  {
    number: 33,
    fault: 'SIGKILL or SIGTERM to the coordinator',
    how: 'SIGKILL in the middle of a run, then `run --resume` at once on the same host; SIGTERM, then `--resume`; the workers keep running',
    mustHold:
      'the run completes; no record is lost or doubled; no batch of the old coordinator is left; SIGTERM ends it within 30 s with 143',
  },
  async (row) => {
    using server = await ownServer();
    await endedOnce(row, await databaseOn(server, 'killed'), 'SIGKILL');
    await endedOnce(row, await databaseOn(server, 'stopped'), 'SIGTERM');
  },
);

async function endedOnce(row: Row, url: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await using fleet = await openFleet({ url, records: row.isShort ? 120 : 400, batch: BATCH });
  const first = fleet.run();
  const workers = Array.from({ length: WORKERS }, (_, n) => fleet.worker(n));
  await eventually('some are stored', 120, async () => (await fleet.observed()) >= 2 * BATCH);
  const at = performance.now();
  first.child.kill(signal);
  const { code: stopped } = await first.done;
  const seconds = (performance.now() - at) / 1000;
  row.measured(`${signal}, records stored before`, `${await fleet.observed()} of ${fleet.ids.length}`);
  row.measured(`${signal}, exit`, stopped ?? signal);
  row.measured(`${signal}, stopped after, s`, seconds.toFixed(2));
  expect(stopped).toBe(signal === 'SIGTERM' ? 143 : null);
  expect(seconds).toBeLessThan(30);
  const [lease] = await fleet.sql<{ token: number }>(`select token::int as token from leases where name = 'nightly'`);
  const resumedAt = performance.now();
  const resumed = fleet.run(['--resume']);
  let isOver = false;
  void resumed.done.then(() => {
    isOver = true;
  });
  // On a busy machine the workers may have fetched everything before it begins.
  const isThere = async () => isOver || (await batchesBeyond(fleet, lease?.token ?? 0)) > 0;
  await eventually('its batches are there', 60, isThere);
  await pause(SECONDS_UNTOLD * 1000);
  const old = await openBatchesOf(fleet, lease?.token ?? 0);
  const { code, err } = await resumed.done;
  row.measured(`${signal}, --resume`, `exit ${code}, ${((performance.now() - resumedAt) / 1000).toFixed(1)} s`);
  row.measured(`${signal}, batches of the old run left`, old);
  row.measured(`${signal}, records requested twice`, fleet.twice());
  expect(code, err).toBe(0);
  const { lost, doubled } = await fleet.expectWhole();
  row.measured(`${signal}, records lost`, lost);
  row.measured(`${signal}, records doubled`, doubled);
  expect(old).toBe(0);
  if (signal === 'SIGTERM') expect(fleet.twice(), 'what was in flight was stored').toBe(0);
  for (const { child } of workers) child.kill('SIGTERM');
  for (const { done } of workers) expect((await done).code).toBe(143);
}

const OPEN = `name = 'tieout-fetch' and state in ('created', 'retry', 'active')`;

async function openBatchesOf(fleet: Fleet, token: number): Promise<number> {
  const [row] = await fleet.sql<{ n: number }>(
    `select count(*)::int as n from tieout_queue.job where ${OPEN} and (data->'fence'->>'token')::int <= ${token}`,
  );
  return row?.n ?? 0;
}

async function batchesBeyond(fleet: Fleet, token: number): Promise<number> {
  const [row] = await fleet.sql<{ n: number }>(
    `select count(*)::int as n from tieout_queue.job where (data->'fence'->>'token')::int > ${token}`,
  );
  return row?.n ?? 0;
}
