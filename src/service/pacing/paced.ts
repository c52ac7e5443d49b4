/**
 * Even spacing, as further rungs over the same log (see windows.ts).
 *
 * Staying within the windows is enough for servers that count exactly. One that estimates (a sliding counter: the last
 * bucket's count, faded, plus this bucket's) also refuses a client that spends its windows in lumps, so nightly work is
 * spread evenly, at any scale from one slot to a whole window.
 */
import type { RateLimit } from '../../ports/pacing.ts';
import { type Rung, windowRungs } from './windows.ts';

/** Slots closer together than this go in groups: a timer and a commit for each of them would cost more than it helps. */
const GROUP_MS = 100;
/** Spans from here on are rounded up to whole milliseconds, shorter ones down: neither costs or gains a thousandth. */
const ROUND_UP_MS = 1_000;

/** How many slots of a limit may go at once. */
function groupOf({ requests, perMs }: RateLimit, guardMs: number): number {
  const inGroupTime = Math.ceil((GROUP_MS * requests) / (perMs + guardMs));
  return Math.min(inGroupTime, Math.ceil(requests / 10));
}

/**
 * Milliseconds between slots: the tightest limit's (per + guard) / (requests − group), the group being one slot but
 * for very high limits. With this spacing, a sliding counter with the worst position of buckets and the worst delays
 * estimates at most (per + guard) / interval + group requests, which is the limit. For a limit of one request, the
 * interval is so long that no bucket still counts the previous one.
 */
export function paceInterval(limits: readonly RateLimit[], guardMs: number): number {
  return Math.max(
    ...limits.map((limit) =>
      limit.requests === 1
        ? 2 * limit.perMs + guardMs
        : (limit.perMs + guardMs) / (limit.requests - groupOf(limit, guardMs)),
    ),
  );
}

/**
 * The rungs of an evenly spread booking: the windows, one slot per interval, and the same rate over 2, 4, 8, … slots
 * up to the longest window. Because of the long rungs, paced work pauses after a person's burst for as many intervals
 * as the burst took slots.
 */
export function pacedRungs(limits: readonly RateLimit[], guardMs: number): readonly Rung[] {
  if (limits.length === 0) return [];
  const interval = paceInterval(limits, guardMs);
  const most = Math.max(...limits.map((limit) => limit.requests));
  const rungs = [...windowRungs(limits, guardMs)];
  for (let count = Math.max(1, Math.floor(GROUP_MS / interval)); count <= most; count *= 2) {
    const span = count * interval;
    rungs.push({ count, spanMs: span < ROUND_UP_MS ? Math.floor(span) : Math.ceil(span) });
  }
  return rungs;
}

/**
 * Room for a person's burst: half of each limit over twice its window (and the windows themselves). All of a window
 * at once would suit a server that counts exactly; a sliding counter still remembers most of the last bucket when the
 * next begins, and sees nearly twice as many. It looks at two windows at most, so half over two windows is safe on it
 * too. Without room, a burst goes at the normal pace.
 */
export function burstRungs(limits: readonly RateLimit[], guardMs: number): readonly Rung[] {
  const halves = limits.map(({ requests, perMs }) => ({
    count: Math.max(1, Math.floor(requests / 2)),
    spanMs: 2 * perMs + guardMs,
  }));
  return [...windowRungs(limits, guardMs), ...halves];
}

/**
 * For `tieout plan`: the duration of so many paced requests from an idle start; null without limits, because the
 * Service then decides. Addresses share the requests evenly, each with its own limits: the one with the most requests
 * ends last.
 */
export function pacedDurationMs(
  requests: number,
  limits: readonly RateLimit[],
  guardMs: number,
  addresses = 1,
): number | null {
  if (limits.length === 0) return null;
  return Math.max(0, Math.ceil(requests / addresses) - 1) * paceInterval(limits, guardMs);
}
