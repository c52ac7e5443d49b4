/** What the rules on records that could not be read have in common: the request, the answer, and the last verified state. */
import type { History } from '../domain/case.ts';
import { type Instant, isoInstant, showInstant } from '../domain/record.ts';
import type { RuleInput } from './rule.ts';
import { showDay } from './wording.ts';
import { fact, plainOutcome, type WorkingLine, type Workings, wordsOnly } from './working.ts';

/** `it was last verified on 2026-11-02 as RELEASED`, or that it never was. */
export function lastVerified(history: History): string {
  const last = history.lastVerified;
  if (last === null) return 'it was never verified before';
  return `it was last verified on ${showDay(last.at)}${last.status === null ? '' : ` as ${last.status}`}`;
}

/** RECORD_MISSING and ACCESS_DENIED: an answer that is about this record. */
export function refusedAnswer(input: RuleInput): Workings | null {
  const { observation } = input;
  if (observation.outcome !== 'unreachable') return null;
  const { httpStatus, errorCode, at } = observation;
  const status = httpStatus === null ? 'no HTTP status' : `HTTP ${httpStatus}`;
  return wordsOnly([
    ...askedFor(input, at),
    fact('expected', 'HTTP 200 with the record'),
    fact('answered', errorCode === null ? status : `${status}, code ${errorCode}`),
    ...lastSeen(input),
    plainOutcome(`${status} is an answer about this record`, true),
  ]);
}

export function askedFor({ kind, recordId }: RuleInput, at: Instant): WorkingLine[] {
  return [fact('asked for', `${kind} ${recordId}`), fact('at', isoInstant(at))];
}

export function lastSeen({ history }: RuleInput): WorkingLine[] {
  const last = history.lastVerified;
  if (last === null) return [fact('last verified', 'never')];
  return [fact('last verified', `${showInstant(last.at)}${last.status === null ? '' : ` as ${last.status}`}`)];
}
