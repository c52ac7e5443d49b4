import { NOTHING_FOUND, type Rule, VERIFIED_AGAIN } from './rule.ts';
import { lastVerified, refusedAnswer } from './unread.ts';

/** The token is refused for this record only; when most are refused, the run stops instead of blaming the records. */
export const accessDenied: Rule = {
  code: 'ACCESS_DENIED',
  severity: 'high',
  title: 'The stored view token is refused for this record',
  why: 'Without its token a record can never be read again; the token was stored wrongly, or the Service has changed it.',
  action: 'Look for the view token in the created event of this record and import the id again with it.',
  settledBy: VERIFIED_AGAIN,
  example: 'The Service refuses the stored view token of this record with 403; it was never verified before.',
  note: 'If nearly all records are refused, it is not about them: the run stops instead.',
  check({ observation, history }) {
    if (observation.outcome === 'verified') return NOTHING_FOUND;
    if (observation.outcome !== 'unreachable' || observation.reason !== 'ACCESS_DENIED') return 'not-applicable';
    const answer = observation.httpStatus === null ? '' : ` with ${observation.httpStatus}`;
    return [
      {
        field: 'http_status',
        expected: '200',
        actual: observation.httpStatus === null ? null : String(observation.httpStatus),
        explanation: `The Service refuses the stored view token of this record${answer}; ${lastVerified(history)}.`,
      },
    ];
  },
  working: refusedAnswer,
};
