/** Turns a page of stored records into cases: each with its quote and the reference data as of its creation. */

import { type RenamedAsset, sameAddress, withOtherNames } from '../domain/asset.ts';
import { type Case, NOTHING_KNOWN } from '../domain/case.ts';
import { type DeliveryFacts, txName } from '../domain/delivery.ts';
import { expectedTransaction } from '../domain/judge-delivery.ts';
import { NO_MARKET } from '../domain/market.ts';
import { aroundWanted, capturedWanted, matchCaptured, matchLinked, matchRequoted } from '../domain/match-quote.ts';
import { firstPlausible } from '../domain/plausible-date.ts';
import { type MatchedQuote, requoteId } from '../domain/quote.ts';
import { isOnlyNear, mayBeByTokens } from '../domain/quoted-amount.ts';
import { quotesAround } from '../domain/quotes-around.ts';
import { directionOf, type Instant, type Kind } from '../domain/record.ts';
import type { ReferenceAsOf } from '../domain/reference.ts';
import { type JudgeableRun, wantsRequotes } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { EvidenceStore, QuoteStore, ReferenceStore, ReferenceWanted, StoredCase } from '../ports/store/store.ts';
import type { RunTerms } from '../rules/terms.ts';
import { marketsOf, wishesOf } from './market-of.ts';

/** A case, with the keys and counts that the run keeps of it. */
export interface BuiltCase extends Case {
  recordKey: number;
  attempts: number;
}

/** Where quotes and reference data are looked up; a slice of the store. */
export interface Lookups {
  quotes: Pick<QuoteStore, 'captured' | 'get' | 'requests' | 'seen'>;
  reference: Pick<ReferenceStore, 'asOf' | 'published'>;
  evidence: Pick<EvidenceStore, 'deliveries'>;
}

/** What the cases of a page are made from. */
interface Building {
  page: readonly StoredCase[];
  run: JudgeableRun;
  terms: RunTerms;
  store: Lookups;
}

/** The quote of each record of the page. */
type Matched = readonly (MatchedQuote | null)[];

/** Five look-ups a page, two more where amounts were changed, one where totals are nearly the quoted ones, one where prices stray, and two where a chain was asked, however many records are in it. */
export async function buildCases(
  asStored: readonly StoredCase[],
  run: JudgeableRun,
  terms: RunTerms,
  store: Lookups,
): Promise<readonly BuiltCase[]> {
  const named = asStored.map((stored) => withState(stored, (state) => withNames(state, terms.renamedAssets, run.asOf)));
  const reference = await referenceAsOf(named, run.watermarks.reference, store);
  const page = named.map((stored, i) => withState(stored, (state) => withChain(state, reference[i]?.asset)));
  const building = { page, run, terms, store };
  const asked = await withRequests(await matchQuotes(building), building);
  const quotes = await withRequotes(await withAround(asked, building), building);
  const deliveries = await deliveriesOf(building);
  const sinceQuote = terms.binding.price === 'locked' ? null : terms.tolerances.rate.sinceQuote;
  const markets = await marketsOf(page, quotes, { ...run.watermarks, sinceQuote }, store);
  return page.map((stored, i) => ({
    recordKey: stored.recordKey,
    kind: stored.kind,
    recordId: stored.recordId,
    tracked: stored.tracked,
    observation: stored.observation,
    history: stored.history,
    attempts: stored.attempts,
    quote: quotes[i] ?? null,
    reference: reference[i] ?? NOTHING_KNOWN.reference,
    market: markets[i] ?? NO_MARKET,
    delivery: deliveries[i] ?? null,
  }));
}

/**
 * An unknown or presumed chain becomes the one under which the reference data of its time list the contract. Without a contract the
 * symbol alone found it, and other chains may list that too: the chain is presumed, and makes no two assets different.
 */
export function withChain(state: RecordState, listed: ReferenceAsOf['asset'] | undefined): RecordState {
  const { asset } = state;
  if (listed === null || listed === undefined) return state;
  const isPresumed = asset.chainPresumed === true && asset.address !== null;
  const isNamed = asset.chain !== '' && !(isPresumed && sameAddress(listed.address ?? null, asset.address));
  if (isNamed || asset.chain === listed.chain) return state;
  const presumed = asset.address === null ? { chainPresumed: true } : {};
  return { ...state, asset: { ...asset, chain: listed.chain, ...presumed } };
}

/** The state whose asset has its other names too; the same object where it has none. */
export function withNames(state: RecordState, renamed: readonly RenamedAsset[] | undefined, at: Instant): RecordState {
  const asset = withOtherNames(state.asset, renamed, at);
  return asset === state.asset ? state : { ...state, asset };
}

function withState(stored: StoredCase, change: (state: RecordState) => RecordState): StoredCase {
  const { observation } = stored;
  if (observation.outcome !== 'verified') return stored;
  const { snapshot } = observation;
  const state = change(snapshot.state);
  if (state === snapshot.state) return stored;
  return { ...stored, observation: { ...observation, snapshot: { ...snapshot, state } } };
}

