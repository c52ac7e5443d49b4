import type { Rule } from './rule.ts';
import { NOTHING_FOUND } from './verified.ts';
import { lastVerified } from './wording/last-verified.ts';

/** The body that came back belongs to another record: nothing in it may be believed of this one. */
export const recordIdMismatch: Rule = {
  code: 'RECORD_ID_MISMATCH',
  severity: 'critical',
  title: "The body is another record's",
  why: "One user's figures are shown under another's id: a mix-up in the application's storage or a leak in the Service.",
  check({ observation, history, recordId }) {
    if (observation.outcome === 'verified') return NOTHING_FOUND;
    if (observation.outcome !== 'quarantined' || observation.reason !== 'RECORD_ID_MISMATCH') return 'not-applicable';
    const found = observation.drift.find((drift) => drift.field === 'id')?.found ?? null;
    return [
      {
        field: 'id',
        expected: recordId,
        actual: found,
        explanation:
          `Asked for ${recordId}, the Service answered with ${found === null ? "another record's body" : `the body of ${found}`}, ` +
          `so nothing in it was used; ${lastVerified(history)}.`,
      },
    ];
  },
};
