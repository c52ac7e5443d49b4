/** How long a plan takes under the limits. Pure; `tieout plan` prints it and sends nothing. */
import type { RateLimit } from '../contract.ts';
import { paceInterval } from './paced.ts';

/** Time that so many paced requests take from an idle start; null without limits, as then the Service decides. */
export function pacedDurationMs(requests: number, limits: readonly RateLimit[], guardMs: number): number | null {
  if (limits.length === 0) return null;
  return Math.max(0, requests - 1) * paceInterval(limits, guardMs);
}