/** The reference data of the record's time, for its asset. @param at when the record was created */
export function referenceWanted(
  kind: Kind,
  state: RecordState | null,
  at: Instant | null = state?.createdAt ?? null,
): ReferenceWanted {
  return {
    direction: directionOf(kind),
    currency: state?.fiatCurrency ?? '',
    asset: state?.asset ?? null,
    at,
  };
}

async function matchQuotes({ page, run, terms, store }: Building): Promise<Matched> {
  const matched: (MatchedQuote | null)[] = page.map(matchLinked);
  const wanted = wishesOf(page, (stored) => capturedWanted(stored, terms.window, terms.tolerances));
  if (wanted.length === 0) return matched;
  const wishes = wanted.map(({ wish }) => wish);
  const found = await store.quotes.captured(wishes, run.watermarks.quote);
  for (const [n, { place }] of wanted.entries()) {
    const observation = page[place]?.observation;
    if (observation?.outcome !== 'verified') continue;
    matched[place] = matchCaptured(observation.snapshot.state, found[n] ?? [], terms.tolerances, terms.binding.price);
  }
  return matched;
}

/** Who changed the amount was promised nothing for the new one: quotes of amounts around it tell what its fees are. */
async function withAround(matched: Matched, { page, run, terms, store }: Building): Promise<Matched> {
  if (terms.binding.price === 'locked') return matched;
  const wanted = page.flatMap(({ observation }, place) => {
    if (observation.outcome !== 'verified') return [];
    const { state } = observation.snapshot;
    const promise = matched[place] ?? null;
    const wish = aroundWanted(state, promise, terms.window, terms.tolerances);
    return promise === null || wish === null ? [] : [{ place, state, promise, wish }];
  });
  if (wanted.length === 0) return matched;
  const wishes = wanted.map(({ wish }) => wish);
  const found = await store.quotes.captured(wishes, run.watermarks.quote);
  const filled = [...matched];
  for (const [n, { place, state, promise }] of wanted.entries()) {
    const around = quotesAround(state, promise, found[n] ?? []);
    if (around !== null) filled[place] = { ...promise, around };
  }
  return filled;
}

/** A total follows from tokens that were asked for (spec §2.6): the requests that decide something are looked up. */
async function withRequests(matched: Matched, { page, terms, store }: Building): Promise<Matched> {
  const deciding = matched.map((promise, place) => {
    const observation = page[place]?.observation;
    if (promise === null || observation?.outcome !== 'verified') return null;
    const { state } = observation.snapshot;
    const isPerhaps = isOnlyNear(state, promise, terms.tolerances);
    return isPerhaps || mayBeByTokens(state, promise, terms.tolerances)
      ? { id: promise.quote.quoteId, isPerhaps }
      : null;
  });
  const ids = deciding.flatMap((each) => each?.id ?? []);
  if (ids.length === 0) return matched;
  const requests = await store.quotes.requests(ids);
  return matched.map((promise, place) => {
    const decides = deciding[place] ?? null;
    if (promise === null || decides === null) return promise;
    const { cryptoAmount = null, fiatValue = null } = JSON.parse(requests.get(decides.id) ?? '{}');
    if (cryptoAmount !== null && fiatValue === null) return { ...promise, isByTokens: true };
    return decides.isPerhaps ? null : promise;
  });
}

/** A fresh quote is used where no promise of its own time exists; an audit has few enough to look up one by one. */
async function withRequotes(matched: Matched, { page, run, store }: Building): Promise<Matched> {
  if (!wantsRequotes(run.selection)) return matched;
  const filled = [...matched];
  for (const [place, { kind, recordId, observation }] of page.entries()) {
    if (filled[place] !== null || observation.outcome !== 'verified') continue;
    const found = await store.quotes.get(requoteId(run.runId, kind, recordId));
    if (found !== null) filled[place] = matchRequoted(observation.snapshot.state, found.quote);
  }
  return filled;
}

async function referenceAsOf(page: readonly StoredCase[], watermark: number, store: Lookups) {
  if (watermark === 0) return [];
  const wanted = page.map(({ kind, observation, tracked }) => {
    if (observation.outcome !== 'verified') return referenceWanted(kind, null);
    const { state, evidence } = observation.snapshot;
    // The lists of 9999 are those of today: where the Service's date cannot be true, the application's tells the time.
    return referenceWanted(kind, state, firstPlausible([state.createdAt, tracked.createdAt], evidence.receivedAt));
  });
  return store.reference.asOf(wanted, watermark);
}

/** What the chains say of the page's transactions; nothing where no chain was asked before the run was judged. */
async function deliveriesOf({ page, run, store }: Building): Promise<readonly (DeliveryFacts | null)[]> {
  if (run.watermarks.evidence === null) return [];
  const wanted = page.map(({ observation }) =>
    observation.outcome === 'verified' ? expectedTransaction(observation.snapshot.state) : null,
  );
  const found = await store.evidence.deliveries(
    wanted.filter((each) => each !== null),
    run.watermarks.evidence,
  );
  return wanted.map((each) => (each === null ? null : (found.get(txName(each)) ?? null)));
}
