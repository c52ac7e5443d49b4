/**
 * Virtual time. It stands still until a test advances it; timers fire in the order of their times (then of their calls),
 * and everything that a timer starts has settled before the next one.
 */
import type { Instant } from '../../src/domain/record.ts';
import type { MonotonicClock } from '../../src/ports/pacing.ts';
import type { SystemClock, WallClock } from '../../src/runner/clock.ts';

interface Sleeper {
  at: number;
  wake: () => void;
}

export interface FakeClockOptions {
  /** 2026-11-20T04:15:00Z by default. */
  wall?: Instant;
  /** First monotonic reading in ms; an hour by default. */
  monotonic?: number;
}

export class FakeClock implements SystemClock {
  readonly wall: WallClock;
  readonly monotonic: MonotonicClock;
  #elapsed = 0;
  #wallStart: Instant;
  /** By time; equal times in order of call. */
  readonly #sleepers: Sleeper[] = [];

  constructor(options: FakeClockOptions = {}) {
    this.#wallStart = options.wall ?? Date.parse('2026-11-20T04:15:00Z');
    const origin = options.monotonic ?? 3_600_000;
    const sleep = (ms: number, signal?: AbortSignal) => this.#sleep(ms, signal);
    this.wall = { now: () => this.#wallStart + Math.floor(this.#elapsed), sleep };
    this.monotonic = { domain: 'boot-1', now: () => origin + this.#elapsed, sleep };
  }

  /** Milliseconds since the clock was made. */
  get elapsed(): number {
    return this.#elapsed;
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Sets the wall clock; monotonic time and sleepers do not change. */
  jumpWall(ms: number): void {
    this.#wallStart += ms;
  }

  /** Lets this much time pass. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsed + ms;
    await this.#settle();
    while (this.#wakeNext(target)) await this.#settle();
    this.#elapsed = target;
  }

  /**
   * Lets as much time pass as the work needs.
   * @throws an Error where it waits for something other than this clock.
   */
  async run<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => {
      settled = true;
    };
    work.then(done, done);
    await this.#settle();
    while (!settled) {
      if (!this.#wakeNext(Number.POSITIVE_INFINITY)) throw new Error('the work waits, and nobody sleeps on this clock');
      await this.#settle();
    }
    return work;
  }

  #wakeNext(target: number): boolean {
    const next = this.#sleepers[0];
    if (next === undefined || next.at > target) return false;
    this.#sleepers.shift();
    this.#elapsed = Math.max(this.#elapsed, next.at);
    next.wake();
    return true;
  }

  /** A turn of the event loop comes only after every promise that is ready has run. */
  #settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const abort = () => new DOMException('The sleep was aborted', { name: 'AbortError', cause: signal?.reason });
    if (signal?.aborted) return Promise.reject(abort());
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
        reject(abort());
      };
      const sleeper: Sleeper = {
        at: this.#elapsed + Math.max(0, ms),
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const later = this.#sleepers.findIndex((other) => other.at > sleeper.at);
      this.#sleepers.splice(later === -1 ? this.#sleepers.length : later, 0, sleeper);
    });
  }
}
