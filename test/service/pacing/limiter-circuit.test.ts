import { describe, expect, it } from 'vitest';
import type { BookingLog, Limiter } from '../../../src/ports/pacing.ts';
import { CircuitOpenError } from '../../../src/ports/service-errors.ts';
import type { LimiterOptions } from '../../../src/service/pacing/limiter.ts';
import { Machine, MINUTE } from './machine.ts';

const CLAIM = 5_000 + 30_000;
const limits = [{ requests: 100, perMs: MINUTE }];

/** Processes over one log, and the requests that they sent. */
class Sending extends Machine {
  /** Which process sent, and when (elapsed ms). */
  readonly sent: { process: number; at: number }[] = [];

  override process(options: Partial<LimiterOptions> = {}): Limiter {
    return super.process({ limits, ...options });
  }

  /** Several requests of one process that wait for their slots. */
  send(limiter: Limiter, process: number, count: number): void {
    for (let asked = 0; asked < count; asked++) {
      void limiter.acquire({ pace: 'paced' }).then(() => this.sent.push({ process, at: this.clock.elapsed }));
    }
  }
}

const report = (
  limiter: Limiter,
  kind: 'ok' | 'forbidden' | 'refused' | 'limited',
  retryAfterMs: number | null = null,
) => limiter.report({ kind, retryAfterMs });

describe('a 429', () => {
  it('silences every process for 15 minutes; then one of them sends one probe', async () => {
    const machine = new Sending();
    const processes = [0, 1, 2, 3].map(() => machine.process());
    await report(processes[0] ?? machine.process(), 'limited');
    processes.forEach((limiter, index) => {
      machine.send(limiter, index, 5);
    });
    await machine.clock.advance(15 * MINUTE - 1);
    expect(machine.sent).toEqual([]);
    await machine.clock.advance(CLAIM - 1_000);
    expect(machine.sent).toHaveLength(1);
  });

  it('is heard before a slot that was booked ahead, by a look that knew nothing of it', async () => {
    const machine = new Sending();
    const { clock, log } = machine;
    let busyMs = 300;
    const slow: BookingLog = {
      withBookings: async (egress, domain, work) => {
        if (busyMs > 0) await clock.monotonic.sleep(busyMs);
        return log.withBookings(egress, domain, work);
      },
    };
    const told: string[] = [];
    const limiter = machine.process({ log: slow, onCircuit: ({ type }) => told.push(type) });
    machine.send(limiter, 0, 2);
    await clock.advance(310);
    expect(machine.sent).toHaveLength(1);
    busyMs = 0;
    // The next slot is booked as early as the last look took.
    await clock.advance(500);
    expect(machine.sent).toHaveLength(1);
    await report(limiter, 'limited');
    await clock.advance(MINUTE);
    expect(machine.sent).toHaveLength(1);
    expect(told).toEqual(['opened', 'waiting']);
  });

  it('is over when the probe succeeds: all waiters go on', async () => {
    const machine = new Sending();
    const processes = [0, 1, 2, 3].map(() => machine.process());
    await report(processes[0] ?? machine.process(), 'limited');
    processes.forEach((limiter, index) => {
      machine.send(limiter, index, 5);
    });
    await machine.clock.advance(15 * MINUTE + 100);
    const prober = processes[machine.sent[0]?.process ?? -1];
    expect(prober).toBeDefined();
    if (prober !== undefined) await report(prober, 'ok');
    await machine.clock.advance(MINUTE);
    expect(machine.sent).toHaveLength(20);
    expect((await processes[3]?.state())?.circuit).toMatchObject({ open: false, until: null, reason: null });
  });

  it('is over at once for the process whose probe succeeded: it does not look for the result', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    machine.send(limiter, 0, 2);
    await machine.clock.advance(15 * MINUTE + 100);
    expect(machine.sent).toHaveLength(1);
    await report(limiter, 'ok');
    // One slot every 657 ms.
    await machine.clock.advance(1_000);
    expect(machine.sent).toHaveLength(2);
  });

  it('counts as a trip while the circuit is open, and until a success has lasted for an hour', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    const trips = async () => (await limiter.state()).circuit.trips;
    expect(await trips()).toBe(0);
    await report(limiter, 'limited');
    expect(await trips()).toBe(1);
    await machine.clock.advance(15 * MINUTE);
    machine.send(limiter, 0, 1);
    await machine.clock.advance(0);
    await report(limiter, 'ok');
    expect(await trips()).toBe(1);
    await machine.clock.advance(60 * MINUTE - 1);
    expect(await trips()).toBe(1);
    await machine.clock.advance(1);
    expect(await trips()).toBe(0);
  });

  it('is followed by an hour of silence when the probe fails', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    machine.send(limiter, 0, 5);
    await machine.clock.advance(15 * MINUTE + 100);
    await report(limiter, 'limited');
    await machine.clock.advance(59 * MINUTE);
    expect(machine.sent).toHaveLength(1);
    await machine.clock.advance(2 * MINUTE);
    // That probe is not reported on either, so its claim runs out and another follows.
    expect(machine.sent.length).toBeGreaterThanOrEqual(2);
  });

  it('with a longer Retry-After is obeyed', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited', 30 * MINUTE);
    machine.send(limiter, 0, 1);
    await machine.clock.advance(30 * MINUTE - 1);
    expect(machine.sent).toEqual([]);
    await machine.clock.advance(100);
    expect(machine.sent).toHaveLength(1);
  });
});

