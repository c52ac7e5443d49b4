import { describe, expect, it } from 'vitest';
import { ask, DEFAULTS, Machine, MINUTE, settled } from './machine.ts';

describe('paced work', () => {
  it('is spread evenly: one slot every 905.9 ms', async () => {
    const machine = new Machine();
    const given = ask(machine, machine.process(), 'paced', 67);
    await machine.clock.advance(MINUTE);
    expect(given).toHaveLength(67);
    const gaps = given.slice(1).map((at, index) => at - (given[index] ?? 0));
    // The first slot is dated a tenth of a second back; a slot is looked for 5 ms after it is free.
    expect(Math.min(...gaps.slice(1))).toBeGreaterThan(890);
    expect(Math.max(...gaps)).toBeLessThan(920);
  });

  it('asks the log once per slot and sleeps in between', async () => {
    const machine = new Machine();
    const given = ask(machine, machine.process(), 'paced', 200);
    await machine.clock.advance(2 * MINUTE);
    expect(machine.log.transactions).toBeLessThanOrEqual(given.length + 1);
  });

  it('is committed to the log before the request may leave', async () => {
    const machine = new Machine();
    let atCommit = -1;
    const given = ask(machine, machine.process(), 'paced', 1);
    machine.log.beforeCommit = async () => {
      atCommit = given.length;
    };
    await machine.clock.advance(1);
    expect(atCommit).toBe(0);
    expect(given).toHaveLength(1);
    expect(machine.log.bookings('host')).toHaveLength(1);
  });

  it('goes on where a crashed process left off', async () => {
    const machine = new Machine();
    ask(machine, machine.process(), 'paced', 1);
    await machine.clock.advance(10);
    const second = ask(machine, machine.process(), 'paced', 1);
    await machine.clock.advance(700);
    expect(second).toEqual([]);
    await machine.clock.advance(300);
    expect(second).toHaveLength(1);
  });

  it('lets every process have its share', async () => {
    const machine = new Machine();
    const shares = [1, 2, 3, 4].map(() => ask(machine, machine.process(), 'paced', 2_000));
    await machine.clock.advance(15 * MINUTE);
    const counts = shares.map((given) => given.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(993);
    expect(Math.min(...counts)).toBeGreaterThan(220);
  });

  it('books several slots in one transaction under a high limit', async () => {
    const machine = new Machine();
    const given = ask(machine, machine.process({ limits: [{ requests: 10_000, perMs: MINUTE }] }), 'paced', 12_000);
    await machine.clock.advance(MINUTE);
    // 10,000 per 65 s, and a little less for spreading.
    expect(given.length).toBeGreaterThan(9_100);
    expect(given.length).toBeLessThanOrEqual(10_000);
    expect(machine.log.transactions).toBeLessThan(given.length / 4);
  });
});

describe('a burst', () => {
  it('takes half a window at once where the address was quiet, and is paced after that', async () => {
    const machine = new Machine();
    const given = ask(machine, machine.process(), 'burst', 60);
    await machine.clock.advance(10);
    expect(given).toHaveLength(50);
    await machine.clock.advance(2 * MINUTE);
    expect(given).toHaveLength(60);
  });

  it('is paid back: paced work pauses for as long as the slots would have taken', async () => {
    const machine = new Machine();
    ask(machine, machine.process(), 'burst', 32);
    await machine.clock.advance(10);
    const night = ask(machine, machine.process(), 'paced', 5);
    await machine.clock.advance(28_000);
    expect(night).toEqual([]);
    await machine.clock.advance(2_000);
    expect(night.length).toBeGreaterThan(0);
  });

  it('overtakes paced work of its own process that cannot go yet', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    const paced = ask(machine, limiter, 'paced', 20);
    await machine.clock.advance(100);
    const burst = ask(machine, limiter, 'burst', 3);
    await machine.clock.advance(1);
    expect(paced).toHaveLength(1);
    expect(burst).toHaveLength(3);
  });
});

