/** Simulated processes, one shared log and one server, on virtual time: the real limiter, everything else made up. */
import type { BookingLog, Limiter, MonotonicClock, Pace, RateLimit } from '../../src/ports/pacing.ts';
import { createLimiter } from '../../src/service/pacing/limiter.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { MemoryBookingLog } from '../../test/support/memory-booking-log.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { createServer, type ModelName, RollingCount, type ServerModel } from './servers.ts';

export const LIMITS: readonly RateLimit[] = [
  { requests: 100, perMs: 60_000 },
  { requests: 1000, perMs: 900_000 },
];
export const GUARD_MS = 5_000;
/** Timers fire late by up to this much, and now and then by a lot more: a busy process. */
const LATE_MS = 4;
const STALL_CHANCE = 0.002;
const STALL_MS = 400;
const ANSWER_MS = 120;

export interface WorldOptions {
  model: ModelName;
  seed: number;
  /** How long a request travels, in [0, GUARD_MS]; by chance, unless a scenario is out to do harm. */
  delay?: (at: number, random: () => number) => number;
}

export class World {
  readonly clock = new FakeClock();
  readonly random: () => number;
  readonly log = new MemoryBookingLog();
  readonly peaks = LIMITS.map((limit) => new RollingCount(limit.perMs));
  readonly #server: ServerModel;
  readonly #delay: (at: number, random: () => number) => number;
  /** Start of the present boot, in elapsed ms, and how many there were. */
  #bootedAt = 0;
  #boots = 1;
  received = 0;
  violations = 0;

  constructor(options: WorldOptions) {
    this.random = seededRandom(options.seed);
    this.#server = createServer(options.model, LIMITS, this.random);
    this.#delay = options.delay ?? ((_at, random) => random() * GUARD_MS);
  }

  /** The monotonic clock starts again from nearly nothing, under another name. Processes must be started after it. */
  reboot(): void {
    this.#bootedAt = this.clock.elapsed - this.random() * 20_000;
    this.#boots++;
  }

  /** A request on its way. Resolves with the server's answer, true where it was within the limits. */
  async send(): Promise<boolean> {
    await this.clock.wall.sleep(this.#delay(this.clock.elapsed, this.random));
    const at = this.clock.elapsed;
    const within = this.#server.receive(at);
    for (const peak of this.peaks) peak.add(at);
    this.received++;
    if (!within) this.violations++;
    await this.clock.wall.sleep(ANSWER_MS);
    return within;
  }

  start(): SimulatedProcess {
    return new SimulatedProcess(this, `boot-${this.#boots}`, this.#bootedAt);
  }
}

/** A promise that never settles: what a killed process waits for. */
const NEVER = new Promise<never>(() => undefined);

export class SimulatedProcess {
  readonly limiter: Limiter;
  readonly #world: World;
  #dead = false;

  constructor(world: World, domain: string, bootedAt: number) {
    this.#world = world;
    const clock: MonotonicClock = {
      domain,
      now: () => world.clock.elapsed - bootedAt,
      sleep: async (ms, signal) => {
        const stall = world.random() < STALL_CHANCE ? world.random() * STALL_MS : 0;
        await world.clock.monotonic.sleep(ms + world.random() * LATE_MS + stall, signal);
        if (this.#dead) await NEVER;
      },
    };
    const log: BookingLog = {
      withBookings: (egress, name, work) => (this.#dead ? NEVER : world.log.withBookings(egress, name, work)),
    };
    this.limiter = createLimiter({
      limits: LIMITS,
      guardMs: GUARD_MS,
      egress: 'simulated',
      log,
      clock,
      wall: world.clock.wall.now,
      random: world.random,
    });
  }

  /** Dies on the spot: what it knew is gone, what it sent is on its way. */
  kill(): void {
    this.#dead = true;
  }

  async request(pace: Pace): Promise<void> {
    await this.limiter.acquire({ pace });
    if (this.#dead) await NEVER;
    const within = await this.#world.send();
    if (!this.#dead) await this.limiter.report({ kind: within ? 'ok' : 'limited', retryAfterMs: null });
  }

  /** Nightly work without end, `concurrency` requests at a time. */
  work(concurrency: number): void {
    for (let worker = 0; worker < concurrency; worker++) void this.#workOn();
  }

  async #workOn(): Promise<void> {
    while (!this.#dead) await this.request('paced');
  }
}
