/**
 * Spacing, expressed as further rungs over the same log (see windows.ts).
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
 * Milliseconds between slots: the tightest limit's (per + guard) / (requests − group), the group being one slot but for
 * very high limits. Spread like that, a sliding counter whose buckets lie as badly as they can, with every delivery as
 * late or as prompt as hurts most, still estimates at most (per + guard) / interval + group requests, which is the
 * limit. A single request has nothing to spread: it waits until no bucket remembers the one before.
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
 * What an evenly spread booking must keep: the windows, one slot per interval, and the same rate over 2, 4, 8, … slots
 * up to the longest window. The long rungs make paced work pay back what a person's burst took before: it pauses for as
 * many intervals as slots were taken.
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
 * Room for a person's burst: half of each limit over twice its window (and the windows themselves). All of a window at
 * once would suit a server that counts exactly; a sliding counter still remembers most of the last bucket when the next
 * begins, and sees nearly twice as many. However its buckets lie, it looks at no more than two windows, so half over two
 * is safe on it too. Where there is no room, a burst goes at the pace of everything else.
 */
export function burstRungs(limits: readonly RateLimit[], guardMs: number): readonly Rung[] {
  const halves = limits.map(({ requests, perMs }) => ({
    count: Math.max(1, Math.floor(requests / 2)),
    spanMs: 2 * perMs + guardMs,
  }));
  return [...windowRungs(limits, guardMs), ...halves];
}

/**
 * For `tieout plan`: time that so many paced requests take from an idle start; null without limits, as then the Service decides. Addresses
 * share the requests evenly, and each has the limits to itself: the one with the most is the last.
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
