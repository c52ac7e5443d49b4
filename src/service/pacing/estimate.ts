/** How long a plan takes under the limits. Pure; `tieout plan` prints it and sends nothing. */
import type { RateLimit } from '../../ports/pacing.ts';
import { paceInterval } from './paced.ts';

/**
 * Time that so many paced requests take from an idle start; null without limits, as then the Service decides. Addresses
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
