/**
 * Quotes for records that were just created and have none: the present price is the nearest to the one that the user
 * was shown. It counts as `captured` only within minutes of the creation, so it is requested at once, within the
 * limits, and never later.
 */
import { setImmediate as others } from 'node:timers/promises';
import { type RenamedAsset, withOtherNames } from '../domain/asset.ts';
import { isAbort, isAboutOneRequest } from '../domain/errors.ts';
import { capturedWantedFor, matchCaptured } from '../domain/match-quote.ts';
import { createdQuoteId, type MatchWindow } from '../domain/quote.ts';
import { isOnlyNear } from '../domain/quoted-amount.ts';
import type { Instant } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { Tolerances } from '../domain/tolerance.ts';
import type { ServiceClient } from '../ports/service.ts';
import { CircuitOpenError, RequestBudgetError } from '../ports/service-errors.ts';
import type { QuotesCaptured } from '../ports/settled.ts';
import type { QuoteStore, WebhookStore } from '../ports/store/store.ts';
import { CREATION_EVENTS } from '../service/profile.ts';
import { quoteRequest } from './requote.ts';

export interface CaptureEdges {
  deliveries: Pick<WebhookStore, 'readSince'>;
  quotes: Pick<QuoteStore, 'add' | 'captured' | 'has'>;
  client: Pick<ServiceClient, 'quote'>;
  now: () => Instant;
  window: MatchWindow;
  tolerances: Tolerances;
  renamedAssets?: readonly RenamedAsset[] | undefined;
  /** By quote id, what one process has found: a refused one is not requested again, and none is searched for again. */
  settled: Map<string, 'present' | 'refused'>;
}

/** Newer than every key: a capture is not judged, it may see all there is. */
const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** @throws HostApiKeyMissingError, TlsError, and what the store throws. */
export async function captureOnCreated(edges: CaptureEdges): Promise<QuotesCaptured> {
  const counts: QuotesCaptured = { captured: 0, present: 0, refused: 0, expired: 0, waiting: 0 };
  const created = await edges.deliveries.readSince(CREATION_EVENTS, edges.now() - edges.window.after);
  const states = new Map<string, RecordState>();
  for (const { state, quoteId } of created) {
    if (quoteId !== null) counts.present++;
    else states.set(createdQuoteId(state), state);
  }
  const { settled } = edges;
  for (const quoteId of settled.keys()) if (!states.has(quoteId)) settled.delete(quoteId);
  let silent = false;
  for (const [quoteId, state] of states) {
    const { createdAt } = state;
    if (createdAt === null || edges.now() > createdAt + edges.window.after) counts.expired++;
    else if (settled.has(quoteId)) counts[settled.get(quoteId) ?? 'present']++;
    else if (silent) counts.waiting++;
    else if (await hasQuote(quoteId, state, edges)) {
      settled.set(quoteId, 'present');
      counts.present++;
    } else {
      const answer = await askFor(quoteId, state, edges);
      if (answer === 'silent') {
        silent = true;
        counts.waiting++;
      } else if (answer === 'refused') {
        settled.set(quoteId, 'refused');
        counts.refused++;
      } else {
        await edges.quotes.add([answer], edges.now());
        settled.set(quoteId, 'present');
        counts.captured++;
      }
    }
  }
  return counts;
}

async function hasQuote(quoteId: string, state: RecordState, edges: CaptureEdges): Promise<boolean> {
  // SQLite answers without a turn of the event loop: in a burst the receiver of this process would answer nothing.
  await others();
  if (await edges.quotes.has(quoteId)) return true;
  const named = { ...state, asset: withOtherNames(state.asset, edges.renamedAssets, edges.now()) };
  const wanted = capturedWantedFor(named, edges.window, edges.tolerances);
  if (wanted === null) return false;
  const [candidates] = await edges.quotes.captured([wanted], EVERYTHING);
  const matched = matchCaptured(named, candidates ?? [], edges.tolerances);
  return matched !== null && !isOnlyNear(named, matched, edges.tolerances);
}

/** v3 first; v1 where v3 does not list the record's method (old names, methods that were withdrawn) and v1 may (spec §9). */
async function askFor(quoteId: string, state: RecordState, { client }: CaptureEdges) {
  const request = quoteRequest(state);
  // A burst: the price changes while the request waits, and the quote counts for minutes only.
  const options = { pace: 'burst', quoteId } as const;
  try {
    const answer = await client.quote(request, options);
    const { paymentMethod } = state;
    const offered = answer.quote.methods.some(({ method }) => method === paymentMethod);
    if (offered || paymentMethod === null || request.direction === 'offramp') return answer;
    return await client.quote({ ...request, api: 'v1', paymentMethodType: paymentMethod }, options);
  } catch (error) {
    // Nothing may be sent at present: the circuit is open, the budget is spent, or the process is stopping.
    if (error instanceof CircuitOpenError || error instanceof RequestBudgetError || isAbort(error)) return 'silent';
    if (isAboutOneRequest(error)) return 'refused';
    throw error;
  }
}
