/** Rules on what came back when the record was asked for, and on what the application gave us. */
import { type Instant, isoInstant, showInstant } from '../../domain/record.ts';
import type { RuleInput } from '../../rules/rule.ts';
import { verifiedState } from '../../rules/verified.ts';
import { fact, plainOutcome, type Worker, type WorkingLine, wordsOnly } from './lines.ts';

/** RECORD_MISSING and ACCESS_DENIED: an answer that is about this record. */
export const refusedAnswer: Worker = (input) => {
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
};

export const recordIdMismatch: Worker = (input) => {
  const { observation } = input;
  if (observation.outcome !== 'quarantined') return null;
  const found = observation.drift.find(({ field }) => field === 'id')?.found ?? 'another id';
  return wordsOnly([
    ...askedFor(input, observation.at),
    fact('the body is of', found),
    ...lastSeen(input),
    plainOutcome(`${input.recordId} ≠ ${found}`, found !== input.recordId),
  ]);
};

export const schemaDrift: Worker = (input) => {
  const { observation } = input;
  if (observation.outcome !== 'quarantined') return null;
  const drifted = observation.drift.flatMap(({ field, problem, expected, found, hint }): WorkingLine[] => [
    fact(
      field,
      `${problem === 'missing' ? 'missing' : found}; expected ${expected}${hint === null ? '' : ` (${hint})`}`,
    ),
  ]);
  return wordsOnly([
    ...askedFor(input, observation.at),
    fact('why it was set aside', observation.detail),
    ...drifted,
    ...lastSeen(input),
    plainOutcome('a body that cannot be read cannot be judged', true),
  ]);
};

export const trackingConflict: Worker = ({ tracked, recordId }) =>
  tracked.conflict === null
    ? null
    : wordsOnly([
        fact('id', recordId),
        fact('what came in', tracked.conflict),
        fact('the one in use', 'the first; the others are kept beside it, sealed'),
        plainOutcome('one id, more than one claim', true),
      ]);

export const releasedWithoutTx: Worker = (input) => {
  const state = verifiedState(input);
  if (state === null) return null;
  const hash = state.finalTxHash;
  return wordsOnly([
    fact('status', state.status ?? 'none'),
    fact('last changed', state.updatedAt === null ? 'not known' : showInstant(state.updatedAt)),
    fact('transaction hash', hash === null || hash === '' ? 'none' : hash),
    plainOutcome('released, and nothing on the chain to show', hash === null || hash === ''),
  ]);
};

function askedFor({ kind, recordId }: RuleInput, at: Instant): WorkingLine[] {
  return [fact('asked for', `${kind} ${recordId}`), fact('at', isoInstant(at))];
}

function lastSeen({ history }: RuleInput): WorkingLine[] {
  const last = history.lastVerified;
  if (last === null) return [fact('last verified', 'never')];
  return [fact('last verified', `${showInstant(last.at)}${last.status === null ? '' : ` as ${last.status}`}`)];
}
