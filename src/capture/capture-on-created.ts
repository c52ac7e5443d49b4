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
import type { QuoteStore, ReadDelivery, WebhookStore } from '../ports/store/store.ts';
import { CREATION_EVENTS } from '../service/profile.ts';
import { quoteRequest } from './requote.ts';

export interface Creation extends Pick<ReadDelivery, 'key' | 'deliveredAt'> {
  /** Or what was found, once there is nothing left to do: a refused quote is not requested again, and none is searched for again. */
  open: RecordState | 'present' | 'refused' | 'expired';
}

export interface CaptureEdges {
  deliveries: Pick<WebhookStore, 'readSince'>;
  quotes: Pick<QuoteStore, 'add' | 'captured' | 'has'>;
  client: Pick<ServiceClient, 'quote'>;
  now: () => Instant;
  window: MatchWindow;
  tolerances: Tolerances;
  renamedAssets?: readonly RenamedAsset[] | undefined;
  /** By quote id, the creations of the window as far as one process has read them. */
  creations: Map<string, Creation>;
}

/** Newer than every key: a capture is not judged, it may see all there is. */
const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** @throws HostApiKeyMissingError, TlsError, and what the store throws. */
export async function captureOnCreated(edges: CaptureEdges): Promise<QuotesCaptured> {
  const counts: QuotesCaptured = { captured: 0, present: 0, refused: 0, expired: 0, waiting: 0 };
  const { creations } = edges;
  await readNewer(edges);
  let silent = false;
  for (const [quoteId, creation] of creations) {
    const { open } = creation;
    if (typeof open === 'string') counts[open]++;
    else if (open.createdAt === null || edges.now() > open.createdAt + edges.window.after) {
      creation.open = 'expired';
      counts.expired++;
    } else if (silent) counts.waiting++;
    else if (await hasQuote(quoteId, open, edges)) {
      creation.open = 'present';
      counts.present++;
    } else {
      const answer = await askFor(quoteId, open, edges);
      if (answer === 'silent') {
        silent = true;
        counts.waiting++;
      } else if (answer === 'refused') {
        creation.open = 'refused';
        counts.refused++;
      } else {
        await edges.quotes.add([answer], edges.now());
        creation.open = 'present';
        counts.captured++;
      }
    }
  }
  return counts;
}

/** Transactions end in another order than their keys rise, so that a key below the newest one may still come. */
const LATE_KEYS = 1_000;

/** What came since the pass before: in a burst each pass would read all that came before it once more, and no webhook be answered meanwhile. */
async function readNewer({ creations, deliveries, now, window }: CaptureEdges): Promise<void> {
  const since = now() - window.after;
  let newest = 0;
  for (const [quoteId, { key, deliveredAt }] of creations) {
    if (deliveredAt < since) creations.delete(quoteId);
    else newest = Math.max(newest, key);
  }
  for (const { state, quoteId, ...delivery } of await deliveries.readSince(
    CREATION_EVENTS,
    since,
    Math.max(0, newest - LATE_KEYS),
  )) {
    const name = createdQuoteId(state);
    const found = creations.get(name)?.open;
    const open = quoteId !== null ? 'present' : typeof found === 'string' ? found : state;
    creations.set(name, { ...delivery, open });
  }
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
