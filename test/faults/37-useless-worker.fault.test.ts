/** Workers that cannot work: they say so and go, and the others do the work. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import { listenLocally } from '../support/listen-locally.ts';
import { addressOf, type Env, type Fleet, openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, type OwnServer, ownServer } from './harness/own-server.ts';
import { faultRow, type Row } from './harness/row.ts';
import { SCENE_SET } from './harness/scene.ts';
import { failing } from './harness/troubles.ts';

const OTHER_KEY = Buffer.alloc(32, 8).toString('base64');
const forbidden = failing(403);

faultRow(
  {
    number: 37,
    fault: 'a worker without access to the Service, with another key, or without a database',
    how: 'the Service answers 403 to the address of one worker; another worker has another sealing key; a third has no database; at last the Service answers 403 to every address',
    mustHold:
      'the worker exits with its own code (4, 2, 4) and the others complete the run; a refusal of an address never becomes a verdict; where all are refused the run exits 4 and publishes nothing',
  },
  async (row) => {
    using server = await ownServer();
    await oneRefused(row, server);
    await allRefused(row, server);
  },
);

/** From then on these addresses are refused. */
function refuse(fleet: Fleet, workers: readonly number[]): void {
  const pass = fleet.meddle;
  const refused = workers.map(addressOf);
  fleet.meddle = (call) => (refused.includes(call.socket.remoteAddress ?? '') ? forbidden(call) : pass(call));
}

async function oneRefused(row: Row, server: OwnServer): Promise<void> {
  // Twenty seconds of work for the good one: on a busy machine the refused one may begin late, and must still find a batch.
  const work = { records: 200, batch: 10, delayMs: 400 };
  await using fleet = await openFleet({ url: await databaseOn(server, 'one'), ...work });
  refuse(fleet, [1]);
  const run = fleet.run();
  const good = fleet.worker(0);
  const useless: Record<string, Env | undefined> = {
    'refused address': undefined,
    'another sealing key': { TIEOUT_SECRET_KEY: OTHER_KEY },
    'no database': { TIEOUT_DATABASE_URL: `postgres://tieout@127.0.0.1:${await closedPort()}/tieout` },
  };
  const expected = { 'refused address': 4, 'another sealing key': 2, 'no database': 4 };
  await eventually('the good one works', 120, () => {
    expect(fleet.ends, 'over before the first request').toEqual([]);
    return fleet.asked.length > 0;
  });
  const codes: Record<string, number | null> = {};
  await Promise.all(
    Object.entries(useless).map(async ([name, env], index) => {
      const { code, err } = await fleet.worker(1 + index, env).done;
      codes[name] = code;
      expect(err, name).not.toMatch(/unexpected error|\n {4}at /i);
    }),
  );
  const { code, err } = await run.done;
  for (const [name, each] of Object.entries(codes)) row.measured(name, `exit ${each}`);
  row.measured('run with one working worker', `exit ${code}`);
  row.measured('requests from the refused address', fleet.asked.filter(({ from }) => from === addressOf(1)).length);
  row.measured('records requested twice', fleet.twice());
  expect(codes).toEqual(expected);
  expect(code, err).toBe(0);
  const { lost, doubled } = await fleet.expectWhole();
  row.measured('records lost', lost);
  row.measured('records doubled', doubled);
  const outcomes = fleet.place.csv(SCENE_SET, 'coverage').rows.map(({ outcome, reason }) => `${outcome} ${reason}`);
  const taken = outcomes.filter((text) => text.includes('ACCESS_DENIED')).length;
  row.measured('refusals that became a verdict', taken);
  expect(taken).toBe(0);
  good.child.kill('SIGTERM');
  expect((await good.done).code).toBe(143);
}

async function allRefused(row: Row, server: OwnServer): Promise<void> {
  await using fleet = await openFleet({ url: await databaseOn(server, 'every'), records: 60, batch: 10 });
  refuse(fleet, [0, 1]);
  const run = fleet.run();
  const at = performance.now();
  const workers = await Promise.all([0, 1].map((n) => fleet.worker(n).done));
  const { code, err } = await run.done;
  row.measured(
    'all addresses refused',
    `workers exit ${workers.map((each) => each.code).join(', ')}, run exit ${code}`,
  );
  row.measured('all addresses refused, seconds to exit', ((performance.now() - at) / 1000).toFixed(1));
  expect(workers.map((each) => each.code)).toEqual([4, 4]);
  expect(code, err).toBe(4);
  expect(err).toMatch(/Service refused|refused the view token/);
  expect(existsSync(fleet.place.path('out', SCENE_SET))).toBe(false);
}

/** An address without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listenLocally(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
