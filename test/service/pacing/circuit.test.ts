import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CircuitRecord } from '../../../src/ports/pacing.ts';
import {
  type Answer,
  admission,
  afterAnswer,
  type CircuitPolicy,
  closedCircuit,
  inDomain,
  takeProbe,
} from '../../../src/service/pacing/circuit.ts';

const MINUTE = 60_000;
const POLICY: CircuitPolicy = { forbidden: true, refused: true, probeMs: 35_000 };

const answer = (kind: Answer['kind'], retryAfterMs: number | null = null): Answer => ({ kind, retryAfterMs });

/** The circuit after answers given one millisecond apart, from `now` on. */
function after(circuit: CircuitRecord, kinds: readonly Answer['kind'][], now: number, policy = POLICY): CircuitRecord {
  return kinds.reduce((state, kind, index) => afterAnswer(state, answer(kind), now + index, policy), circuit);
}

const CLOSED = closedCircuit('boot-1');
const OPENED = after(CLOSED, ['limited'], 0);

describe('a closed circuit', () => {
  it('opens at the first 429, for 15 minutes', () => {
    expect(OPENED).toMatchObject({ state: 'open', until: 15 * MINUTE, trips: 1 });
    expect(OPENED.reason).toContain('429');
  });

  it.each([
    { kinds: ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden'] as const, state: 'open' },
    { kinds: ['forbidden', 'refused', 'forbidden', 'refused', 'refused'] as const, state: 'open' },
    { kinds: ['refused', 'refused', 'refused', 'refused'] as const, state: 'closed' },
    { kinds: ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'ok', 'forbidden'] as const, state: 'closed' },
  ])('after $kinds is $state', ({ kinds, state }) => {
    expect(after(CLOSED, kinds, 0).state).toBe(state);
  });

  it('obeys a longer Retry-After, ignores a shorter one, and takes none for more than a day', () => {
    const until = (retryAfterMs: number) => afterAnswer(CLOSED, answer('limited', retryAfterMs), 0, POLICY).until;
    expect(until(40 * MINUTE)).toBe(40 * MINUTE);
    expect(until(MINUTE)).toBe(15 * MINUTE);
    expect(until(1e12)).toBe(24 * 60 * MINUTE);
  });

  it('is the same object where a success changes nothing', () => {
    expect(after(CLOSED, ['ok'], 0)).toBe(CLOSED);
  });

  it('does not count answers that its policy does not watch', () => {
    const only429 = { ...POLICY, forbidden: false, refused: false };
    const many = Array<'forbidden' | 'refused'>(20).fill('forbidden').fill('refused', 10);
    expect(after(CLOSED, many, 0, only429)).toBe(CLOSED);
    expect(after(CLOSED, ['limited'], 0, only429).state).toBe('open');
  });
});

describe('an open circuit', () => {
  it('admits no request before the silence is over, then one probe', () => {
    expect(admission(OPENED, 15 * MINUTE - 1)).toEqual({ type: 'shut', until: 15 * MINUTE });
    expect(admission(OPENED, 15 * MINUTE)).toEqual({ type: 'probe' });
    const claimed = takeProbe(OPENED, 15 * MINUTE, POLICY);
    expect(admission(claimed, 15 * MINUTE + 1)).toEqual({ type: 'shut', until: 15 * MINUTE + 35_000 });
  });

  it('starts its silence over with a late 429, as the same trip', () => {
    expect(after(OPENED, ['limited'], 2_000)).toMatchObject({ until: 15 * MINUTE + 2_000, trips: 1 });
  });

  it('is not opened for a shorter time by a late 429', () => {
    const asked = afterAnswer(CLOSED, answer('limited', 40 * MINUTE), 0, POLICY);
    expect(after(asked, ['limited'], 2_000)).toBe(asked);
    expect(after(OPENED, ['limited'], 0)).toBe(OPENED);
  });

  it('is not closed by an answer that was on its way, nor opened further by a 403', () => {
    expect(after(OPENED, ['ok', 'forbidden', 'refused'], 2_000)).toBe(OPENED);
  });

  it('offers the probe again where the claim ran out', () => {
    const claimed = takeProbe(OPENED, 15 * MINUTE, POLICY);
    expect(admission(claimed, 15 * MINUTE + 35_000)).toEqual({ type: 'probe' });
  });
});

