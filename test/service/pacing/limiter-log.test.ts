/** What the limiter makes of its log: of bookings that it cannot compare, of slow commits, of old bookings. */
import { describe, expect, it } from 'vitest';
import type { BookingLog } from '../../../src/ports/pacing.ts';
import { ask, DEFAULTS, Machine, MINUTE, settled } from './machine.ts';

describe('a clock that cannot be compared', () => {
  it('after a new boot makes every waiter wait until the windows have drained', async () => {
    const machine = new Machine();
    await machine.log.withBookings('host', 'boot-1', async (bookings) => {
      for (let booked = 0; booked < 1000; booked++) await bookings.book(1_000 + booked * 906);
    });
    const given = ask(machine, machine.process({ clock: machine.rebooted() }), 'burst', 1);
    await machine.clock.advance(904_900);
    expect(given).toEqual([]);
    await machine.clock.advance(1_000);
    expect(given).toHaveLength(1);
  });

  it('is an error where two of them keep booking on one egress', async () => {
    const machine = new Machine();
    const here = machine.process();
    const there = machine.process({ clock: machine.rebooted('another machine') });
    const outcomes = [];
    for (let round = 0; round < 6; round++) {
      for (const limiter of [here, there]) outcomes.push(settled(limiter.acquire({ pace: 'paced' })));
      await machine.clock.advance(60_000);
    }
    await machine.clock.advance(60 * MINUTE);
    const errors = (await Promise.all(outcomes)).map(({ error }) => error?.name ?? null);
    expect(errors).toContain('EgressSharedError');
  });

  it.each([
    { turns: 4, outcome: null },
    { turns: 5, outcome: 'EgressSharedError' },
  ])('found in $turns turns running: $outcome', async ({ turns, outcome }) => {
    const machine = new Machine();
    let left = turns;
    const log: BookingLog = {
      withBookings: async (egress, domain, work) => {
        if (left-- > 0) await machine.log.withBookings(egress, 'another machine', (bookings) => bookings.book(1));
        return machine.log.withBookings(egress, domain, work);
      },
    };
    const { error } = await machine.clock.run(settled(machine.process({ log }).acquire({ pace: 'paced' })));
    expect(error?.name ?? null).toBe(outcome);
  });
});

describe('a slow disk', () => {
  it('wastes the slots that it was too slow for, and says so when that goes on', async () => {
    const machine = new Machine();
    machine.log.beforeCommit = () => machine.clock.monotonic.sleep(2_600);
    const { error } = await machine.clock.run(settled(machine.process().acquire({ pace: 'paced' })));
    expect(error).toMatchObject({ name: 'BookingTooSlowError' });
    expect(error?.message).toContain('service.guard');
    expect(machine.log.bookings('host')).toHaveLength(5);
  });

  it('that is slow once costs one slot', async () => {
    const machine = new Machine();
    let commits = 0;
    machine.log.beforeCommit = async () => {
      if (commits++ === 0) await machine.clock.monotonic.sleep(2_600);
    };
    const given = ask(machine, machine.process(), 'paced', 1);
    await machine.clock.advance(4_000);
    expect(given).toHaveLength(1);
    expect(machine.log.bookings('host')).toHaveLength(2);
  });

  it.each([
    { guardMs: 5_000, tookMs: 2_500, booked: 1 },
    { guardMs: 5_000, tookMs: 2_501, booked: 2 },
    // A machine may pause for a quarter of a second with any guard.
    { guardMs: 0, tookMs: 250, booked: 1 },
    { guardMs: 0, tookMs: 251, booked: 2 },
  ])('may take half of a guard of $guardMs ms: with $tookMs ms, one request books $booked', async (given) => {
    const machine = new Machine();
    machine.log.beforeCommit = async () => {
      machine.log.beforeCommit = null;
      await machine.clock.monotonic.sleep(given.tookMs);
    };
    await machine.clock.run(machine.process({ guardMs: given.guardMs }).acquire({ pace: 'paced' }));
    expect(machine.log.bookings('host')).toHaveLength(given.booked);
  });

  it('does not matter where nothing is booked: a turn that finds the circuit open may take its time', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    await limiter.report({ kind: 'limited', retryAfterMs: null });
    machine.log.beforeCommit = () => machine.clock.monotonic.sleep(2_600);
    const outcome = settled(limiter.acquire({ pace: 'paced' }));
    await machine.clock.advance(14 * MINUTE);
    machine.log.beforeCommit = null;
    expect((await machine.clock.run(outcome)).error).toBeNull();
    expect(machine.clock.elapsed).toBe(15 * MINUTE + 5);
  });

  it('does not matter without limits: the probe leaves however long its claim took', async () => {
    const machine = new Machine();
    const limiter = machine.process({ limits: [] });
    await limiter.report({ kind: 'limited', retryAfterMs: null });
    await machine.clock.advance(15 * MINUTE);
    machine.log.beforeCommit = () => machine.clock.monotonic.sleep(2_600);
    const given = ask(machine, limiter, 'paced', 1);
    // One look at the circuit, one claim.
    await machine.clock.advance(5_200);
    expect(given).toHaveLength(1);
  });
});

describe('old bookings', () => {
  it('are dropped once a minute at most', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    const drops: number[] = [];
    for (const wait of [0, 1_000, 58_999, 1, 59_999]) {
      await machine.clock.advance(wait);
      await machine.clock.run(limiter.acquire({ pace: 'burst' }));
      drops.push(machine.log.forgotten.length);
    }
    expect(drops).toEqual([1, 1, 1, 2, 2]);
  });

  it.each([
    { limits: DEFAULTS, quiet: 60 * MINUTE - 100, kept: 2, why: 'for an hour, for processes with other limits' },
    { limits: DEFAULTS, quiet: 60 * MINUTE, kept: 1, why: 'no longer than that' },
    // Half of a limit over two of its windows is what a burst looks back to.
    {
      limits: [{ requests: 4, perMs: 120 * MINUTE }],
      quiet: 240 * MINUTE,
      kept: 2,
      why: 'for as long as a limit asks',
    },
    { limits: [{ requests: 4, perMs: 120 * MINUTE }], quiet: 241 * MINUTE, kept: 1, why: 'no longer than that' },
  ])('are kept $why', async ({ limits, quiet, kept }) => {
    const machine = new Machine();
    const limiter = machine.process({ limits });
    await machine.clock.run(limiter.acquire({ pace: 'burst' }));
    await machine.clock.advance(quiet);
    await machine.clock.run(limiter.acquire({ pace: 'burst' }));
    expect(machine.log.bookings('host')).toHaveLength(kept);
  });
});
