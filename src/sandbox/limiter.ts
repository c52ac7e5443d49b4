/**
 * The Service's own rate limiting (spec §8, field facts): true sliding windows per remote address. Going over a short
 * window is answered 429 until it frees; going over the longest one blocks the address for an hour. Rejected requests
 * count too, so hammering against a full window keeps it full.
 */
import type { SandboxInstant, SandboxRateLimit } from './contract.ts';

const BLOCK = 3_600_000;

export type SlidingLimiter = ReturnType<typeof createSlidingLimiter>;

/** Arrivals of one address, oldest first, and where each window begins in them. */
interface Arrivals {
  times: SandboxInstant[];
  heads: number[];
  blockedUntil: SandboxInstant;
}

export function createSlidingLimiter(limits: readonly SandboxRateLimit[]) {
  const addresses = new Map<string, Arrivals>();
  const maxSeen = limits.map(() => 0);
  const longest = Math.max(0, ...limits.map(({ perMs }) => perMs));
  let rejected = 0;
  let whileBlocked = 0;

  function arrivalsOf(address: string): Arrivals {
    let known = addresses.get(address);
    if (known === undefined) {
      known = { times: [], heads: limits.map(() => 0), blockedUntil: Number.NEGATIVE_INFINITY };
      addresses.set(address, known);
    }
    return known;
  }

  /** How many arrivals lie in (at − perMs, at]. */
  function inWindow(arrivals: Arrivals, limit: number, perMs: number, at: SandboxInstant): number {
    const { times, heads } = arrivals;
    let head = heads[limit] ?? 0;
    while (head < times.length && (times[head] ?? 0) <= at - perMs) head++;
    heads[limit] = head;
    return times.length - head;
  }

  function restart(arrivals: Arrivals): void {
    arrivals.times = [];
    arrivals.heads = limits.map(() => 0);
  }

  return {
    /** Counts a request that arrived at `at`; false means 429. */
    admit(address: string, at: SandboxInstant): boolean {
      if (limits.length === 0) return true;
      const arrivals = arrivalsOf(address);
      if (at < arrivals.blockedUntil) {
        rejected++;
        whileBlocked++;
        return false;
      }
      arrivals.times.push(at);
      let over = false;
      limits.forEach(({ requests, perMs }, i) => {
        const seen = inWindow(arrivals, i, perMs, at);
        maxSeen[i] = Math.max(maxSeen[i] ?? 0, seen);
        if (seen <= requests) return;
        over = true;
        if (perMs === longest) arrivals.blockedUntil = at + BLOCK;
      });
      if (over) rejected++;
      if (at < arrivals.blockedUntil) restart(arrivals);
      else dropOld(arrivals);
      return !over;
    },
    limits: () => limits.map((limit, i) => ({ ...limit, maxSeen: maxSeen[i] ?? 0 })),
    rejected: () => rejected,
    whileBlocked: () => whileBlocked,
    /** Forgets all windows and blocks, not the counters: for a clock that was set back. */
    forget: () => addresses.clear(),
  };
}

/** Arrivals before every window are cut off now and then, not one by one. */
function dropOld(arrivals: Arrivals): void {
  const spare = Math.min(...arrivals.heads);
  if (spare < 4096) return;
  arrivals.times = arrivals.times.slice(spare);
  arrivals.heads = arrivals.heads.map((head) => head - spare);
}
