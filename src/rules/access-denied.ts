import { type Rule, VERIFIED_AGAIN } from './rule.ts';
import { refused, refusedAnswer } from './unread.ts';

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
  check: refused('ACCESS_DENIED', (httpStatus) => {
    const answer = httpStatus === null ? '' : ` with ${httpStatus}`;
    return `refuses the stored view token of this record${answer}`;
  }),
  working: refusedAnswer,
};
