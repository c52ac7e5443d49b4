/** What the rules on records that could not be read have in common: the request, the answer, and the last verified state. */
import { assetIdentifier } from '../domain/asset.ts';
import type { History, UnreachableReason } from '../domain/case.ts';
import { showMoney } from '../domain/currency.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import { type Instant, isoInstant, showInstant } from '../domain/record.ts';
import { NOTHING_FOUND, type Rule, type RuleInput } from './rule.ts';
import { showDay, showFigure } from './wording.ts';
import { fact, plainOutcome, type WorkingLine, type Workings, wordsOnly } from './working.ts';

/** `it was last verified on 2026-11-02 as RELEASED`, or that it never was. */
export function lastVerified(history: History): string {
  const last = history.lastVerified;
  if (last === null) return 'it was never verified before';
  return `it was last verified on ${showDay(last.at)}${last.status === null ? '' : ` as ${last.status}`}`;
}

/**
 * The check of RECORD_MISSING and ACCESS_DENIED.
 * @param say what the Service does with this record, by the HTTP status of its answer
 */
export function refused(reason: UnreachableReason, say: (httpStatus: number | null) => string): Rule['check'] {
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
export function refusedAnswer(input: RuleInput): Workings | null {
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

export function requestLines({ kind, recordId }: RuleInput, at: Instant): WorkingLine[] {
  return [fact('asked for', `${kind} ${recordId}`), fact('at', isoInstant(at))];
}

export function lastVerifiedLines({ history }: RuleInput): WorkingLine[] {
  const last = history.lastVerified;
  if (last === null) return [fact('last verified', 'never')];
  return [
    fact('last verified', `${showInstant(last.at)}${last.status === null ? '' : ` as ${last.status}`}`),
    ...earlierBody(history),
  ];
}

/** What the record was about, by the body of its end or else by the first one. */
function earlierBody({ first, firstTerminal }: History): WorkingLine[] {
  const body = firstTerminal ?? first;
  if (body === null) return [];
  const { state, evidence } = body;
  const tokens = `${showFigure(tokensOf(state))} ${assetIdentifier(state.asset)}`;
  const fiat = showMoney(state.fiatValue, state.fiatCurrency);
  return [
    fact('amounts then', `${fiat} for ${tokens} (${showInstant(evidence.receivedAt)}, SHA-256 ${evidence.sha256})`),
  ];
}
