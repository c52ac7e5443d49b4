import type { Rule } from './rule.ts';
import { NOTHING_FOUND } from './verified.ts';
import { asClause } from './wording/clause.ts';

/** Speaks of what the application gave us, so it needs no answer from the Service and holds whatever the outcome. */
export const trackingConflict: Rule = {
  code: 'TRACKING_CONFLICT',
  severity: 'high',
  title: 'One id came in with different tokens or kinds',
  why: 'Only one of the two can be right: the application has mixed up records, and the first one stored is the one looked at.',
  check({ tracked, recordId }) {
    if (tracked.conflict === null) return NOTHING_FOUND;
    return [
      {
        field: 'tracking',
        expected: null,
        actual: null,
        explanation: `The application gave ${recordId} more than once, and not the same way (the first one is used): ${asClause(tracked.conflict)}.`,
      },
    ];
  },
};
