/** How long a plan takes under the limits. Pure; `tieout plan` prints it and sends nothing. */
import type { RateLimit } from '../service/contract.ts';

/** Milliseconds between two paced requests: the tightest limit, guard included. 0 without limits. */
export function pacedIntervalMs(limits: readonly RateLimit[], guardMs: number): number {
  return Math.max(0, ...limits.map(({ requests, perMs }) => (perMs + guardMs) / requests));
}

/** Time that so many paced requests take from an idle start; null without limits, as then the Service decides. */
export function pacedDurationMs(requests: number, limits: readonly RateLimit[], guardMs: number): number | null {
  if (limits.length === 0) return null;
  return Math.max(0, requests - 1) * pacedIntervalMs(limits, guardMs);
}

/** How many requests fit into a duration at the paced rate; null without limits. */
export function pacedRequestsWithin(durationMs: number, limits: readonly RateLimit[], guardMs: number): number | null {
  if (limits.length === 0) return null;
  return Math.floor(durationMs / pacedIntervalMs(limits, guardMs)) + 1;
}
