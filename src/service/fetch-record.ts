/** Asks for one record. Every row of the HTTP policy becomes an outcome here. */

import type { QuarantineReason, UnreachableReason } from '../domain/case.ts';
import { type Instant, isRecordId, isViewToken, recordIdOf } from '../domain/record.ts';
import type { Drift } from '../domain/snapshot.ts';
import type { FetchOutcome, FetchResult, ReceivedBody, RecordRef, ServiceClient } from '../ports/service.ts';
import type { ExchangeError } from '../ports/service-errors.ts';
import { KnownSecrets } from '../text/secret-forms.ts';
import { type Answer, errorCodeOf } from './answer.ts';
import type { Ask } from './ask.ts';
import { driftInWords } from './drift.ts';
import { BodyTooLargeError, DeadlineError } from './errors.ts';
import { CUT, receivedBody, withoutEchoes } from './evidence.ts';
import { type ExactJson, isExactObject } from './exact-json.ts';
import type { KnownTokens } from './known-tokens.ts';
import { normalisePurchase, normaliseSale } from './normalise-record.ts';
import type { Urls } from './urls.ts';
import { EchoedSecret, isWireNumber, numberText } from './wire/exact-number.ts';
import { baseFeeField, suggestedName } from './wire/identifier-name.ts';

export interface FetchEdges {
  ask: Ask;
  urls: Urls;
  now: () => Instant;
  /** The maker's name in identifiers on the wire. */
  identifierName: string;
  /** Tokens of other records. */
  others: KnownTokens;
}

/**
 * Asks for one record. Nothing that the Service answers is thrown.
 * @throws TlsError, and what the limiter throws while waiting.
 */
export async function fetchRecord(
  edges: FetchEdges,
  ref: RecordRef,
  options: Parameters<ServiceClient['fetchRecord']>[1],
): Promise<FetchResult> {
  if (!isRecordId(ref.id) || !isViewToken(ref.token))
    return { ...unreachable('NOT_SENT', null, null), attempts: 0, at: edges.now() };
  edges.others.add(ref.token);
  const path = edges.urls.record(ref.kind, ref.id, ref.token);
  const asked = await edges.ask({ method: 'GET', path }, options);
  const at = edges.now();
  const outcome = asked.type === 'failure' ? failureOutcome(asked.failure) : answerOutcome(asked.answer, ref, edges);
  return { ...outcome, attempts: asked.attempts, at };
}

function failureOutcome(failure: ExchangeError): FetchOutcome {
  if (failure instanceof BodyTooLargeError) return quarantined('BODY_TOO_LARGE', failure.message, null, null);
  return unreachable(failure instanceof DeadlineError ? 'TIMEOUT' : 'NETWORK', null, failure.code);
}

function answerOutcome(answer: Answer, ref: RecordRef, edges: FetchEdges): FetchOutcome {
  const { status, content } = answer;
  const secretsIn = (text: string) => [ref.token, ...edges.others.foundIn(text, ref.token)];
  const code = status >= 400 ? errorCodeOf(content, 'text' in content ? secretsIn(content.text) : []) : null;
  if (status >= 500) return unreachable('SERVER_ERROR', status, code);
  if (status >= 400) return rejection(answer, code);
  if (status >= 300) return quarantined('REDIRECTED', 'The answer is a redirect, which is not followed.', status, null);
  switch (content.type) {
    case 'json':
    case 'unreadable': {
      const known = () => new KnownSecrets(secretsIn(content.text));
      const areAbsent = (text: string) => edges.others.areAbsent(text, ref.token);
      const { body, isEchoed } = receivedBody(answer.bytes, content.text, ref.token, { known, areAbsent });
      if (content.type === 'unreadable') return quarantined('UNREADABLE_BODY', content.detail, status, body);
      const value = isEchoed ? withoutEchoes(content.value, known()) : content.value;
      putIdBack(value, ref, idIn(content.value) === ref.id);
      return bodyOutcome(status, value, body, ref, edges.identifierName);
    }
    case 'truncated':
      return unreachable('NETWORK', status, null);
    case 'foreign':
      return unreachable('NOT_JSON', status, null);
    default:
      return content satisfies never;
  }
}

/** 4xx. Only the Service itself can say that a record is missing or a token wrong; a proxy's page is no answer. */
function rejection({ status, content }: Answer, code: string | null): FetchOutcome {
  switch (status) {
    case 401:
    case 403:
      return unreachable(content.type === 'foreign' && content.isPage ? 'NOT_JSON' : 'ACCESS_DENIED', status, code);
    case 404:
    case 410:
      if (content.type !== 'json' || !isExactObject(content.value)) return unreachable('NOT_JSON', status, null);
      // The framework does not know the path: the base URL is wrong, not the record.
      return unreachable(code?.startsWith('CANNOT_') ? 'CLIENT_ERROR' : 'RECORD_MISSING', status, code);
    case 429:
      return unreachable('CLIENT_ERROR', status, code ?? 'RATE_LIMITED');
    default:
      return unreachable('CLIENT_ERROR', status, code);
  }
}

