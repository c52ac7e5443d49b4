import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_TIME, earliestSlot, type Rung, slotsTaken, windowRungs } from '../../../src/service/pacing/windows.ts';

/** A log as the limiter sees it, over bookings given oldest first. */
const latestOf = (bookings: readonly number[]) => async (n: number) => bookings.at(-n) ?? null;

/** The state of each window for a log with these bookings, oldest first. */
const readRungs = (rungs: readonly Rung[], bookings: readonly number[]) =>
  rungs.map((rung) => ({ rung, nthLatest: bookings.at(-rung.count) ?? null }));

/** Most bookings in any half-open span, counted the slow way. */
function mostWithin(bookings: readonly number[], spanMs: number): number {
  const counts = bookings.map((from) => bookings.filter((at) => at >= from && at < from + spanMs).length);
  return Math.max(0, ...counts);
}

describe('a slot frees at booking + per + guard', () => {
  const rungs = windowRungs([{ requests: 2, perMs: 60_000 }], 5_000);
  const earliest = async (bookings: readonly number[]) => earliestSlot(readRungs(rungs, bookings));

  it.each([
    { bookings: [], at: ANY_TIME, why: 'nothing was booked' },
    { bookings: [1_000], at: ANY_TIME, why: 'one slot is free' },
    { bookings: [1_000, 2_000], at: 66_000, why: 'the older of two frees first' },
    { bookings: [1_000, 2_000, 3_000], at: 67_000, why: 'only the last two count' },
  ])('$why: $at', async ({ bookings, at }) => {
    expect(await earliest(bookings)).toBe(at);
  });

  it('keeps all limits at once: the one that frees last decides', async () => {
    const both = windowRungs(
      [
        { requests: 1, perMs: 1_000 },
        { requests: 2, perMs: 60_000 },
      ],
      0,
    );
    expect(earliestSlot(readRungs(both, [100, 200]))).toBe(60_100);
    expect(earliestSlot(readRungs(both, [200]))).toBe(1_200);
  });
});

describe('with any demand', () => {
  const limits = fc.array(
    fc.record({ requests: fc.integer({ min: 1, max: 8 }), perMs: fc.integer({ min: 1, max: 500 }) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  );

  it('no span of per + guard holds more than the limit, and no slot is later than it must be', async () => {
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.integer({ min: 0, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 40 }),
        async (wanted, guardMs, pauses) => {
          const rungs = windowRungs(wanted, guardMs);
          const bookings: number[] = [];
          let now = 0;
          for (const pause of pauses) {
            now += pause;
            const earliest = earliestSlot(readRungs(rungs, bookings));
            const at = Math.max(now, earliest);
            if (at > now) {
              const tooEarly = [...bookings, at - 1];
              const broken = wanted.some(({ requests, perMs }) => mostWithin(tooEarly, perMs + guardMs) > requests);
              expect(broken).toBe(true);
            }
            bookings.push(at);
            now = at;
          }
          for (const { requests, perMs } of wanted) {
            expect(mostWithin(bookings, perMs + guardMs)).toBeLessThanOrEqual(requests);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('counts taken slots as a plain count does, up to the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 60 }),
        fc.integer({ min: -1, max: 100 }),
        fc.integer({ min: 1, max: 50 }),
        async (times, since, requests) => {
          const bookings = times.sort((a, b) => a - b);
          const taken = await slotsTaken({ requests, perMs: 1 }, since, latestOf(bookings));
          expect(taken).toBe(Math.min(requests, bookings.filter((at) => at > since).length));
        },
      ),
    );
  });
});