describe('a waiter', () => {
  it('longest goes first where both paced work and a burst could go', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    ask(machine, limiter, 'burst', 50);
    await machine.clock.advance(10);
    const order: string[] = [];
    for (const pace of ['paced', 'burst'] as const) void limiter.acquire({ pace }).then(() => order.push(pace));
    await machine.clock.advance(2 * MINUTE);
    expect(order).toEqual(['paced', 'burst']);
  });

  it('is served first come, first served', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    const order: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) void limiter.acquire({ pace: 'paced' }).then(() => order.push(name));
    await machine.clock.advance(5_000);
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('may give up: an AbortError for one, the next in line moves up', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    ask(machine, limiter, 'paced', 1);
    const patience = new AbortController();
    const first = settled(limiter.acquire({ pace: 'paced', signal: patience.signal }));
    const second = ask(machine, limiter, 'paced', 1);
    await machine.clock.advance(100);
    patience.abort(new Error('the run is over'));
    expect((await first).error).toMatchObject({ name: 'AbortError' });
    await machine.clock.advance(900);
    expect(second).toHaveLength(1);
  });

  it('leaves nothing behind: when the last one gives up, no timer runs and nothing is booked', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    ask(machine, limiter, 'paced', 1);
    const patience = new AbortController();
    const waiting = settled(limiter.acquire({ pace: 'paced', signal: patience.signal }));
    await machine.clock.advance(100);
    patience.abort();
    await waiting;
    await machine.clock.advance(1);
    expect(machine.clock.sleeping).toBe(0);
    await machine.clock.advance(5_000);
    expect(machine.clock.sleeping).toBe(0);
    expect(machine.log.bookings('host')).toHaveLength(1);
  });

  it('is turned away at once by a signal that has aborted already, limits or not', async () => {
    const machine = new Machine();
    const signal = AbortSignal.abort(new Error('too late'));
    for (const limits of [DEFAULTS, []]) {
      const { error } = await settled(machine.process({ limits }).acquire({ pace: 'burst', signal }));
      expect(error).toMatchObject({ name: 'AbortError' });
    }
    expect(machine.log.bookings('host')).toEqual([]);
  });

  it('gets the error of a broken log, and the next request tries again', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    machine.log.beforeCommit = async () => {
      throw new Error('disk full');
    };
    const broken = await settled(limiter.acquire({ pace: 'paced' }));
    expect(broken.error).toMatchObject({ message: 'disk full' });
    machine.log.beforeCommit = null;
    const given = ask(machine, limiter, 'paced', 1);
    await machine.clock.advance(10);
    expect(given).toHaveLength(1);
  });
});

describe('the state', () => {
  it('counts a slot as taken until window and guard are over', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    const used = async () => (await limiter.state()).windows.map((window) => window.used);
    await limiter.acquire({ pace: 'burst' });
    await machine.clock.advance(64_999);
    expect(await used()).toEqual([1, 1]);
    await machine.clock.advance(1);
    expect(await used()).toEqual([0, 1]);
  });

  it('counts the slots of another boot as taken now; without limits it leaves them alone', async () => {
    for (const { limits, used, adoptions } of [
      { limits: DEFAULTS, used: [7, 7], adoptions: 1 },
      { limits: [], used: [], adoptions: 0 },
    ]) {
      const machine = new Machine();
      await machine.log.withBookings('host', 'boot-0', async (bookings) => {
        for (let booked = 0; booked < 7; booked++) await bookings.book(booked);
      });
      const { windows } = await machine.process({ limits }).state();
      expect(windows.map((window) => window.used)).toEqual(used);
      expect(machine.log.adoptions).toBe(adoptions);
    }
  });

  it('counts the used slots of each window', async () => {
    const machine = new Machine();
    const limiter = machine.process();
    ask(machine, limiter, 'burst', 40);
    await machine.clock.advance(70_000);
    ask(machine, limiter, 'burst', 3);
    await machine.clock.advance(1);
    expect(await machine.clock.run(limiter.state())).toEqual({
      circuit: { open: false, until: null, trips: 0, reason: null },
      windows: [
        { requests: 100, perMs: MINUTE, used: 3 },
        { requests: 1000, perMs: 15 * MINUTE, used: 43 },
      ],
      otherEgresses: [],
    });
  });
});

describe('without limits', () => {
  it('a slot costs no look at the log, but for one every five seconds', async () => {
    const machine = new Machine();
    const limiter = machine.process({ limits: [] });
    for (let asked = 0; asked < 10_000; asked++) await limiter.acquire({ pace: 'paced' });
    await limiter.report({ kind: 'ok', retryAfterMs: null });
    expect(machine.log.transactions).toBe(1);
    await machine.clock.advance(5_000);
    await limiter.acquire({ pace: 'paced' });
    expect(machine.log.transactions).toBe(2);
    expect(machine.log.bookings('host')).toEqual([]);
  });

  it('a 429 that another process got is known within five seconds', async () => {
    const machine = new Machine();
    const limiter = machine.process({ limits: [] });
    await limiter.acquire({ pace: 'paced' });
    await machine.process({ limits: [] }).report({ kind: 'limited', retryAfterMs: null });
    await machine.clock.advance(5_000);
    const given = ask(machine, limiter, 'paced', 1);
    await machine.clock.advance(14 * MINUTE);
    expect(given).toEqual([]);
    await machine.clock.advance(MINUTE);
    expect(given).toHaveLength(1);
  });

  it('403s and refusals open nothing', async () => {
    const machine = new Machine();
    const limiter = machine.process({ limits: [] });
    for (let answers = 0; answers < 20; answers++) {
      await limiter.report({ kind: answers % 2 === 0 ? 'forbidden' : 'refused', retryAfterMs: null });
    }
    expect((await limiter.state()).circuit.open).toBe(false);
  });
});
