/** Workers die in mid-batch, again and again, and others take their places. */
import { expect } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { addressOf, type Fleet, openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, ownServer } from './harness/own-server.ts';
import { faultRow } from './harness/row.ts';

const BATCH = 10;
/** A worker has two batches in hand, and has stored none of them whole while it is in the middle of both. */
const IN_HAND = 2 * BATCH;
/** Of a batch, so that the kill comes in its middle. */
const MOST_ASKED = BATCH - 1;

faultRow(
  {
    number: 31,
    fault: 'worker killed',
    how: 'SIGKILL to `tieout worker` after its first to ninth request, several at a time; another one starts on its address',
    mustHold:
      'the run completes; no record is lost or doubled; asked for twice is only what a killed worker had in hand',
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
        row.say(`${open.length} killed, ${await fleet.observed()} of ${fleet.ids.length} observed`);
      }
      // The last on this address stays and works.
      fleet.worker(n);
    };
    await Promise.all(Array.from({ length: atOnce }, (_, n) => killOn(n)));
    expect(await fleet.observed(), 'the run was over before the last kill').toBeLessThan(fleet.ids.length);
    const { code, err } = await run.done;
    const inHand = open.reduce((sum, each) => sum + each, 0);
    row.measured('killed', `${open.length} of ${kills}`);
    row.measured(
      'asked for twice',
      `${fleet.twice()} (in hand when killed: ${inHand}, at most ${Math.max(...open)} at once)`,
    );
    row.measured('exit code', code ?? 'none');
    row.measured('seconds of the run', ((performance.now() - began) / 1000).toFixed(1));
    expect(code, err).toBe(0);
    const { lost, doubled } = await fleet.expectWhole();
    row.measured('lost', lost);
    row.measured('doubled', doubled);
    expect(open).toHaveLength(kills);
    expect(Math.max(...open)).toBeLessThanOrEqual(IN_HAND);
    expect(fleet.twice()).toBeLessThanOrEqual(inHand);
  },
);

/** Answers how many records it had asked for and not stored. */
async function killOnce(fleet: Fleet, n: number, after: number): Promise<number> {
  const before = fleet.asked.length;
  const its = () => fleet.asked.slice(before).filter(({ from }) => from === addressOf(n));
  const worker = fleet.worker(n);
  await eventually(`worker ${n} has asked for ${after}`, 120, () => its().length >= after);
  worker.child.kill('SIGKILL');
  await worker.done;
  return (await fleet.unsaved(its().map(({ recordId }) => recordId))).length;
}
