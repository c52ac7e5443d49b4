import { describe, expect, it } from 'vitest';
import type { CircuitRecord, Pace } from '../../../src/ports/pacing.ts';
import { type Turn, type TurnRules, takeTurn } from '../../../src/service/pacing/burst-turn.ts';
import { closedCircuit } from '../../../src/service/pacing/circuit.ts';
import { WatchedLog } from './watched-log.ts';

const MINUTE = 60_000;
/** Paced: one slot per second. A burst: two at once, where nothing was sent for ten seconds. */
const RULES: TurnRules = {
  domain: 'boot-1',
  rungs: { paced: [[{ count: 1, spanMs: 1_000 }]], burst: [[{ count: 2, spanMs: 10_000 }]] },
  policy: { forbidden: true, refused: true, probeMs: 35_000 },
  keepMs: MINUTE,
};
const WITHOUT_LIMITS: TurnRules = { ...RULES, rungs: { paced: [[]], burst: [[], []] } };

const OPEN: CircuitRecord = {
  state: 'open',
  until: 15 * MINUTE,
  trips: 1,
  refusals: 0,
  closedAt: null,
  reason: '429',
  domain: 'boot-1',
};
const PROBING: CircuitRecord = { ...OPEN, state: 'probing', until: 15 * MINUTE + 35_000 };

/** A log with these bookings (one clock) and this circuit, as others left them. */
async function logWith(bookings: readonly number[], circuit: CircuitRecord | null, domain = 'boot-1') {
  const log = new WatchedLog();
  await log.withBookings('host', domain, async (transaction) => {
    for (const at of bookings) await transaction.book(at);
    if (circuit !== null) await transaction.saveCircuit(circuit);
  });
  log.saved.length = 0;
  return log;
}

function turn(
  log: WatchedLog,
  now: number,
  wishes: readonly (readonly [Pace, number])[],
  rules = RULES,
  forget = false,
): Promise<Turn> {
  return log.withBookings('host', rules.domain, (bookings) =>
    takeTurn(
      bookings,
      wishes.map(([pace, waiting]) => ({ pace, waiting })),
      now,
      rules,
      forget,
    ),
  );
}

describe('a turn', () => {
  it('books free slots, dated a tenth of a second back at most, and names the time of the next slot', async () => {
    const log = await logWith([], null);
    expect(await turn(log, 5_000, [['paced', 2]])).toEqual({
      at: 5_000,
      slots: { burst: 0, paced: 1 },
      freeAt: 5_000,
      wakeAt: 5_900,
      circuit: closedCircuit('boot-1'),
      shut: false,
      adopted: 0,
    });
    expect(log.bookings('host')).toEqual([4_900]);
  });

  it('books a slot ahead of its time where its commit takes as long, and says from when it may be used', async () => {
    const log = await logWith([5_000], null);
    const early = await log.withBookings('host', 'boot-1', (bookings) =>
      takeTurn(bookings, [{ pace: 'paced', waiting: 2 }], 5_850, RULES, false, 150),
    );
    expect([early.slots.paced, early.freeAt, early.wakeAt]).toEqual([1, 6_000, 7_000]);
    expect(log.bookings('host')).toEqual([5_000, 6_000]);
    const tooEarly = await log.withBookings('host', 'boot-1', (bookings) =>
      takeTurn(bookings, [{ pace: 'paced', waiting: 1 }], 6_849, RULES, false, 150),
    );
    expect([tooEarly.slots.paced, tooEarly.wakeAt]).toEqual([0, 7_000]);
  });

  it.each([
    { now: 5_999, paced: 0, wakeAt: 6_000 },
    { now: 6_000, paced: 1, wakeAt: null },
  ])('at $now books $paced slots where one is free from 6,000 on', async ({ now, paced, wakeAt }) => {
    const log = await logWith([5_000], null);
    expect(await turn(log, now, [['paced', 1]])).toMatchObject({ slots: { burst: 0, paced }, wakeAt });
  });

  it.each([
    { wishes: [['paced', 1] as const, ['burst', 1] as const] },
    { wishes: [['burst', 1] as const, ['paced', 1] as const] },
  ])('wakes for the waiter that may go first: $wishes', async ({ wishes }) => {
    // The paced one may go at 3,500, a burst at 10,000.
    const log = await logWith([0, 2_500], null);
    expect(await turn(log, 3_000, wishes)).toMatchObject({ slots: { burst: 0, paced: 0 }, wakeAt: 3_500 });
  });

  it('books fifty at most, and is followed by another at once', async () => {
    const log = await logWith([], null);
    const many = { ...RULES, rungs: { ...RULES.rungs, burst: [[{ count: 500, spanMs: 10_000 }]] } };
    expect(await turn(log, 5_000, [['burst', 60]], many)).toMatchObject({ slots: { burst: 50 }, wakeAt: 5_000 });
    expect(log.bookings('host')).toHaveLength(50);
  });

  it('writes no circuit where it found nothing to say about it', async () => {
    const log = await logWith([], closedCircuit('boot-1'));
    await turn(log, 5_000, [['paced', 1]]);
    expect(log.saved).toEqual([]);
  });

  it('drops bookings that no rung looks back to, on request', async () => {
    const log = await logWith([1_000, 39_999, 40_000], null);
    await turn(log, 100_000, [], RULES, false);
    expect(log.bookings('host')).toEqual([1_000, 39_999, 40_000]);
    await turn(log, 100_000, [], RULES, true);
    expect(log.bookings('host')).toEqual([40_000]);
  });

  it('without limits leaves the bookings alone: none is made, none dropped, none re-dated', async () => {
    const log = await logWith([1_000], null, 'boot-0');
    const taken = await turn(log, 100_000, [['paced', 3]], WITHOUT_LIMITS, true);
    expect(taken).toMatchObject({ slots: { paced: 3 }, wakeAt: null, adopted: 0 });
    expect(log.bookings('host')).toEqual([1_000]);
    expect([log.adoptions, log.forgotten]).toEqual([0, []]);
  });
});

