/** What others saw of the price and the network fee around each record's execution, as of the run. */
import { executionOf, wasEstimate } from '../domain/execution.ts';
import {
  AROUND_EXECUTION,
  both,
  LISTINGS_BEFORE,
  type Market,
  NO_MARKET,
  type Published,
  type Seen,
  seenByAny,
  seenOf,
  unseenOf,
} from '../domain/market.ts';
import { type MatchedQuote, promisingQuote } from '../domain/quote.ts';
import { directionOf } from '../domain/record.ts';
import type { Watermarks } from '../domain/run.ts';
import type {
  MarketWanted,
  PublishedWanted,
  QuoteStore,
  ReferenceStore,
  SeenInQuotes,
  StoredCase,
} from '../ports/store/store.ts';

const HOUR = 3_600_000;

export interface MarketLookups {
  quotes: Pick<QuoteStore, 'seen'>;
  reference: Pick<ReferenceStore, 'published'>;
}

/**
 * Of records that were executed against a quote; two look-ups a page, and a third where too little was seen of some, or a payout moved that
 * may have been an estimate.
 */
export async function marketsOf(
  page: readonly StoredCase[],
  quotes: readonly (MatchedQuote | null)[],
  watermarks: Pick<Watermarks, 'quote' | 'reference'>,
  store: MarketLookups,
): Promise<readonly Market[]> {
  const markets = await executedMarkets(page, quotes, watermarks, store);
  const moved = page.flatMap((stored, place) => {
    const wish = movedWanted(stored);
    return wish === null ? [] : [{ place, wish }];
  });
  if (moved.length === 0) return markets;
  const wishes = moved.map(({ wish }) => wish);
  const listed = await store.reference.published(wishes, watermarks.reference);
  for (const [n, { place }] of moved.entries()) {
    markets[place] = { ...(markets[place] ?? NO_MARKET), past: listed[n] ?? [] };
  }
  return markets;
}

/** From a week before the earlier body until tonight. */
function movedWanted({ kind, observation, history, tracked }: StoredCase): PublishedWanted | null {
  const { first } = history;
  const isMoved = first !== null && wasEstimate(first, { observation, history, tracked });
  if (!isMoved || observation.outcome !== 'verified') return null;
  const { state, evidence } = observation.snapshot;
  return {
    direction: directionOf(kind),
    asset: state.asset,
    currency: state.fiatCurrency,
    from: first.evidence.receivedAt - LISTINGS_BEFORE,
    to: evidence.receivedAt,
  };
}

async function executedMarkets(
  page: readonly StoredCase[],
  quotes: readonly (MatchedQuote | null)[],
  watermarks: Pick<Watermarks, 'quote' | 'reference'>,
  store: MarketLookups,
): Promise<Market[]> {
  const markets: Market[] = page.map(() => NO_MARKET);
  const wanted: MarketWanted[] = [];
  const places: number[] = [];
  page.forEach((stored, i) => {
    const wish = marketWanted(stored, quotes[i] ?? null);
    if (wish === null) return;
    wanted.push(wish);
    places.push(i);
  });
  if (wanted.length === 0) return markets;
  const seen = await store.quotes.seen(wanted, watermarks.quote);
  const published = async (wishes: readonly PublishedWanted[]) =>
    watermarks.reference === 0 || wishes.length === 0 ? [] : store.reference.published(wishes, watermarks.reference);
  const listed = await published(wanted);
  const found = wanted.map((_, n) => marketFrom(seen[n] ?? NOTHING, listed[n] ?? []));
  const unseen = [...found.keys()].filter((n) => isUnseen(found[n] ?? NO_MARKET, wanted[n] as MarketWanted));
  const past = await published(unseen.map((n) => beforehand(wanted[n] as MarketWanted)));
  unseen.forEach((n, i) => {
    found[n] = { ...(found[n] ?? NO_MARKET), past: past[i] ?? [] };
  });
  places.forEach((place, n) => {
    markets[place] = found[n] ?? NO_MARKET;
  });
  return markets;
}

const NOTHING: SeenInQuotes = { prices: null, networkFees: null };

/** Null for a record whose price is not held against a market. */
function marketWanted(stored: StoredCase, matched: MatchedQuote | null): MarketWanted | null {
  if (stored.observation.outcome !== 'verified') return null;
  const { state } = stored.observation.snapshot;
  const promise = promisingQuote(matched, state);
  const window = promise === null ? 'no quote' : executionOf(stored);
  if (promise === null || typeof window === 'string') return null;
  return {
    direction: directionOf(stored.kind),
    asset: state.asset,
    currency: state.fiatCurrency,
    from: window.from - AROUND_EXECUTION,
    to: window.to + AROUND_EXECUTION,
    own: promise.quote,
  };
}

/** To the end of the execution: the few prices that were seen in it move as well. */
function beforehand({ own: _, ...wish }: MarketWanted) {
  return { ...wish, from: wish.from - LISTINGS_BEFORE };
}

function isUnseen({ prices }: Market, { from, to }: MarketWanted): boolean {
  return seenByAny(prices) === null || unseenOf(prices, to - from - 2 * AROUND_EXECUTION) > 0;
}

function marketFrom(seen: SeenInQuotes, listed: readonly Published[]): Market {
  let prices: Seen | null = null;
  let networkFees: Seen | null = null;
  for (const listings of Map.groupBy(listed, ({ at }) => Math.floor(at / HOUR)).values()) {
    prices = both(prices, seenOf(listings.map(({ price }) => price)));
    networkFees = both(networkFees, seenOf(listings.map(({ networkFee }) => networkFee)));
  }
  return {
    prices: { quotes: seen.prices, listings: prices },
    networkFees: { quotes: seen.networkFees, listings: networkFees },
    past: [],
  };
}