/** 2xx with JSON. A body of another record is reported as that, even where it has other faults. */
function bodyOutcome(
  status: number,
  value: ExactJson,
  body: ReceivedBody,
  ref: RecordRef,
  identifierName: string,
): Extract<FetchOutcome, { outcome: 'verified' | 'quarantined' }> {
  const otherId = idOfAnother(value, ref.id);
  if (otherId !== null) {
    const drift: Drift = { field: 'id', problem: 'value', found: otherId, expected: ref.id, hint: null };
    return quarantined('RECORD_ID_MISMATCH', `The body is record ${otherId}, not ${ref.id}.`, status, body, [drift]);
  }
  const normalise = ref.kind === 'purchase' ? normalisePurchase : normaliseSale;
  const state = normalise(value, identifierName);
  if (state.ok) {
    const token = hasOtherToken(value, ref.token) ? { hasOtherToken: true as const } : {};
    // A UUID may be answered in capitals: the record keeps the id that it was asked by.
    return { outcome: 'verified', state: { ...state.value, recordId: ref.id, ...token }, body, httpStatus: status };
  }
  const other = otherNameIn(value, state.drift, identifierName);
  return quarantined('SCHEMA_DRIFT', driftDetail(state.drift), status, body, state.drift, other);
}

/** What a kept body says, whose tokens were cut out of it: as it was read when it was received. */
export function readKeptBody(
  value: ExactJson,
  ref: Pick<RecordRef, 'kind' | 'id'>,
  identifierName: string,
): Extract<FetchOutcome, { outcome: 'verified' | 'quarantined' }> {
  const id = idIn(value);
  putIdBack(value, ref, typeof id === 'string' && id.includes(CUT));
  return bodyOutcome(200, value, { sha256: '', evidence: '' }, { ...ref, token: CUT }, identifierName);
}

const idIn = (value: ExactJson) => (isExactObject(value) ? value.id : undefined);

/** Where the id contains the token, cutting the token out changed the id: it is the one that was asked for. */
function putIdBack(value: ExactJson, { id }: Pick<RecordRef, 'id'>, isOwn: boolean): void {
  if (isOwn && isExactObject(value)) value.id = id;
}

/** The maker's name that the body itself has, where the field of the configured name is missing; null otherwise. */
function otherNameIn(value: ExactJson, drift: readonly Drift[], identifierName: string): string | null {
  const ours = baseFeeField(identifierName);
  if (!isExactObject(value) || !drift.some(({ field, problem }) => field === ours && problem === 'missing'))
    return null;
  return suggestedName(value);
}

/** A body without a token, or with an empty one, names no other. */
function hasOtherToken(value: ExactJson, asked: string): boolean {
  if (!isExactObject(value)) return false;
  return ['purchaseViewToken', 'saleViewToken'].some((name) => {
    const token = value[name];
    return typeof token === 'string' && token !== '' && token !== asked;
  });
}

/** The body's id where it has one and it is not the asked one; but for UUIDs ids compare as text. */
function idOfAnother(value: ExactJson, asked: string): string | null {
  const id = idIn(value);
  if (id instanceof EchoedSecret) return '[cut]';
  const text = typeof id === 'string' ? id : isWireNumber(id) ? numberText(id) : '';
  return text === '' || recordIdOf(text) === recordIdOf(asked) ? null : text.slice(0, 64);
}

function driftDetail(drift: readonly Drift[]): string {
  const shown = drift.slice(0, 3).map(driftInWords).join('; ');
  return drift.length > 3 ? `${shown}; and ${drift.length - 3} more` : shown;
}

function unreachable(reason: UnreachableReason, httpStatus: number | null, errorCode: string | null): FetchOutcome {
  return { outcome: 'unreachable', reason, httpStatus, errorCode };
}

function quarantined(
  reason: QuarantineReason,
  detail: string,
  httpStatus: number | null,
  body: ReceivedBody | null,
  drift: readonly Drift[] = [],
  otherName: string | null = null,
): Extract<FetchOutcome, { outcome: 'quarantined' }> {
  const name = otherName === null ? {} : { otherName };
  return { outcome: 'quarantined', reason, detail, drift, httpStatus, body, ...name };
}