describe('a turn at an open circuit', () => {
  it('books nothing before the silence is over, and continues when it is', async () => {
    const log = await logWith([], OPEN);
    expect(await turn(log, 1_000, [['paced', 3]])).toMatchObject({
      slots: { burst: 0, paced: 0 },
      wakeAt: 15 * MINUTE,
      shut: true,
    });
    expect([log.saved, log.bookings('host')]).toEqual([[], []]);
  });

  it('of another clock starts the silence over, and writes that down', async () => {
    const log = await logWith([], OPEN);
    const after = await turn(log, 1_000, [['paced', 3]], { ...RULES, domain: 'boot-2' });
    expect(after).toMatchObject({ wakeAt: 1_000 + 15 * MINUTE, shut: true });
    expect(log.saved).toMatchObject([{ state: 'open', until: 1_000 + 15 * MINUTE, domain: 'boot-2' }]);
  });

  it('claims the one probe after it; waiters behind it look for its result in five seconds', async () => {
    const log = await logWith([], OPEN);
    const now = 15 * MINUTE;
    const claimed = { ...OPEN, state: 'probing', until: now + 35_000 };
    expect(await turn(log, now, [['paced', 3]])).toMatchObject({
      slots: { burst: 0, paced: 1 },
      wakeAt: now + 5_000,
      circuit: claimed,
      shut: false,
    });
    expect(log.saved).toEqual([claimed]);
  });

  it.each([
    { name: 'sooner where the claim ends sooner', waiting: 2, probeMs: 3_000, wakeAt: 15 * MINUTE + 3_000 },
    { name: 'not at all where no waiter is behind it', waiting: 1, probeMs: 35_000, wakeAt: null },
  ])('looks again $name', async ({ waiting, probeMs, wakeAt }) => {
    const log = await logWith([], OPEN);
    const rules = { ...RULES, policy: { ...RULES.policy, probeMs } };
    expect((await turn(log, 15 * MINUTE, [['paced', waiting]], rules)).wakeAt).toBe(wakeAt);
  });

  it('claims no probe where no slot is free for it', async () => {
    const now = 15 * MINUTE;
    const log = await logWith([now - 400], OPEN);
    expect(await turn(log, now, [['paced', 2]])).toMatchObject({
      slots: { burst: 0, paced: 0 },
      wakeAt: now + 600,
      circuit: OPEN,
    });
    expect(log.saved).toEqual([]);
  });

  it.each([
    { now: 15 * MINUTE + 1_000, wakeAt: 15 * MINUTE + 6_000 },
    { now: 15 * MINUTE + 33_000, wakeAt: 15 * MINUTE + 35_000 },
  ])("at $now looks for another's probe at $wakeAt", async ({ now, wakeAt }) => {
    const log = await logWith([], PROBING);
    expect(await turn(log, now, [['paced', 1]])).toMatchObject({ slots: { paced: 0 }, wakeAt, shut: true });
  });
});
