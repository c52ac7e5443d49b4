import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MODELS, type ModelName } from '../../../bench/pacing/servers.ts';
import type { Pace, RateLimit } from '../../../src/ports/pacing.ts';
import { burstRungs, pacedRungs, paceInterval } from '../../../src/service/pacing/paced.ts';
import { earliestSlot, type Rung } from '../../../src/service/pacing/windows.ts';

const DEFAULTS: readonly RateLimit[] = [
  { requests: 100, perMs: 60_000 },
  { requests: 1000, perMs: 900_000 },
];

describe('the interval', () => {
  it('is that of the tightest long-window rate, guard included', () => {
    // 905 s over 999 slots; the minute's own rate would be 657 ms.
    expect(paceInterval(DEFAULTS, 5_000)).toBeCloseTo(905.906, 3);
  });

  it('uses at least 99 % of the default allowance', () => {
    expect(900_000 / paceInterval(DEFAULTS, 5_000) / 1000).toBeGreaterThan(0.993);
  });

  it('leaves two windows between single requests', () => {
    expect(paceInterval([{ requests: 1, perMs: 10_000 }], 1_000)).toBe(21_000);
  });
});

describe('slots closer than a tenth of a second', () => {
  it.each([
    // 16 of 10,000 fall into a tenth of a second: 65 s over the other 9,984.
    { requests: 10_000, perMs: 60_000, guardMs: 5_000, interval: 6.51042 },
    // Four of 20 would, but no more than a tenth of the limit goes at once: half a second over 18.
    { requests: 20, perMs: 500, guardMs: 0, interval: 27.77778 },
  ])('go in groups, and the rest is spread: $requests per $perMs ms', ({ requests, perMs, guardMs, interval }) => {
    expect(paceInterval([{ requests, perMs }], guardMs)).toBeCloseTo(interval, 4);
  });
});

describe('the rungs of paced work', () => {
  it('hold one slot per interval at every scale, besides the windows', () => {
    expect(pacedRungs([{ requests: 5, perMs: 10_000 }], 0)).toEqual([
      { count: 5, spanMs: 10_000 },
      { count: 1, spanMs: 2_500 },
      { count: 2, spanMs: 5_000 },
      { count: 4, spanMs: 10_000 },
    ]);
  });

  it('reach up to the limit with the most requests', () => {
    const counts = pacedRungs(DEFAULTS, 5_000).map(({ count }) => count);
    expect(counts).toEqual([100, 1000, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
  });

  it('take slots closer than a tenth of a second in groups', () => {
    // 10,000 per minute: 6.5 ms apart, so 15 to a group.
    const rungs = pacedRungs([{ requests: 10_000, perMs: 60_000 }], 5_000);
    expect(rungs[1]).toEqual({ count: 15, spanMs: 97 });
  });

  it('are none without limits', () => {
    expect(pacedRungs([], 5_000)).toEqual([]);
    expect(burstRungs([], 5_000)).toEqual([]);
  });
});

/** One spell of demand in the life of an address. */
interface Spell {
  pace: Pace;
  /** Quiet time before it, in windows; null: it begins around the server's next bucket. */
  quiet: number | null;
  /** As a share of the limit. */
  demand: number;
  /** How long its requests are waited for, in windows. */
  patience: number;
}

const spell: fc.Arbitrary<Spell> = fc.record({
  pace: fc.constantFrom<Pace>('paced', 'burst'),
  quiet: fc.option(fc.double({ min: 0, max: 2.5, noNaN: true }), { nil: null }),
  demand: fc.double({ min: 0.01, max: 1.6, noNaN: true }),
  patience: fc.double({ min: 0.1, max: 2, noNaN: true }),
});

function earliestOf(sets: readonly (readonly Rung[])[], bookings: readonly number[]): number {
  return Math.min(
    ...sets.map((set) => earliestSlot(set.map((rung) => ({ rung, nthLatest: bookings.at(-rung.count) ?? null })))),
  );
}

/** When the requests of these spells leave, under the rungs of their pace. */
function bookingsOf(spells: readonly Spell[], limit: RateLimit, guardMs: number, offset: number): number[] {
  const spread = pacedRungs([limit], guardMs);
  const sets = { paced: [spread], burst: [burstRungs([limit], guardMs), spread] };
  const { perMs, requests } = limit;
  const bookings: number[] = [];
  let now = 0;
  for (const { pace, quiet, demand, patience } of spells) {
    const boundary = (Math.floor((now + offset) / perMs) + 1) * perMs - offset;
    now = quiet === null ? Math.max(now, boundary - guardMs / 2) : now + quiet * perMs;
    const until = now + patience * perMs;
    for (let left = Math.ceil(demand * requests); left > 0; left--) {
      const at = Math.ceil(Math.max(now, earliestOf(sets[pace], bookings)));
      if (at > until) break;
      bookings.push(at);
      now = at;
    }
  }
  return bookings;
}

/** Deliveries that do the most harm: into the bucket that is just about to begin, or else by chance. */
function harmful(
  bookings: readonly number[],
  perMs: number,
  guardMs: number,
  offset: number,
  chances: readonly number[],
) {
  return bookings
    .map((at, index) => {
      const toBoundary = perMs - ((at + offset) % perMs);
      const chance = chances[index % chances.length] ?? 0;
      return at + (toBoundary <= guardMs && chance < 0.8 ? toBoundary : chance * guardMs);
    })
    .sort((a, b) => a - b);
}

describe('any mixture of paced work and bursts keeps within', () => {
  it.each<ModelName>(['fixed window', 'sliding log', 'sliding counter', 'token bucket'])('a %s', (model) => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 3, 5, 10, 20, 100, 300),
        fc.constantFrom(0, 1_000, 5_000),
        fc.array(spell, { minLength: 1, maxLength: 14 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 9 }),
        (requests, guardMs, spells, shift, chances) => {
          const limit = { requests, perMs: 60_000 };
          const offset = shift * limit.perMs;
          const bookings = bookingsOf(spells, limit, guardMs, offset);
          const server = MODELS[model](limit, offset);
          const refused = harmful(bookings, limit.perMs, guardMs, offset, chances).filter((at) => !server.receive(at));
          expect(refused).toEqual([]);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('which a whole window taken at once would not, on a sliding counter', () => {
    const server = MODELS['sliding counter']({ requests: 100, perMs: 60_000 }, 0);
    const twice = [...Array<number>(100).fill(1_000), ...Array<number>(100).fill(66_000)];
    expect(twice.filter((at) => !server.receive(at))).toHaveLength(90);
  });
});
