/** A run that keeps what it learned and publishes nothing: verdicts and breaks count, the newest report set stays. */
import type { ReportSet } from '../ports/report-set.ts';

export function unpublished(): ReportSet {
  return {
    write: () => undefined,
    publish: async () => '',
    discard: async () => undefined,
  };
}
