/** PostgreSQL is restarted while a coordinator and workers are in the middle of a run. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, type OwnServer, ownServer } from './harness/own-server.ts';
import { faultRow, type Row } from './harness/row.ts';

const BATCH = 10;
const WORKERS = 2;

interface Restart {
  name: string;
  do: (server: OwnServer) => Promise<void>;
}

const away = (seconds: number): Restart => ({
  name: `crash and ${seconds} s away`,
  do: async (server) => {
    server.crash();
    await pause(seconds * 1000);
    server.startAgain();
  },
});
const ORDERLY: Restart = { name: 'restart', do: async (server) => server.startAgain() };

faultRow(
  {
    number: 34,
    fault: 'PostgreSQL restarts during a run',
    how: '`pg_ctl restart -m fast`; `stop -m immediate` and a start 3 s and 40 s later; a coordinator and two workers are running',
    mustHold:
      'the run completes, or exits 4 and --resume completes it; the workers survive; no record is lost or doubled',
  },
  async (row) => {
    for (const restart of row.isShort ? [away(3)] : [ORDERLY, away(3), away(40)]) await restartedOnce(row, restart);
  },
);

async function restartedOnce(row: Row, { name, do: restart }: Restart): Promise<void> {
  using server = await ownServer();
  await using fleet = await openFleet({ url: await databaseOn(server, 'tieout'), records: 160, batch: BATCH });
  const run = fleet.run();
  const workers = Array.from({ length: WORKERS }, (_, n) => fleet.worker(n));
  await eventually('some are stored', 120, async () => (await fleet.observed()) >= 2 * BATCH);
  const at = performance.now();
  await restart(server);
  const first = await run.done;
  const seconds = ((performance.now() - at) / 1000).toFixed(1);
  row.measured(`${name}, run`, `exit ${first.code} after ${seconds} s`);
  expect(first.code, first.err).toBeOneOf([0, 4]);
  if (first.code === 4) {
    expect(first.err).toMatch(/database .*(connection was lost|does not answer)/);
    expect(first.err).not.toMatch(/unexpected error|\n {4}at /i);
    const resumed = await fleet.run(['--resume']).done;
    row.measured(`${name}, --resume`, `exit ${resumed.code}`);
    expect(resumed.code, resumed.err).toBe(0);
  }
  const alive = workers.filter(({ child }) => child.exitCode === null && child.signalCode === null).length;
  row.measured(`${name}, workers alive`, `${alive} of ${WORKERS}`);
  row.measured(`${name}, records requested twice`, fleet.twice());
  const { lost, doubled } = await fleet.expectWhole();
  row.measured(`${name}, records lost`, lost);
  row.measured(`${name}, records doubled`, doubled);
  for (const { child } of workers) child.kill('SIGTERM');
  const ends = await Promise.all(workers.map(({ done }) => done));
  expect(
    ends.map(({ code }) => code),
    ends.map(({ err }) => err).join('\n'),
  ).toEqual(workers.map(() => 143));
}
