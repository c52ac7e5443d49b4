import { type Rule, VERIFIED_AGAIN } from './rule.ts';
import { refused, refusedAnswer } from './unread.ts';

/** A 404 or 410 is an answer about this record, not a failure to get one. */
export const recordMissing: Rule = {
  code: 'RECORD_MISSING',
  severity: 'critical',
  title: 'The Service does not know a stored id',
  why: 'A purchase or sale that the application counts on cannot be proved to exist; there is no other way to find it again.',
  action:
    'Ask the Service for the record by its id and creation time; look in the application whether the user was served.',
  settledBy: VERIFIED_AGAIN,
  example: 'The Service answers 404 for this id; it was never verified before.',
  check: refused('RECORD_MISSING', (httpStatus) => {
    return `answers ${httpStatus === null ? 'that it does not know' : `${httpStatus} for`} this id`;
  }),
  working: refusedAnswer,
};
