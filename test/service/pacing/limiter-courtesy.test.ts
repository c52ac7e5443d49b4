/**
 * To the millisecond: when a waiter looks at the log again. One that found no slot by an ordinary look comes
 * five milliseconds after it is free; one that lost a slot to another process comes earlier for the next.
 */
import { describe, expect, it } from 'vitest';
import type { Limiter, Pace } from '../../../src/ports/pacing.ts';
import { createLimiter, type LimiterOptions } from '../../../src/service/pacing/limiter.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryBookingLog } from '../../support/memory-booking-log.ts';

/** With these limits and the guard, paced work and bursts alike get one slot every eleven seconds. */
const ELEVEN_SECONDS = { limits: [{ requests: 2, perMs: 10_000 }], guardMs: 900 };

/** An address whose only slot was booked at 0, so that the next is free at 10,900: it is dated 0.1 s back. */
class Address {
  readonly clock = new FakeClock();
  readonly log = new MemoryBookingLog();

  static async taken(): Promise<Address> {
    const address = new Address();
    await address.process().acquire({ pace: 'paced' });
    return address;
  }

  process(options: Partial<LimiterOptions> = {}): Limiter {
    const { clock, log } = this;
    return createLimiter({
      ...ELEVEN_SECONDS,
      egress: 'host',
      log,
      clock: clock.monotonic,
      wall: clock.wall.now,
      ...options,
    });
  }

  /** Asks for slots one after the other, and notes when they were given (elapsed ms). */
  ask(limiter: Limiter, ...paces: readonly Pace[]): number[] {
    const given: number[] = [];
    for (const pace of paces) void limiter.acquire({ pace }).then(() => given.push(this.clock.elapsed));
    return given;
  }

  /** Another process takes the slot that is free at this time. */
  async takenAway(at: number): Promise<void> {
    await this.clock.advance(at - this.clock.elapsed);
    const now = this.clock.monotonic.now();
    await this.log.withBookings('host', this.clock.monotonic.domain, (bookings) => bookings.book(now));
  }

  /** From now on a commit takes this long. */
  slowDown(ms: number): void {
    this.log.beforeCommit = () => this.clock.monotonic.sleep(ms);
  }
}

describe('a waiter for a slot', () => {
  it('comes five milliseconds after it is free', async () => {
    const address = await Address.taken();
    const given = address.ask(address.process(), 'paced');
    await address.clock.advance(12_000);
    expect(given).toEqual([10_905]);
  });

  it('and had the one before too comes five milliseconds late again', async () => {
    const address = new Address();
    const given = address.ask(address.process(), 'paced', 'paced', 'paced');
    await address.clock.advance(22_000);
    // 10,905 is dated back to 10,900, so that lateness does not add up.
    expect(given).toEqual([0, 10_905, 21_905]);
  });

  it.each([
    { random: undefined, given: 21_903, why: 'two, without chance to tell processes apart' },
    { random: () => 0.75, given: 21_904, why: 'up to four, as chance has it' },
  ])('after losing one comes earlier for the next: $why', async ({ random, given }) => {
    const address = await Address.taken();
    const outcome = address.ask(address.process(random === undefined ? {} : { random }), 'paced');
    await address.takenAway(10_901);
    await address.clock.advance(12_000);
    expect(outcome).toEqual([given]);
  });

  it('after losing two comes earlier still: half of that', async () => {
    const address = await Address.taken();
    const outcome = address.ask(address.process({ random: () => 0.75 }), 'paced');
    await address.takenAway(10_901);
    await address.takenAway(21_902);
    await address.clock.advance(12_000);
    // Free from 32,902 on; a timer takes whole milliseconds.
    expect(outcome).toEqual([32_904]);
  });

  it('after getting one is as courteous as before', async () => {
    const address = await Address.taken();
    const outcome = address.ask(address.process(), 'paced', 'paced');
    await address.takenAway(10_901);
    await address.clock.advance(24_000);
    expect(outcome).toEqual([21_903, 32_906]);
  });
});

describe('a look that was not for a slot is no loss', () => {
  it('when a waiter of another pace joined the line meanwhile', async () => {
    const address = await Address.taken();
    const limiter = address.process();
    const paced = address.ask(limiter, 'paced');
    await address.clock.advance(5_000);
    const burst = address.ask(limiter, 'burst');
    await address.clock.advance(6_000);
    expect([paced, burst]).toEqual([[10_905], []]);
  });

  it('when that happened during the look before', async () => {
    const address = await Address.taken();
    const limiter = address.process();
    address.slowDown(10);
    const paced = address.ask(limiter, 'paced');
    await address.clock.advance(5);
    address.ask(limiter, 'burst');
    await address.clock.advance(11_000);
    expect(paced).toEqual([10_905]);
  });

  it('when it was for those who came behind a waiter that was just served', async () => {
    const address = new Address();
    const limiter = address.process();
    address.slowDown(10);
    const first = address.ask(limiter, 'paced');
    await address.clock.advance(5);
    const second = address.ask(limiter, 'paced');
    await address.clock.advance(11_000);
    expect([first, second]).toEqual([[10], [10_905]]);
  });
});

describe('a waiter that joins the line', () => {
  it('behind others of the same pace costs no look at the log', async () => {
    const address = await Address.taken();
    const limiter = address.process();
    address.ask(limiter, 'paced');
    await address.clock.advance(1_000);
    const before = address.log.transactions;
    address.ask(limiter, 'paced', 'paced', 'paced');
    await address.clock.advance(1_000);
    expect(address.log.transactions).toBe(before);
  });

  it('as the first of a pace is seen at once, even where a look without him is under way', async () => {
    const address = new Address();
    // Paced, one slot every 0.6 s; a burst, fifty at once.
    const limiter = address.process({ limits: [{ requests: 100, perMs: 60_000 }] });
    address.slowDown(20);
    address.ask(limiter, 'paced', 'paced');
    await address.clock.advance(10);
    const burst = address.ask(limiter, 'burst');
    await address.clock.advance(100);
    expect(burst).toEqual([40]);
  });
});

describe('a timer that breaks', () => {
  it('fails for present waiters, and for none after', async () => {
    const address = await Address.taken();
    let broken = true;
    const { monotonic } = address.clock;
    const limiter = address.process({
      clock: {
        ...monotonic,
        sleep: async (ms, signal) => {
          if (broken) {
            broken = false;
            throw new Error('no timers left');
          }
          await monotonic.sleep(ms, signal);
        },
      },
    });
    const outcome = limiter.acquire({ pace: 'paced' }).catch((error: unknown) => error);
    expect(await address.clock.run(outcome)).toMatchObject({ message: 'no timers left' });
    const given = address.ask(limiter, 'paced');
    await address.clock.advance(12_000);
    expect(given).toEqual([10_905]);
  });
});
