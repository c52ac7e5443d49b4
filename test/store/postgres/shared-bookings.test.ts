/** The log of bookings under several machines: each with a monotonic clock of its own, and one server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BookingLog, BookingTransaction, CircuitRecord, MonotonicClock } from '../../../src/ports/pacing.ts';
import { createLimiter } from '../../../src/service/pacing/limiter.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { openEngine, openStore } from '../../../src/store/open.ts';
import { sharedBookingLog } from '../../../src/store/shared-bookings.ts';
import { EMPTY_ALL_TABLES, makeDatabase, makeEmptiable, onServer, type TestDatabase } from './database.ts';
import { isSwitchedOff } from './server.ts';

/** A machine: its clock runs like every other one, but counts from its own boot, and can be moved. */
class Machine implements MonotonicClock {
  readonly domain: string;
  base: number;

  constructor(domain: string, base: number) {
    this.domain = domain;
    this.base = base;
  }

  now(): number {
    return performance.now() + this.base;
  }

  async sleep(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

const HOUR = 3_600_000;

describe.skipIf(isSwitchedOff())('bookings of several machines', () => {
  let database: TestDatabase;
  let engine: Engine;
  let north: Machine;
  let south: Machine;

  beforeAll(async () => {
    database = await makeDatabase();
    await (await openStore({ url: database.url, sealer: null })).store.close();
    engine = await openEngine(database.url, { create: false });
    await makeEmptiable(database.url);
  });
  beforeEach(async () => {
    await onServer(database.url, EMPTY_ALL_TABLES);
    north = new Machine('boot north', 1_000);
    south = new Machine('boot south', 90 * 24 * HOUR);
  });
  afterAll(async () => {
    await engine.close();
    await database[Symbol.asyncDispose]();
  });

  /** One process: what it remembers of the clock is its own. */
  const processOn = (machine: Machine): BookingLog => {
    if (engine.clock === null) throw new Error('the server has a clock');
    return sharedBookingLog(engine, engine.clock, machine);
  };
  const using = <T>(log: BookingLog, machine: Machine, work: (bookings: BookingTransaction) => Promise<T>) =>
    log.withBookings('office', machine.domain, work);
  /** Ages of the latest bookings in milliseconds, as a machine sees them, the latest first. */
  const ages = (log: BookingLog, machine: Machine, count: number) =>
    using(log, machine, async (bookings) => {
      const found: number[] = [];
      for (let n = 1; n <= count; n++) {
        const at = await bookings.nthLatest(n);
        if (at !== null) found.push(machine.now() - at);
      }
      return found;
    });
  const book = (log: BookingLog, machine: Machine, ago: number) =>
    using(log, machine, (bookings) => bookings.book(machine.now() - ago));

  it('have the same age on all machines, with any clocks', async () => {
    const [here, there] = [processOn(north), processOn(south)];
    await ages(here, north, 1);
    await ages(there, south, 1);
    await book(here, north, 20_000);
    await book(there, south, 10_000);
    for (const [log, machine] of [
      [here, north],
      [there, south],
    ] as const) {
      const [late = 0, early = 0, none] = await ages(log, machine, 3);
      expect(none).toBeUndefined();
      // Younger by the uncertainty, older by the duration of this test; never by an offset of the clocks.
      expect(Math.abs(late - 10_000)).toBeLessThan(5_000);
      expect(Math.abs(early - 20_000)).toBeLessThan(5_000);
    }
  });

  it('are never older on another machine than they are, in either direction', async () => {
    const [here, there] = [processOn(north), processOn(south)];
    await ages(here, north, 1);
    await ages(there, south, 1);
    const [early, late] = [north.now() - 20_000, south.now() - 10_000];
    const apart = south.base - north.base;
    await using(here, north, (bookings) => bookings.book(early));
    expect(await using(there, south, (bookings) => bookings.nthLatest(1))).toBeGreaterThan(early + apart);
    await using(there, south, (bookings) => bookings.book(late));
    expect(await using(here, north, (bookings) => bookings.nthLatest(1))).toBeGreaterThan(late - apart);
  });

  it('are kept by the next process of the same boot', async () => {
    const first = processOn(north);
    await ages(first, north, 1);
    await book(first, north, 30_000);
    const [age = 0] = await ages(processOn(north), north, 1);
    expect(age).toBeGreaterThan(29_000);
  });

  it('of this process are known exactly, also after one that was given up', async () => {
    const log = processOn(north);
    await ages(log, north, 1);
    const [first, second] = [north.now() - 30_000, north.now() - 10_000];
    const bookAt = (at: number) => using(log, north, (bookings) => bookings.book(at));
    await bookAt(first);
    const givenUp = using(log, north, async (bookings) => {
      await bookings.book(north.now() - 20_000);
      throw new Error('changed its mind');
    });
    await expect(givenUp).rejects.toThrow('changed its mind');
    await bookAt(second);
    expect(await using(log, north, (bookings) => bookings.nthLatest(1))).toBe(second);
    expect(await using(log, north, (bookings) => bookings.nthLatest(2))).toBe(first);
  });

  it('that count as made just now are reported with their number', async () => {
    const first = processOn(north);
    await ages(first, north, 1);
    await book(first, north, 30_000);
    await book(first, north, 20_000);
    const adopt = (log: BookingLog) => using(log, south, (bookings) => bookings.adoptForeign(south.now()));
    const next = processOn(south);
    expect(await adopt(next)).toBe(2);
    expect(await adopt(next)).toBe(0);
  });

  it('count as made just now for a boot that the log has not seen, and for every later one', async () => {
    const first = processOn(north);
    await ages(first, north, 1);
    await book(first, north, 30_000);
    expect((await ages(processOn(south), south, 1))[0]).toBeLessThan(5_000);
    expect((await ages(first, north, 1))[0]).toBeLessThan(5_000);
  });

  it.each([
    ['forward', -HOUR],
    ['back', HOUR],
  ])('count as made just now where the clock of the server has gone %s by an hour', async (_direction, moved) => {
    const log = processOn(north);
    await ages(log, north, 1);
    await book(log, north, 30_000);
    // Seen from here, a server that jumps ahead is a clock of ours that falls behind.
    north.base += moved;
    expect((await ages(log, north, 1))[0]).toBeLessThan(5_000);
    await book(log, north, 50_000);
    expect((await ages(log, north, 2))[1]).toBeGreaterThan(49_000);
  });

  it('count as made just now where it was moved while no process was alive', async () => {
    const before = processOn(north);
    await ages(before, north, 1);
    await book(before, north, 30_000);
    north.base -= HOUR;
    expect((await ages(processOn(north), north, 1))[0]).toBeLessThan(5_000);
  });

  it('count as made just now where the server was started again', async () => {
    const log = processOn(north);
    await ages(log, north, 1);
    await book(log, north, 30_000);
    await onServer(database.url, `update bookings set domain = 'server started 1' where egress = 'office'`);
    expect(await ages(log, north, 1)).toEqual([]);
    expect(await using(log, north, (bookings) => bookings.adoptForeign(north.now()))).toBe(1);
    expect((await ages(log, north, 1))[0]).toBeLessThan(5_000);
  });

  it('are made safe by the next one where the first one failed', async () => {
    const first = processOn(north);
    await ages(first, north, 1);
    await book(first, north, 30_000);
    const late = processOn(south);
    const failing = using(late, south, async () => {
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect((await ages(late, south, 1))[0]).toBeLessThan(5_000);
  });

  it('share one circuit, with its times in the clock of the machine that reads it', async () => {
    const [here, there] = [processOn(north), processOn(south)];
    await ages(here, north, 1);
    await ages(there, south, 1);
    const open: CircuitRecord = {
      state: 'open',
      until: north.now() + 900_000,
      trips: 1,
      refusals: 5,
      closedAt: null,
      reason: 'five refusals in a row',
      domain: north.domain,
    };
    await using(here, north, (bookings) => bookings.saveCircuit(open));
    const seen = await using(there, south, (bookings) => bookings.circuit());
    expect(seen).toMatchObject({ state: 'open', trips: 1, refusals: 5, reason: open.reason, domain: 'boot south' });
    expect(Math.abs((seen?.until ?? 0) - south.now() - 900_000)).toBeLessThan(5_000);
    // A clock that was moved has no times that count: the limiter's own rule for another boot takes over.
    south.base += HOUR;
    expect((await using(there, south, (bookings) => bookings.circuit()))?.domain).toBe('unknown');
  });

  it('never exceed the limit together, and neither machine starves', async () => {
    const limits = [{ requests: 10, perMs: 500 }];
    // By the one clock of this process: the promise is about slots, however late a busy machine uses them.
    const slots: number[] = [];
    let early = 0;
    await Promise.all(
      [north, south].map(async (machine) => {
        const log = processOn(machine);
        let latest = 0;
        const watched: BookingLog = {
          withBookings: async (egress, domain, work) => {
            let booked: number[] = [];
            const result = await log.withBookings(egress, domain, (bookings) => {
              // A transaction that waited too long begins again.
              booked = [];
              return work({
                ...bookings,
                book: (at) => {
                  booked.push(at - machine.base);
                  return bookings.book(at);
                },
              });
            });
            slots.push(...booked);
            latest = booked.at(-1) ?? latest;
            return result;
          },
        };
        const limiter = createLimiter({
          limits,
          guardMs: 0,
          egress: 'office',
          log: watched,
          clock: machine,
          wall: () => 0,
        });
        for (let n = 0; n < 25; n++) {
          await limiter.acquire({ pace: 'burst' });
          if (performance.now() < latest - 1) early++;
        }
      }),
    );
    slots.sort((a, b) => a - b);
    // A slot that a busy machine cannot use in time stays booked, and another is taken.
    expect(slots.length).toBeGreaterThanOrEqual(50);
    expect(early).toBe(0);
    for (const [index, at] of slots.entries()) {
      const tenBefore = slots[index - 10];
      if (tenBefore !== undefined) expect(at - tenBefore).toBeGreaterThan(499.9);
    }
  });
});
