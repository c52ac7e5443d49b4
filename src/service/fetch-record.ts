/** What an exchange says about one record: every row of the HTTP policy has its place here. */
import type { QuarantineReason, UnreachableReason } from '../domain/case.ts';
import { type Instant, isRecordId, isViewToken } from '../domain/record.ts';
import type { Answer } from './answer.ts';
import type { Ask, Asked } from './ask.ts';
import type { FetchResult, Pace, RecordRef } from './contract.ts';
import { driftInWords } from './drift.ts';
import { errorCodeOf } from './error-code.ts';
import { BodyTooLargeError, DeadlineError, type ExchangeError } from './errors/exchange-errors.ts';
import { receivedBody } from './evidence.ts';
import { type ExactJson, isExactObject } from './exact-json.ts';
import { normalisePurchase } from './normalise-purchase.ts';
import { normaliseSale } from './normalise-sale.ts';
import type { Urls } from './urls.ts';
import { isWireNumber, numberText } from './wire/exact-number.ts';

export interface FetchEdges {
  ask: Ask;
  urls: Urls;
  now: () => Instant;
  /** The maker's name in identifiers on the wire. */
  identifierName: string;
}

/** Asks for one record. Nothing that the Service answers is thrown. */
export async function fetchRecord(
  edges: FetchEdges,
  ref: RecordRef,
  options: { pace: Pace; signal?: AbortSignal | undefined },
): Promise<FetchResult> {
  if (!isRecordId(ref.id) || !isViewToken(ref.token)) {
    return { outcome: 'unreachable', reason: 'NOT_SENT', errorCode: null, attempts: 0, httpStatus: null, at: edges.now() };
  }
  const path = edges.urls.record(ref.kind, ref.id, ref.token);
  const asked = await edges.ask({ method: 'GET', path }, options);
  return new Reading(ref, asked.attempts, edges.now(), edges.identifierName).resultOf(asked);
}

/** One answer being judged; holds what every outcome repeats. */
class Reading {
  private readonly ref: RecordRef;
  private readonly attempts: number;
  private readonly at: Instant;
  private readonly identifierName: string;

  constructor(ref: RecordRef, attempts: number, at: Instant, identifierName: string) {
    this.ref = ref;
    this.attempts = attempts;
    this.at = at;
    this.identifierName = identifierName;
  }

  resultOf(asked: Asked): FetchResult {
    return asked.type === 'failure' ? this.failed(asked.failure) : this.answered(asked.answer);
  }

  private failed(failure: ExchangeError): FetchResult {
    if (failure instanceof BodyTooLargeError) return this.quarantined('BODY_TOO_LARGE', failure.message, null);
    return this.unreachable(failure instanceof DeadlineError ? 'TIMEOUT' : 'NETWORK', null, failure.code);
  }

  private answered(answer: Answer): FetchResult {
    const { status, content } = answer;
    const code = errorCodeOf(content, [this.ref.token]);
    if (status >= 500) return this.unreachable('SERVER_ERROR', status, code);
    if (status >= 400) return this.refused(answer, code);
    if (status >= 300) return this.quarantined('REDIRECTED', `redirected (HTTP ${status}), not followed`, answer);
    switch (content.type) {
      case 'json':
        return this.read(answer, content.value);
      case 'unreadable':
        return this.quarantined('UNREADABLE_BODY', content.detail, answer);
      case 'truncated':
        return this.unreachable('NETWORK', status, null);
      case 'foreign':
        return this.unreachable('NOT_JSON', status, null);
      default:
        return content satisfies never;
    }
  }

  /** 4xx. Only the Service itself can say that a record is missing or a token wrong; a proxy's page is no answer. */
  private refused({ status, content }: Answer, code: string | null): FetchResult {
    switch (status) {
      case 401:
      case 403:
        return this.unreachable(content.type === 'foreign' && isPage(content) ? 'NOT_JSON' : 'ACCESS_DENIED', status, code);
      case 404:
      case 410:
        if (content.type !== 'json' || !isExactObject(content.value)) return this.unreachable('NOT_JSON', status, null);
        // The framework does not know the path: the base URL is wrong, whatever the record.
        return this.unreachable(code?.startsWith('CANNOT_') ? 'CLIENT_ERROR' : 'RECORD_MISSING', status, code);
      case 429:
        return this.unreachable('CLIENT_ERROR', status, code ?? 'RATE_LIMITED');
      default:
        return this.unreachable('CLIENT_ERROR', status, code);
    }
  }
}
