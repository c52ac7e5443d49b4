/** Limiters on virtual time, over one log. */
import type { Limiter, MonotonicClock, Pace, RateLimit } from '../../../src/ports/pacing.ts';
import { createLimiter, type LimiterOptions } from '../../../src/service/pacing/limiter.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { WatchedLog } from './watched-log.ts';

export const MINUTE = 60_000;
export const DEFAULTS: readonly RateLimit[] = [
  { requests: 100, perMs: MINUTE },
  { requests: 1000, perMs: 15 * MINUTE },
];

/** One machine: a clock, a log, and as many processes as a test starts. */
export class Machine {
  readonly clock = new FakeClock();
  readonly log = new WatchedLog();
  #processes = 0;

  process(options: Partial<LimiterOptions> = {}): Limiter {
    return createLimiter({
      limits: DEFAULTS,
      guardMs: 5_000,
      egress: 'host',
      log: this.log,
      clock: this.clock.monotonic,
      wall: this.clock.wall.now,
      random: seededRandom(++this.#processes),
      ...options,
    });
  }

  /** Another boot: the monotonic clock starts again under another name. */
  rebooted(domain = 'boot-2'): MonotonicClock {
    const bootedAt = this.clock.monotonic.now() - 1_000;
    return { domain, now: () => this.clock.monotonic.now() - bootedAt, sleep: this.clock.monotonic.sleep };
  }
}

/** Asks for slots and notes when each was given, in elapsed ms. */
export function ask(machine: Machine, limiter: Limiter, pace: Pace, count: number): number[] {
  const given: number[] = [];
  for (let asked = 0; asked < count; asked++) {
    void limiter.acquire({ pace }).then(() => given.push(machine.clock.elapsed));
  }
  return given;
}

/** An outcome to look at later, without an unhandled rejection in between. */
export const settled = <T>(promise: Promise<T>) =>
  promise.then(
    (value) => ({ value, error: null }),
    (error: unknown) => ({ value: null, error: error as Error }),
  );
