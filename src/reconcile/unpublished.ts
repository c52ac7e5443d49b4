/** A run that keeps what it learned and publishes nothing: verdicts and breaks count, the newest report set stays. */
import type { ReportSet } from './report-set.contract.ts';

export function unpublished(): ReportSet {
  return {
    write: () => undefined,
    publish: async () => '',
    discard: async () => undefined,
  };
}
