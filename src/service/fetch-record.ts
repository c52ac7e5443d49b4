/** Asking for one record. */
import { type Instant, isRecordId, isViewToken } from '../domain/record.ts';
import type { Pace } from '../ports/pacing.ts';
import type { FetchResult, RecordRef } from '../ports/service.ts';
import type { Ask } from './ask.ts';
import { recordOutcome } from './record-outcome.ts';
import type { Urls } from './urls.ts';

export interface FetchEdges {
  ask: Ask;
  urls: Urls;
  now: () => Instant;
  /** The maker's name in identifiers on the wire. */
  identifierName: string;
}

/**
 * Asks for one record. Nothing that the Service answers is thrown.
 * @throws TlsError, and whatever the limiter throws while waiting.
 */
export async function fetchRecord(
  edges: FetchEdges,
  ref: RecordRef,
  options: { pace: Pace; signal?: AbortSignal | undefined; refusalExpected?: boolean | undefined },
): Promise<FetchResult> {
  if (!isRecordId(ref.id) || !isViewToken(ref.token)) {
    return {
      outcome: 'unreachable',
      reason: 'NOT_SENT',
      errorCode: null,
      attempts: 0,
      httpStatus: null,
      at: edges.now(),
    };
  }
  const path = edges.urls.record(ref.kind, ref.id, ref.token);
  const asked = await edges.ask({ method: 'GET', path }, options);
  return recordOutcome(asked, { ref, identifierName: edges.identifierName, at: edges.now() });
}
