/**
 * The decision of the limiter: the earliest time of the next slot. Pure arithmetic over the log.
 *
 * Every rule about the rate is a rung: "at most `count` bookings in any span of `spanMs`". A further booking keeps it
 * when the count-th latest booking is already `spanMs` old, so a rung needs one look-up in the log and no other
 * state: processes that share the log agree, and a crash loses nothing.
 */
import type { RateLimit } from '../../ports/pacing.ts';

/** At most `count` bookings in any half-open span of `spanMs` milliseconds. */
export interface Rung {
  count: number;
  spanMs: number;
}

/** Monotonic time of the n-th latest booking (1 = latest), or null where there are fewer. */
type NthLatest = (n: number) => Promise<number | null>;

/** One rung beside what the log says of it. */
interface RungReading {
  rung: Rung;
  /** Time of the `rung.count`-th latest booking, or null where there are fewer. */
  nthLatest: number | null;
}

/** Earlier than any time of the clock: no rung restricts the booking. */
export const ANY_TIME = Number.NEGATIVE_INFINITY;

/**
 * The limits as rungs. The Service counts a request at any moment up to `guardMs` after its booking, so two requests
 * that it counts `per` apart may be booked `per + guard` apart: that is how long a slot stays taken.
 */
export function windowRungs(limits: readonly RateLimit[], guardMs: number): readonly Rung[] {
  return limits.map((limit) => ({ count: limit.requests, spanMs: limit.perMs + guardMs }));
}

/** The earliest monotonic time at which one more booking keeps every rung; `ANY_TIME` where nothing stands against it. */
export function earliestSlot(readings: readonly RungReading[]): number {
  const times = readings.map(({ rung, nthLatest }) => (nthLatest === null ? ANY_TIME : nthLatest + rung.spanMs));
  return Math.max(ANY_TIME, ...times);
}

/**
 * How many of a limit's slots are taken: bookings after `since`, counted up to the limit. The log answers only "when was
 * the n-th latest", which falls as n grows, so the count is found by bisection.
 */
export async function slotsTaken(limit: RateLimit, since: number, nthLatest: NthLatest): Promise<number> {
  let taken = 0;
  let beyond = limit.requests + 1;
  while (beyond - taken > 1) {
    const middle = Math.floor((taken + beyond) / 2);
    const at = await nthLatest(middle);
    if (at !== null && at > since) taken = middle;
    else beyond = middle;
  }
  return taken;
}
