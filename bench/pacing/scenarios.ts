/** Scenarios of a day for the limiter: clock jumps, crashes, other clients of the address. */
import type { ModelName } from './servers.ts';
import { GUARD_MS, LIMITS, type SimulatedProcess, World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CONCURRENCY = 8;

export interface Scenario {
  name: string;
  /** Least share of the tightest allowance that must be used; 0 where there is not always work. */
  utilisation: number;
  delay?: (at: number, random: () => number) => number;
  /** Sets everything going; returns at once. */
  start: (world: World) => void;
}

const between = (world: World, from: number, to: number) => from + world.random() * (to - from);

function processes(count: number): (world: World) => void {
  return (world) => {
    for (let started = 0; started < count; started++) world.start().work(CONCURRENCY);
  };
}

/** Does something again and again, at random intervals. */
async function every(world: World, from: number, to: number, what: () => void): Promise<void> {
  for (;;) {
    await world.clock.wall.sleep(between(world, from, to));
    what();
  }
}

/** Is killed every few minutes, and restarted by a supervisor. */
async function crashLoop(world: World): Promise<void> {
  for (;;) {
    const process = world.start();
    process.work(CONCURRENCY);
    await world.clock.wall.sleep(between(world, MINUTE, 8 * MINUTE));
    process.kill();
    await world.clock.wall.sleep(between(world, 200, 2 * SECOND));
  }
}

async function reboots(world: World): Promise<void> {
  for (;;) {
    const process = world.start();
    process.work(CONCURRENCY);
    await world.clock.wall.sleep(between(world, HOUR / 2, 3 * HOUR));
    process.kill();
    await world.clock.wall.sleep(between(world, 20 * SECOND, 2 * MINUTE));
    world.reboot();
  }
}

/** Work that comes and goes, so that windows are partly free when bursts come. */
async function shortRuns(world: World): Promise<void> {
  for (;;) {
    const process = world.start();
    process.work(CONCURRENCY);
    await world.clock.wall.sleep(between(world, MINUTE, 20 * MINUTE));
    process.kill();
    await world.clock.wall.sleep(between(world, MINUTE, 20 * MINUTE));
  }
}

/** A person with a list: asks for many records at once, now and then. */
function person(world: World, most: number): void {
  const askMany = (process: SimulatedProcess) => {
    const requests = Math.ceil(world.random() ** 2 * most);
    for (let sent = 0; sent < requests; sent++) void process.request('burst');
  };
  void every(world, SECOND, 30 * MINUTE, () => askMany(world.start()));
}

/** Every request arrives just after a round quarter of an hour if it can, or else at once or as late as may be. */
function huntBoundary(at: number, random: () => number): number {
  const boundary = Math.ceil(at / (15 * MINUTE)) * 15 * MINUTE;
  if (boundary - at <= GUARD_MS) return boundary - at;
  return random() < 0.5 ? 0 : GUARD_MS;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'one process', utilisation: 0.99, start: processes(1) },
  { name: 'two processes', utilisation: 0.99, start: processes(2) },
  { name: 'four processes', utilisation: 0.99, start: processes(4) },
  { name: 'crash loop', utilisation: 0.97, start: (world) => void crashLoop(world) },
  {
    name: 'wall clock jumps ±1 h',
    utilisation: 0.99,
    start: (world) => {
      processes(2)(world);
      void every(world, MINUTE, 40 * MINUTE, () => world.clock.jumpWall(world.random() < 0.5 ? HOUR : -HOUR));
    },
  },
  // Each boot costs one drained window: at least 15 of every 60 minutes, so there is no bound worth stating.
  { name: 'reboots', utilisation: 0, start: (world) => void reboots(world) },
  {
    name: 'paced + bursts',
    utilisation: 0.99,
    start: (world) => {
      processes(1)(world);
      person(world, 300);
    },
  },
  {
    name: 'short runs + bursts',
    utilisation: 0,
    start: (world) => {
      void shortRuns(world);
      person(world, 300);
    },
  },
  { name: 'bursts alone', utilisation: 0, start: (world) => person(world, 1500) },
  { name: 'deliveries in lumps', utilisation: 0.99, delay: huntBoundary, start: processes(1) },
];

export interface Outcome {
  seed: number;
  scenario: string;
  model: ModelName;
  received: number;
  /** Most requests in any rolling window, in the order of LIMITS. */
  peaks: readonly number[];
  violations: number;
  /** Share of the tightest allowance. */
  utilisation: number;
  transactionsPerRequest: number;
}

export async function simulate(scenario: Scenario, model: ModelName, hours: number, seed: number): Promise<Outcome> {
  const world = new World({ model, seed, ...(scenario.delay === undefined ? {} : { delay: scenario.delay }) });
  scenario.start(world);
  await world.clock.advance(hours * HOUR);
  const allowance = Math.min(...LIMITS.map(({ requests, perMs }) => (requests * hours * HOUR) / perMs));
  return {
    seed,
    scenario: scenario.name,
    model,
    received: world.received,
    peaks: world.peaks.map(({ peak }) => peak),
    violations: world.violations,
    utilisation: world.received / allowance,
    transactionsPerRequest: world.log.transactions / world.received,
  };
}
