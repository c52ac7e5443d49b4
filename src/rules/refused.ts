/** Records that the Service refuses to show: the answer is about this record, and not a failure to get one. */
import type { UnreachableReason } from '../domain/case.ts';
import { NOTHING_FOUND, type Rule, type RuleInput, VERIFIED_AGAIN } from './rule.ts';
import { lastVerified, lastVerifiedLines, requestLines } from './unread.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

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

/**
 * The check of RECORD_MISSING and ACCESS_DENIED.
 * @param say what the Service does with this record, by the HTTP status of its answer
 */
function refused(reason: UnreachableReason, say: (httpStatus: number | null) => string): Rule['check'] {
  return ({ observation, history }) => {
    if (observation.outcome === 'verified') return NOTHING_FOUND;
    if (observation.outcome !== 'unreachable' || observation.reason !== reason) return 'not-applicable';
    const { httpStatus } = observation;
    const actual = httpStatus === null ? null : String(httpStatus);
    const explanation = `The Service ${say(httpStatus)}; ${lastVerified(history)}.`;
    return [{ field: 'http_status', expected: '200', actual, explanation }];
  };
}

/** RECORD_MISSING and ACCESS_DENIED: an answer that is about this record. */
function refusedAnswer(input: RuleInput): Workings | null {
  const { observation } = input;
  if (observation.outcome !== 'unreachable') return null;
  const { httpStatus, errorCode, at } = observation;
  const status = httpStatus === null ? 'no HTTP status' : `HTTP ${httpStatus}`;
  return wordsOnly([
    ...requestLines(input, at),
    fact('expected', 'HTTP 200 with the record'),
    fact('answered', errorCode === null ? status : `${status}, code ${errorCode}`),
    ...lastVerifiedLines(input),
    plainOutcome(`${status} is an answer about this record`, true),
  ]);
}
