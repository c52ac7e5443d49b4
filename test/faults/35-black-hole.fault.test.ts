/** The way to PostgreSQL drops every packet: no reset, no refusal. */
import { expect } from 'vitest';
import type { Running } from '../e2e/support/workspace.ts';
import { openBlackHole } from './harness/black-hole.ts';
import { type Fleet, openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, type OwnServer, ownServer } from './harness/own-server.ts';
import { faultRow, type Row } from './harness/row.ts';

const BATCH = 10;
const WORKERS = 2;
/** Two minutes for an answer, one for trying again, and the rest for connecting in vain on the way out. */
const BOUND_SECONDS = 240;
/** The short form waits five seconds for an answer, by the address itself. */
/** The server gives a silent transaction up after 60 s. */
const HELD_MS = 90_000;
const SHORT_BOUND_SECONDS = 60;

faultRow(
  {
    number: 35,
    fault: 'the connection to PostgreSQL falls silent',
    how: 'a TCP proxy between all processes and the server accepts everything and forwards nothing, until the coordinator has ended, or for ever',
    mustHold: `every process exits 4 or recovers within ${BOUND_SECONDS} s; --resume completes the run; no record is lost or doubled`,
  },
  async (row) => {
    using server = await ownServer();
    await healed(row, server);
    if (!row.isShort) await forEver(row, server);
  },
);

async function begin(fleet: Fleet): Promise<{ run: Running; workers: Running[] }> {
  const run = fleet.run();
  const workers = Array.from({ length: WORKERS }, (_, n) => fleet.worker(n));
  await eventually('some are stored', 120, async () => (await fleet.observed()) >= 2 * BATCH);
  return { run, workers };
}

const since = (at: number): number => (performance.now() - at) / 1000;

async function healed(row: Row, server: OwnServer): Promise<void> {
  const directUrl = await databaseOn(server, 'healed');
  await using hole = await openBlackHole(directUrl);
  const url = `${hole.through(directUrl)}?query_timeout=5000`;
  await using fleet = await openFleet({ url, directUrl, records: 200, batch: BATCH });
  const { run, workers } = await begin(fleet);
  hole.swallow();
  const at = performance.now();
  const { code, err } = await run.done;
  const seconds = since(at);
  row.measured('time-out of 5 s, coordinator', `exit ${code} after ${seconds.toFixed(1)} s`);
  expect(code, err).toBe(4);
  expect(err).toMatch(/stopped answering|does not answer|connection was lost/);
  expect(err).not.toMatch(/unexpected error|\n {4}at /i);
  expect(seconds).toBeLessThan(SHORT_BOUND_SECONDS);
  hole.heal();
  // The server may still hold the lock of the transaction that fell silent, for a minute; with answers waited for 5 s only,
  // that is exit 4.
  const healed = performance.now();
  let attempts = 1;
  let resumed = await fleet.run(['--resume']).done;
  for (; resumed.code === 4 && performance.now() - healed < HELD_MS; attempts++) {
    resumed = await fleet.run(['--resume']).done;
  }
  expect(resumed.code, resumed.err).toBe(0);
  const alive = workers.filter(({ child }) => child.exitCode === null).length;
  row.measured('healed, workers that recovered', `${alive} of ${WORKERS}`);
  row.measured('healed, --resume', `exit ${resumed.code} at attempt ${attempts}`);
  row.measured('healed, records requested twice', fleet.twice());
  const { lost, doubled } = await fleet.expectWhole();
  row.measured('healed, records lost', lost);
  row.measured('healed, records doubled', doubled);
  for (const { child } of workers) child.kill('SIGTERM');
  const ends = await Promise.all(workers.map(({ done }) => done));
  expect(
    ends.map((end) => end.code),
    ends.map((end) => end.err).join('\n'),
  ).toEqual(workers.map(() => 143));
}

/** With the default times. */
async function forEver(row: Row, server: OwnServer): Promise<void> {
  const directUrl = await databaseOn(server, 'for_ever');
  await using hole = await openBlackHole(directUrl);
  await using fleet = await openFleet({ url: hole.through(directUrl), directUrl, records: 200, batch: BATCH });
  const { run, workers } = await begin(fleet);
  hole.swallow();
  const at = performance.now();
  const ends = await Promise.all(
    [run, ...workers].map(async ({ done }) => ({ code: (await done).code, err: (await done).err, seconds: since(at) })),
  );
  const slowest = Math.max(...ends.map(({ seconds }) => seconds));
  row.measured('silent for ever, exit codes', ends.map(({ code }) => code).join(', '));
  row.measured('silent for ever, seconds to exit', ends.map(({ seconds }) => seconds.toFixed(0)).join(', '));
  for (const { code, err } of ends) expect(code, err).toBe(4);
  expect(slowest).toBeLessThan(BOUND_SECONDS);
  const direct = { TIEOUT_DATABASE_URL: directUrl };
  const others = Array.from({ length: WORKERS }, (_, n) => fleet.worker(n, direct));
  const resumed = await fleet.run(['--resume'], direct).done;
  row.measured('silent for ever, --resume', `exit ${resumed.code}`);
  expect(resumed.code, resumed.err).toBe(0);
  await fleet.expectWhole();
  for (const { child } of others) child.kill('SIGTERM');
}
