/** What others saw of the price and the network fee around each record's execution, as of the run. */
import type { Decimal } from '../domain/decimal.ts';
import { decompose } from '../domain/decompose.ts';
import { executionOf, wasEstimate } from '../domain/execution.ts';
import {
  AROUND_EXECUTION,
  both,
  LISTINGS_BEFORE,
  type Market,
  NO_MARKET,
  PRICED_NEARBY,
  type Published,
  type Seen,
  type SeenBySource,
  seenByAny,
  seenOf,
  unlistedIn,
  unseenOf,
} from '../domain/market.ts';
import { type MatchedQuote, promisingQuote } from '../domain/quote.ts';
import { directionOf } from '../domain/record.ts';
import type { Watermarks } from '../domain/run.ts';
import { straysFrom } from '../domain/slippage.ts';
import type {
  MarketWanted,
  PublishedWanted,
  QuoteStore,
  ReferenceStore,
  SeenInQuotes,
  StoredCase,
} from '../ports/store/store.ts';

const HOUR = 3_600_000;

/** Prices and fees that others saw, by asset, currency and hours. */
export interface MarketLookups {
  quotes: Pick<QuoteStore, 'seen'>;
  reference: Pick<ReferenceStore, 'published'>;
}

interface AsOf extends Pick<Watermarks, 'quote' | 'reference'> {
  /** How far a price may be from others, as a share of it; null where prices are locked. */
  sinceQuote: Decimal | null;
}

/**
 * Of executed records; two look-ups a page, and a third where too little was seen of some, the price of some lies outside what was seen, or
 * a payout moved that may have been an estimate.
 */
export async function marketsOf(
  page: readonly StoredCase[],
  quotes: readonly (MatchedQuote | null)[],
  { sinceQuote, ...watermarks }: AsOf,
  store: MarketLookups,
): Promise<readonly Market[]> {
  const markets: Market[] = page.map(() => NO_MARKET);
  const published = async (wishes: readonly PublishedWanted[]) =>
    watermarks.reference === 0 || wishes.length === 0 ? [] : store.reference.published(wishes, watermarks.reference);
  const executed = wishesOf(page, (stored, i) => marketWanted(stored, quotes[i] ?? null));
  const wanted = executed.map(({ wish }) => wish);
  const seen = wanted.length === 0 ? [] : await store.quotes.seen(wanted, watermarks.quote);
  const listed = await published(wanted);
  for (const [n, { place, wish }] of executed.entries())
    markets[place] = marketFrom(seen[n] ?? NOTHING, listed[n] ?? [], wish);
  const straying = executed.flatMap((each, n) => {
    const { place, wish } = each;
    const market = markets[place] ?? NO_MARKET;
    const isFar =
      wish.own === null
        ? seenByAny(market.prices) === null
        : isStray(page[place], quotes[place], market.prices, sinceQuote);
    return isFar ? [{ ...each, n }] : [];
  });
  const nearby = await published(straying.map(({ wish }) => nearbyWanted(wish)));
  for (const [i, { place, wish, n }] of straying.entries()) {
    const { networkFees } = markets[place] ?? NO_MARKET;
    const [near, sides] = [seen[n] ?? NOTHING, onBothSides(nearby[i] ?? [], wish)];
    const away = near.prices === null ? awayFrom(sides, wish) : 0;
    markets[place] = { ...marketFrom(near, sides, wish), networkFees, ...(away > 0 ? { away } : {}) };
  }
  const unseen = executed
    .filter(({ place, wish }) => isUnseen(markets[place] ?? NO_MARKET, wish))
    .map(({ place, wish }) => ({ place, wish: beforehand(wish) }));
  const withPast = [...unseen, ...wishesOf(page, movedWanted)];
  const past = await published(withPast.map(({ wish }) => wish));
  for (const [n, { place }] of withPast.entries())
    markets[place] = { ...(markets[place] ?? NO_MARKET), past: past[n] ?? [] };
  return markets;
}

/** Whether the price lies outside what was seen: then lists that are further off tell whether it jumped. */
function isStray(
  stored: StoredCase | undefined,
  matched: MatchedQuote | null | undefined,
  seen: SeenBySource,
  sinceQuote: Decimal | null,
): boolean {
  if (stored?.observation.outcome !== 'verified' || sinceQuote === null) return false;
  const decomposed = decompose(stored.observation.snapshot.state, matched ?? null, null);
  return typeof decomposed !== 'string' && straysFrom(seen, decomposed.prices, sinceQuote);
}

interface Wish<Wanted> {
  /** On the page. */
  place: number;
  wish: Wanted;
}