describe('a probe', () => {
  const probing = takeProbe(OPENED, 15 * MINUTE, POLICY);
  const at = 15 * MINUTE + 300;

  it('closes the circuit when it succeeds', () => {
    const closed = after(probing, ['ok'], at);
    expect(closed).toMatchObject({ state: 'closed', closedAt: at, refusals: 0, reason: null });
    expect(admission(closed, at)).toEqual({ type: 'pass' });
  });

  it.each(['limited', 'forbidden', 'refused'] as const)('means 60 minutes of silence when it is %s', (kind) => {
    expect(after(probing, [kind], at)).toMatchObject({ state: 'open', until: at + 60 * MINUTE, trips: 2 });
  });

  it.each([
    { opened: 'limited', probe: 'limited', reason: 'the Service answered 429 (rate limit)' },
    { opened: 'limited', probe: 'forbidden', reason: 'the Service answered 429 (rate limit); a probe failed' },
    {
      opened: 'forbidden',
      probe: 'refused',
      reason: '5 requests in a row were answered 403 or refused, as a blocked address is; a probe failed',
    },
  ] as const)('that is $probe, after $opened, says so', ({ opened, probe, reason }) => {
    const shut = after(CLOSED, Array<Answer['kind']>(opened === 'limited' ? 1 : 5).fill(opened), 0);
    expect(after(takeProbe(shut, at, POLICY), [probe], at).reason).toBe(reason);
  });

  it('that is answered with an unwatched 403 was answered', () => {
    const unwatched = { ...POLICY, forbidden: false, refused: false };
    expect(after(probing, ['forbidden'], at, unwatched).state).toBe('closed');
    expect(after(probing, ['refused'], at, unwatched)).toBe(probing);
  });

  it('that succeeded is forgotten after an hour: the next opening is a first one', () => {
    const closed = after(probing, ['ok'], at);
    expect(after(closed, ['limited'], at + 59 * MINUTE)).toMatchObject({ trips: 2, until: at + 119 * MINUTE });
    expect(after(closed, ['limited'], at + 60 * MINUTE)).toMatchObject({ trips: 1, until: at + 75 * MINUTE });
  });
});

describe('after a new boot', () => {
  it('a silence starts over, and a claimed probe is waited for once more', () => {
    expect(inDomain(OPENED, 'boot-2', 7, POLICY)).toMatchObject({ domain: 'boot-2', until: 7 + 15 * MINUTE, trips: 1 });
    const claimed = takeProbe(OPENED, 15 * MINUTE, POLICY);
    expect(inDomain(claimed, 'boot-2', 7, POLICY)).toMatchObject({ state: 'probing', until: 7 + 35_000 });
  });

  it('a circuit that had closed counts as closed just now', () => {
    const closed: CircuitRecord = { ...CLOSED, trips: 1, closedAt: 99 * MINUTE };
    expect(inDomain(closed, 'boot-2', 7, POLICY).closedAt).toBe(7);
    expect(inDomain(CLOSED, 'boot-2', 7, POLICY).closedAt).toBeNull();
  });
});

/** An event, and its delay. */
const event = fc.record({
  wait: fc.integer({ min: 0, max: 40 * MINUTE }),
  what: fc.constantFrom<Answer['kind'] | 'acquire'>('ok', 'forbidden', 'refused', 'limited', 'acquire', 'acquire'),
});

describe('in any sequence of answers and attempts', () => {
  it('silence is kept, lasts at least 15 minutes, and is 60 where it repeats within the hour', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        let circuit = closedCircuit('boot-1');
        let now = 0;
        let inARow = 0;
        let openedAt: number | null = null;
        let closedAt = Number.NEGATIVE_INFINITY;
        for (const { wait, what } of events) {
          now += wait;
          const before = circuit;
          if (what === 'acquire') {
            const answered = admission(circuit, now).type;
            if (before.state === 'open' && openedAt !== null && now < openedAt + 15 * MINUTE) {
              expect(answered).toBe('shut');
            }
            if (answered === 'probe') circuit = takeProbe(circuit, now, POLICY);
            continue;
          }
          circuit = afterAnswer(circuit, answer(what), now, POLICY);
          inARow = what === 'ok' ? 0 : inARow + 1;
          if (before.state !== 'open' && circuit.state === 'open') {
            if (before.state === 'closed') expect(what === 'limited' || inARow >= 5).toBe(true);
            const repeats = before.state === 'probing' || now - closedAt < 60 * MINUTE;
            expect(circuit.until - now).toBe((repeats ? 60 : 15) * MINUTE);
            openedAt = now;
            inARow = 0;
          }
          if (before.state !== 'closed' && circuit.state === 'closed') {
            expect(before.state).toBe('probing');
            expect(what).toBe('ok');
            closedAt = now;
            inARow = 0;
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
