/** Workers die in mid-batch, again and again, and others take their places. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { addressOf, type Fleet, openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, ownServer } from './harness/own-server.ts';
import { faultRow, type Row } from './harness/row.ts';

const BATCH = 10;
/** A worker has two batches in hand, and has stored none of them whole while it is in the middle of both. */
const IN_HAND = 2 * BATCH;
/** Of a batch, so that the kill comes in its middle. */
const MOST_ASKED = BATCH - 1;
const BUDGET = 30;
/** For a request that a worker had sent before it was killed. */
const ON_ITS_WAY_MS = 300;

faultRow(
  {
    number: 31,
    fault: 'SIGKILL or SIGTERM to workers during a run',
    how: 'SIGKILL to `tieout worker` after its first to ninth request, several at a time, and another worker starts on its address; SIGTERM to one; SIGKILL to one of a run with --max-requests',
    mustHold:
      'the run completes; no record is lost or doubled; only records in hand at a kill are requested twice; a worker gives its batches back on SIGTERM; --max-requests is never exceeded',
  },
  async (row) => {
    const [kills, atOnce] = row.isShort ? [3, 3] : [50, 5];
    using server = await ownServer();
    const url = await databaseOn(server, 'tieout');
    await using fleet = await openFleet({ url, records: row.isShort ? 90 : 600, batch: BATCH });
    const random = seededRandom(row.seed);
    const began = performance.now();
    const run = fleet.run();
    let left = kills;
    const open: number[] = [];
    const killOn = async (n: number) => {
      while (left > 0) {
        left--;
        open.push(await killOnce(fleet, n, 1 + Math.floor(random() * MOST_ASKED)));
        row.say(
          `${open.length} killed after ${((performance.now() - began) / 1000).toFixed(0)} s, ${fleet.asked.length} asked, ${await fleet.observed()} of ${fleet.ids.length} observed`,
        );
      }
      // The last on this address stays and works.
      fleet.worker(n);
    };
    await Promise.all(Array.from({ length: atOnce }, (_, n) => killOn(n)));
    expect(await fleet.observed(), 'the run was over before the last kill').toBeLessThan(fleet.ids.length);
    const { code, err } = await run.done;
    const inHand = open.reduce((sum, each) => sum + each, 0);
    row.measured('workers killed', `${open.length} of ${kills}`);
    row.measured(
      'records requested twice',
      `${fleet.twice()} (in hand when killed: ${inHand}, at most ${Math.max(...open)} at once)`,
    );
    row.measured('exit code of the run', code ?? 'none');
    row.measured('duration of the run, s', ((performance.now() - began) / 1000).toFixed(1));
    expect(code, err).toBe(0);
    const { lost, doubled } = await fleet.expectWhole();
    row.measured('records lost', lost);
    row.measured('records doubled', doubled);
    expect(open).toHaveLength(kills);
    expect(Math.max(...open)).toBeLessThanOrEqual(IN_HAND);
    expect(fleet.twice()).toBeLessThanOrEqual(inHand);
    await givenBack(row, await databaseOn(server, 'given_back'));
    await withBudget(row, await databaseOn(server, 'budget'));
  },
);

/** SIGTERM: answers under way are stored, and the rest is given back before the process ends. */
async function givenBack(row: Row, url: string): Promise<void> {
  await using fleet = await openFleet({ url, records: 60, batch: BATCH });
  const run = fleet.run();
  const first = fleet.worker(0);
  await eventually('it works', 120, () => fleet.asked.length >= 3);
  first.child.kill('SIGTERM');
  const { code } = await first.done;
  const [jobs] = await fleet.sql<{ claimed: number; ready: number }>(`
    select count(*) filter (where state = 'active')::int as claimed,
      count(*) filter (where state = 'retry' and start_after <= clock_timestamp())::int as ready
    from tieout_queue.job where name = 'tieout-fetch'`);
  const last = fleet.worker(1);
  const { code: runCode, err } = await run.done;
  row.measured(
    'SIGTERM to a worker',
    `exit ${code}, ${jobs?.ready} batches ready for another, asked for twice ${fleet.twice()}`,
  );
  expect(code).toBe(143);
  expect(jobs).toEqual({ claimed: 0, ready: 2 });
  expect(runCode, err).toBe(0);
  expect(fleet.twice()).toBe(0);
  await fleet.expectWhole();
  last.child.kill('SIGTERM');
  await last.done;
}

/** How much a killed worker had sent of its share of `--max-requests` is unknown, so the share is not given to another. */
async function withBudget(row: Row, url: string): Promise<void> {
  await using fleet = await openFleet({ url, records: 60, batch: BATCH });
  const run = fleet.run(['--max-requests', String(BUDGET)]);
  const first = fleet.worker(0);
  await eventually('it works', 120, () => fleet.asked.length >= 3);
  first.child.kill('SIGKILL');
  await first.done;
  fleet.worker(1);
  const { code, err } = await run.done;
  row.measured('requests with --max-requests', `${fleet.asked.length} sent of ${BUDGET}, exit ${code}`);
  expect(fleet.asked.length).toBeLessThanOrEqual(BUDGET);
  // The rest is deferred, and the run says so.
  expect(code, err).toBe(3);
}

/** Answers how many records it had asked for and not stored. */
async function killOnce(fleet: Fleet, n: number, after: number): Promise<number> {
  const before = fleet.asked.length;
  const its = () => fleet.asked.slice(before).filter(({ from }) => from === addressOf(n));
  const worker = fleet.worker(n);
  let ended = '';
  void worker.done.then(({ code, err }) => {
    ended = `exit ${code}: ${err}`;
  });
  await eventually(`worker ${n} has asked for ${after}`, 120, () => {
    if (ended !== '') throw new Error(`worker ${n} ended by itself, ${ended}`);
    return its().length >= after;
  });
  worker.child.kill('SIGKILL');
  await worker.done;
  // What it had sent may still lie in a socket: it has been asked for all the same.
  await pause(ON_ITS_WAY_MS);
  return (await fleet.unsaved(its().map(({ recordId }) => recordId))).length;
}