/** What is asked for some of the page, each with its place. */
export function wishesOf<Wanted>(
  page: readonly StoredCase[],
  of: (stored: StoredCase, place: number) => Wanted | null,
): readonly Wish<Wanted>[] {
  return page.flatMap((stored, place) => {
    const wish = of(stored, place);
    return wish === null ? [] : [{ place, wish }];
  });
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

const NOTHING: SeenInQuotes = { prices: null, networkFees: null };

/** Null for a record whose price is not held against a market. */
function marketWanted(stored: StoredCase, matched: MatchedQuote | null): MarketWanted | null {
  if (stored.observation.outcome !== 'verified') return null;
  const { state } = stored.observation.snapshot;
  const window = executionOf(stored);
  if (typeof window === 'string') return null;
  return {
    direction: directionOf(stored.kind),
    asset: state.asset,
    currency: state.fiatCurrency,
    from: window.from - AROUND_EXECUTION,
    to: window.to + AROUND_EXECUTION,
    own: promisingQuote(matched, state)?.quote ?? null,
  };
}

function nearbyWanted({ own: _, ...wish }: MarketWanted): PublishedWanted {
  return { ...wish, from: wish.from - PRICED_NEARBY, to: wish.to + PRICED_NEARBY };
}

/** The last list before the execution, and the first one after it. */
function sidesOf(listed: readonly Published[], { from, to }: MarketWanted) {
  const [begin, end] = [from + AROUND_EXECUTION, to - AROUND_EXECUTION];
  return { begin, end, before: listed.findLast(({ at }) => at <= begin), after: listed.find(({ at }) => at >= end) };
}

/** Those around the execution; where none of them is before its begin, or after its end, the next one on that side too. */
function onBothSides(listed: readonly Published[], wish: MarketWanted): readonly Published[] {
  const { before, after } = sidesOf(listed, wish);
  const [first, last] = [Math.min(before?.at ?? wish.from, wish.from), Math.max(after?.at ?? wish.to, wish.to)];
  return listed.filter(({ at }) => at >= first && at <= last);
}

/**
 * How far the nearest list or the own quote is from the execution, where all lists lie on one side of it. Between two lists the price of a quoted
 * record is held at both ends, and so strays as one does that is free for less time than to the nearer of them.
 */
function awayFrom(listed: readonly Published[], wish: MarketWanted): number {
  const { begin, end, before, after } = sidesOf(listed, wish);
  const { own } = wish;
  if (before !== undefined && after !== undefined) {
    if (own === null || listed.some(({ at }) => at >= wish.from && at <= wish.to)) return 0;
    const since = Math.min(begin - before.at, Math.abs(begin - own.capturedAt));
    const until = after.at - end;
    return since + until === 0 ? 0 : Math.floor((since * until) / (since + until));
  }
  if (before === after) return 0;
  const away = before === undefined ? (after?.at ?? end) - end : begin - before.at;
  return own === null ? away : Math.min(away, Math.abs(begin - own.capturedAt));
}

/** To the end of the execution: the few prices that were seen in it move as well. */
function beforehand({ own: _, ...wish }: MarketWanted) {
  return { ...wish, from: wish.from - LISTINGS_BEFORE };
}

function isUnseen({ prices, away = 0 }: Market, { from, to, own }: MarketWanted): boolean {
  if (own === null) return false;
  return away > 0 || seenByAny(prices) === null || unseenOf(prices, to - from - 2 * AROUND_EXECUTION) > 0;
}

function marketFrom(seen: SeenInQuotes, listed: readonly Published[], { own, from, to }: MarketWanted): Market {
  if (listed.length === 0) {
    const { prices, networkFees } = seen;
    return {
      prices: { quotes: prices, listings: null },
      networkFees: { quotes: networkFees, listings: null },
      past: [],
    };
  }
  let prices: Seen | null = null;
  let networkFees: Seen | null = null;
  for (const listings of Map.groupBy(listed, ({ at }) => Math.floor(at / HOUR)).values()) {
    const ofHour = seenOf(listings, ({ price }) => price);
    // The hours beside the execution are none of it.
    const isOf = listings.some(({ at }) => at >= from && at <= to);
    prices = both(prices, ofHour === null || isOf ? ofHour : { ...ofHour, hours: 0 });
    networkFees = both(
      networkFees,
      seenOf(listings, ({ networkFee }) => networkFee),
    );
  }
  const quotedAt = own === null ? [] : [own.capturedAt];
  const known = [...quotedAt, ...listed.filter(({ price }) => price?.isPositive === true).map(({ at }) => at)].sort(
    (a, b) => a - b,
  );
  return {
    ...(prices === null
      ? {}
      : { unlisted: unlistedIn(known, { from: from + AROUND_EXECUTION, to: to - AROUND_EXECUTION }) }),
    prices: { quotes: seen.prices, listings: prices },
    networkFees: { quotes: seen.networkFees, listings: networkFees },
    past: [],
  };
}
