/** A worker is paused beyond its claim, and continued when another worker has its batches. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { addressOf, type Fleet, openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, ownServer } from './harness/own-server.ts';
import { faultRow, type Row } from './harness/row.ts';

const BATCH = 20;
/** In the second way, the paused worker waits for a slot: its first act after SIGCONT is the request. */
const PACED = '[{ requests: 60, per: 1m }]';

faultRow(
  {
    number: 32,
    fault: 'a worker is paused beyond its claim',
    how: 'SIGSTOP in the middle of a batch, SIGCONT after another worker has fetched its batches and the run continues; once with answers under way, once while it waits for a slot',
    mustHold:
      'after SIGCONT it sends no request for those batches and overwrites nothing; only requests in flight are repeated',
  },
  async (row) => {
    using server = await ownServer();
    await pausedOnce(row, await databaseOn(server, 'answers'), 'answers under way', 'off');
    if (!row.isShort) await pausedOnce(row, await databaseOn(server, 'slots'), 'waiting for a slot', PACED);
  },
);

interface Stored {
  record_id: string;
  observed_at: number;
  snapshot_key: number;
  attempts: number;
}

async function pausedOnce(row: Row, url: string, way: string, rateLimits: string): Promise<void> {
  const paced = rateLimits !== 'off';
  const records = paced ? 100 : 360;
  await using fleet = await openFleet({ url, records, batch: BATCH, delayMs: 400, rateLimits });
  const run = fleet.run();
  const sleeper = fleet.worker(0);
  const itsOwn = () => fleet.asked.filter(({ from }) => from === addressOf(0));
  await eventually('the sleeper works', 120, () => itsOwn().length >= 3);
  sleeper.child.kill('SIGSTOP');
  // What had left before is answered and the answer is not read.
  await pause(300);
  const before = itsOwn().length;
  const mine = await claimedPositions(fleet);
  row.say(`${way}: asleep with ${mine.length} records in hand`);
  // Another worker starts now: it gets those batches once the heartbeat is missed, while the run still has records left.
  const other = fleet.worker(1);
  await eventually(
    'its batches were fetched by another',
    180,
    async () => (await storedOf(fleet, mine)).length === mine.length,
  );
  const then = await storedOf(fleet, mine);
  const goesOn = (await fleet.observed()) < fleet.ids.length;
  sleeper.child.kill('SIGCONT');
  const wokeAt = performance.now();
  const { code, err } = await run.done;
  const again = itsOwn()
    .slice(before)
    .filter(({ recordId, at }) => at >= wokeAt && mine.includes(recordId)).length;
  const stale = (await storedOf(fleet, mine)).filter(
    (now, index) => JSON.stringify(now) !== JSON.stringify(then[index]),
  ).length;
  row.measured(`${way}, requests after SIGCONT for records of its batches`, again);
  row.measured(`${way}, stale saves`, stale);
  row.measured(`${way}, records requested twice`, fleet.twice());
  row.measured(`${way}, run still under way at SIGCONT`, goesOn ? 'yes' : 'no');
  row.measured(`${way}, exit code of the run`, code ?? 'none');
  expect(code, err).toBe(0);
  const { lost, doubled } = await fleet.expectWhole();
  row.measured(`${way}, records lost`, lost);
  row.measured(`${way}, records doubled`, doubled);
  for (const worker of [sleeper, other]) worker.child.kill('SIGTERM');
  for (const worker of [sleeper, other]) expect((await worker.done).code).toBe(143);
  expect(again).toBe(0);
  expect(stale).toBe(0);
  expect(fleet.twice()).toBeLessThanOrEqual(before);
}

/** Ids of the records in claimed batches that have no observation. */
async function claimedPositions(fleet: Fleet): Promise<string[]> {
  const rows = await fleet.sql<{ record_id: string }>(`
    select record_id from run_items, tieout_queue.job
    where state = 'active' and name = 'tieout-fetch' and outcome is null
      and position > (data->>'after')::int and position <= (data->>'upTo')::int order by record_id`);
  return rows.map(({ record_id }) => record_id);
}

async function storedOf(fleet: Fleet, ids: readonly string[]): Promise<readonly Stored[]> {
  const list = ids.map((id) => `'${id}'`).join(', ');
  return fleet.sql<Stored>(`
    select record_id, observed_at, snapshot_key, attempts from run_items
    where outcome is not null and record_id in (${list}) order by record_id`);
}