describe('a probe whose process died', () => {
  it('is taken over after guard and deadline, not before', async () => {
    const machine = new Sending();
    const dying = machine.process();
    await report(dying, 'limited');
    machine.send(dying, 0, 1);
    await machine.clock.advance(15 * MINUTE + 100);
    expect(machine.sent).toHaveLength(1);
    const other = machine.process();
    machine.send(other, 1, 1);
    await machine.clock.advance(CLAIM - 200);
    expect(machine.sent).toHaveLength(1);
    await machine.clock.advance(400);
    expect(machine.sent.map(({ process }) => process)).toEqual([0, 1]);
  });
});

describe('403s and refusals', () => {
  it('open the circuit five in a row, whichever process got them', async () => {
    const machine = new Sending();
    const [here, there] = [machine.process(), machine.process()];
    for (const [limiter, kind] of [
      [here, 'forbidden'],
      [there, 'refused'],
      [here, 'refused'],
      [there, 'forbidden'],
    ] as const) {
      await report(limiter, kind);
    }
    expect((await here.state()).circuit.open).toBe(false);
    await report(here, 'forbidden');
    const { circuit } = await there.state();
    expect(circuit.open).toBe(true);
    expect(circuit.reason).toContain('403 or refused');
  });

  it('start over with a success', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    for (const kind of ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'ok', 'forbidden'] as const) {
      await report(limiter, kind);
    }
    expect((await limiter.state()).circuit.open).toBe(false);
  });

  it('can be switched off, each on its own', async () => {
    const machine = new Sending();
    const limiter = machine.process({ circuit: { forbidden: false, refused: true } });
    for (let answers = 0; answers < 10; answers++) await report(limiter, 'forbidden');
    expect((await limiter.state()).circuit.open).toBe(false);
    for (let answers = 0; answers < 5; answers++) await report(limiter, 'refused');
    expect((await limiter.state()).circuit.open).toBe(true);
  });
});

describe('a success', () => {
  it('costs no look at the log while nothing is wrong', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await limiter.acquire({ pace: 'burst' });
    const before = machine.log.transactions;
    for (let answers = 0; answers < 100; answers++) await report(limiter, 'ok');
    expect(machine.log.transactions).toBe(before);
  });
});

describe('a request that may not wait', () => {
  const refused = async (machine: Sending, limiter: Limiter) => {
    const attempt = limiter.acquire({ pace: 'burst', mayWait: false }).catch((error: unknown) => error);
    return machine.clock.run(attempt);
  };

  it('gets an error with the end of the pause and its reason', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    const error = await refused(machine, limiter);
    expect(error).toBeInstanceOf(CircuitOpenError);
    // The clock starts at 04:15 UTC.
    expect(String(error)).toContain('2026-11-20 04:30 UTC');
    expect(String(error)).toContain('429');
  });

  it('gets the error at once, even behind callers that wait', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    machine.send(limiter, 0, 3);
    await machine.clock.advance(1_000);
    const attempt = limiter.acquire({ pace: 'paced', mayWait: false }).catch((error: unknown) => error);
    await machine.clock.advance(1);
    expect(await attempt).toBeInstanceOf(CircuitOpenError);
    expect(machine.sent).toEqual([]);
  });

  it('gets the error without a reason too: a record of the circuit need not have one', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    await machine.log.withBookings('host', machine.clock.monotonic.domain, async (bookings) => {
      const circuit = await bookings.circuit();
      if (circuit !== null) await bookings.saveCircuit({ ...circuit, reason: null });
    });
    expect(String(await refused(machine, limiter))).toContain('the Service refuses this address');
  });

  it('leaves no timer behind', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    await refused(machine, limiter);
    await machine.clock.advance(1);
    expect(machine.clock.sleeping).toBe(0);
  });

  it('waits for a slot all the same: only a silence is refused', async () => {
    const machine = new Sending();
    const limiter = machine.process({ limits: [{ requests: 1, perMs: 1_000 }] });
    await limiter.acquire({ pace: 'burst' });
    expect(await refused(machine, limiter)).toBeUndefined();
    expect(machine.log.bookings('host')).toHaveLength(2);
  });

  it('is the probe where the silence is over', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    await machine.clock.advance(15 * MINUTE);
    expect(await refused(machine, limiter)).toBeUndefined();
    expect(machine.log.circuit('host')?.state).toBe('probing');
  });

  it('gets a time of the present wall clock', async () => {
    const machine = new Sending();
    const limiter = machine.process();
    await report(limiter, 'limited');
    machine.clock.jumpWall(-60 * MINUTE);
    expect((await limiter.state()).circuit.until).toBe(Date.parse('2026-11-20T03:30:00Z'));
  });
});
