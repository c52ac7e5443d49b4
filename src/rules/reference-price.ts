/** The price that a record was made at, and the one that it is held against: its quote's, or the published one. Pure. */
import { sameAsset } from '../domain/asset.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { SALE_FEE, SALE_FEE_EUR } from '../domain/fee-ceilings.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import {
  PRICED_NEARBY,
  rootOfDays,
  SHORT_WINDOW,
  seenByAny,
  sourcesInWords,
  unseenOf,
  widestMove,
  within,
} from '../domain/market.ts';
import { type MatchedQuote, promisingQuote } from '../domain/quote.ts';
import { type Instant, showInstant } from '../domain/record.ts';
import type { AssetTerms, Listed } from '../domain/reference.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { marginOf, surveyed } from '../domain/survey.ts';
import { agree } from '../domain/tolerance.ts';
import type { RuleInput } from './rule.ts';
import { showPercent } from './wording.ts';

/** A price older than this says nothing about a record's rate. */
const PRICE_STAYS_FRESH = 24 * 3_600_000;
const RATE_PLACES = 18;

/** The price that a record was made at, and by how much it may be lower because a fee in it is not known; per token. */
export interface RatePaid {
  /** Fiat for one whole token, in the record's currency. */
  rate: Decimal;
  isStated: boolean;
  unknownFee: Decimal;
}

/** As stated; of a sale without a rate, what is paid out with the fee that it or its quote has. */
export function ratePaid({ quote, reference }: RuleInput, state: RecordState): RatePaid | null {
  const { exchangeRate, kind, fiatValue, fiatCurrency } = state;
  if (exchangeRate !== null) return { rate: exchangeRate, isStated: true, unknownFee: Decimal.ZERO };
  const tokens = tokensOf(state);
  if (kind === 'purchase' || !tokens.isPositive) return null;
  const fee = state.appliedFee ?? promisingQuote(quote, state)?.method?.appliedFee ?? null;
  const rate = fiatValue.plus(fee ?? Decimal.ZERO).dividedBy(tokens, RATE_PLACES);
  if (fee !== null) return { rate, isStated: false, unknownFee: Decimal.ZERO };
  const { price = null, priceEur = null } = reference.asset ?? {};
  const isEur = fiatCurrency === 'EUR';
  if (!isEur && (price === null || priceEur === null || priceEur.isZero)) return null;
  const perEur = isEur || price === null || priceEur === null ? Decimal.ONE : price.dividedBy(priceEur, RATE_PLACES);
  const worth = (price ?? rate).times(tokens);
  const most = worth.times(SALE_FEE).plus(SALE_FEE_EUR.times(perEur));
  return { rate, isStated: false, unknownFee: most.dividedBy(tokens, RATE_PLACES) };
}

/** A price of others to hold a rate against, with its source in words. */
export interface ReferencePrice {
  price: Decimal;
  /** Null where it is of the whole execution. */
  capturedAt: Instant | null;
  source: string;
  /** How far from it the record's may be; a share of it. */
  room: Decimal;
  /** The published prices on both sides of the execution bound it: a better price is a favour. */
  isOfItsHour?: true;
}

type PriceOfADay = Omit<ReferencePrice, 'room' | 'capturedAt'> & { capturedAt: Instant };

/**
 * The price that came with the user's quote; without one what others saw during the execution; else the published one. Null where none is from
 * the day before or later.
 */
export function referencePrice(input: RuleInput, state: RecordState, paid: RatePaid): ReferencePrice | null {
  const ofItsTime = priceOfItsHour(input, state, paid) ?? priceSeen(input, state, paid);
  const found = ofItsTime === null ? priceOfItsDay(input, state) : null;
  if (found === null) return ofItsTime;
  const next = found.isPublished ? listedPrice(input.reference.after, state) : null;
  const after = next !== null && next.at - found.capturedAt <= 2 * PRICE_STAYS_FRESH ? next : null;
  const nearest = after === null ? found.price : within(rangeOf(found.price, after.price), paid.rate);
  // The price may lie anywhere between the two lists. The room around it is that of the earlier list.
  const price = { ...found, price: nearest, room: strayRoom(input, { ...found, price: nearest }, paid) };
  return after !== null && nearest.equals(after.price) ? { ...price, capturedAt: after.at } : price;
}

function rangeOf(a: Decimal, b: Decimal) {
  return { low: minDecimal(a, b), high: maxDecimal(a, b) };
}

type ListedPrice = Pick<AssetTerms, 'networkFee'> & { price: Decimal; at: Instant };

/** In the record's currency; null where the list does not have its asset, or no price of it. */
function listedPrice({ assets: list }: Listed = {}, state: RecordState): ListedPrice | null {
  if (list === undefined || list.asset === null || list.global?.currencyCode !== state.fiatCurrency) return null;
  const { price, networkFee } = list.asset;
  const isUsable = price?.isPositive === true && sameAsset(list.asset, state.asset);
  return isUsable ? { price, networkFee, at: list.capturedAt } : null;
}

/** The lists on both sides of a record's creation, or the one within two hours of it; none where they tell nothing of its moment. */
export function listedAround({ reference }: RuleInput, state: RecordState): readonly ListedPrice[] {
  const { createdAt } = state;
  if (createdAt === null) return [];
  const away = ({ at }: ListedPrice) => Math.abs(at - createdAt);
  const lists = [reference.before, reference.after].map((list) => listedPrice(list, state));
  const near = lists.filter((list) => list !== null && away(list) <= PRICED_NEARBY) as ListedPrice[];
  return near.length === lists.length ? near : near.filter((list) => away(list) <= SHORT_WINDOW);
}

const HOUR = 3_600_000;

/**
 * Without a quote: the nearest price between the lists before and after, with the margin that the night's quotes of the asset have over the
 * published price. Null where a list is far from the execution, or no margin is known.
 */
function priceOfItsHour(input: RuleInput, state: RecordState, paid: RatePaid): ReferencePrice | null {
  const { terms, quote, reference, executed } = input;
  const margin = quote === null && paid.unknownFee.isZero ? surveyed(terms.common?.margins, marginOf(state)) : null;
  if (margin === null || typeof executed === 'string') return null;
  const [before, after] = [listedPrice(reference.before, state), listedPrice(reference.after, state)];
  if (before === null || after === null) return null;
  if (Math.max(executed.from - before.at, after.at - executed.to) > PRICED_NEARBY) return null;
  if (executed.to - after.at > SHORT_WINDOW) return null;
  const [from, to] = [before, after].map(({ price }) => price.times(Decimal.ONE.plus(margin))) as [Decimal, Decimal];
  return {
    price: within(rangeOf(from, to), paid.rate),
    capturedAt: before.at,
    source: `the published prices around it with the usual margin of ${showPercent(margin.times(Decimal.HUNDRED))}`,
    room: terms.tolerances.rate.sinceQuote.plus(widestMove(Math.max(after.at - before.at, HOUR)).times(HALF)),
    isOfItsHour: true,
  };
}

/** Between two known prices half of it is two standard deviations, and the tolerance is on top. */
const HALF = Decimal.of(5n, 1);

/**
 * Without a quote: the nearest price in the market's range. Where all its prices lie on one side of the execution, the lists around the creation
 * widen the range. Over hours without any price, the room grows by what a coin may move.
 */
function priceSeen(input: RuleInput, state: RecordState, paid: RatePaid): ReferencePrice | null {
  const { quote, market, executed, terms } = input;
  const { away = 0, unlisted = Number.POSITIVE_INFINITY } = market;
  const seen = seenByAny(market.prices);
  const isOther = promisingQuote(quote, state) !== null || terms.binding.price === 'locked';
  if (seen === null || isOther || typeof executed === 'string') return null;
  const unseen = Math.max(away, Math.min(unseenOf(market.prices, executed.to - executed.from), unlisted));
  const { reference } = terms.tolerances.rate;
  const lists = away > 0 ? [listedPrice(input.reference.before, state), listedPrice(input.reference.after, state)] : [];
  const listed = lists.flatMap((list) => (list === null ? [] : [list.price]));
  const range = { low: listed.reduce(minDecimal, seen.low), high: listed.reduce(maxDecimal, seen.high) };
  return {
    price: within(range, paid.rate),
    capturedAt: null,
    source: `${sourcesInWords(market.prices)} around its execution`,
    room: unseen > SHORT_WINDOW ? reference.plus(widestMove(unseen)) : reference,
  };
}

/** In words, with the time that it is of. */
export function showReference({ source, capturedAt }: ReferencePrice): string {
  return capturedAt === null ? source : `${source} (${showInstant(capturedAt)})`;
}

function priceOfItsDay(input: RuleInput, state: RecordState): (PriceOfADay & { isPublished: boolean }) | null {
  const { createdAt } = state;
  if (createdAt === null) return null;
  const usable = (price: Decimal | null | undefined, capturedAt: Instant): price is Decimal =>
    price?.isPositive === true && createdAt - capturedAt <= PRICE_STAYS_FRESH;
  const promise = promisingQuote(input.quote, state);
  const quote = promise?.quote;
  const quoted = (promise === null ? null : quotedPayout(promise, state)) ?? quote?.assetTerms?.price;
  if (quote !== undefined && usable(quoted, quote.capturedAt))
    return { price: quoted, capturedAt: quote.capturedAt, source: `quote ${quote.quoteId}`, isPublished: false };
  const { asset, global } = input.reference;
  if (asset === null || !sameAsset(asset, state.asset)) return null;
  // One response has one currency, and only its global part names it.
  if (global !== null && global.currencyCode !== state.fiatCurrency) return null;
  if (!usable(asset.price, asset.capturedAt)) return null;
  return { price: asset.price, capturedAt: asset.capturedAt, source: 'the published prices', isPublished: true };
}

/** Of a sale that states no rate: what its quote was to pay out, with its fee, for a token. */
function quotedPayout({ quote, method }: MatchedQuote, state: RecordState): Decimal | null {
  if (method === null || state.kind === 'purchase' || state.exchangeRate !== null) return null;
  const tokens = Decimal.of(method.cryptoUnits, quote.asset.decimals);
  return tokens.isZero ? null : method.fiatValue.plus(method.appliedFee).dividedBy(tokens, RATE_PLACES);
}

/** In a day, as a share of the price: four standard deviations of a coin that moves by 60 % a year. */
const MOVES_A_DAY = Decimal.parse('0.125');

/** A floating price may have moved since the reference, by more than the tolerance where days lie between: with the root of the time. */
function strayRoom(input: RuleInput, { price, capturedAt }: PriceOfADay, { rate }: RatePaid): Decimal {
  const { tolerances, binding } = input.terms;
  const { reference } = tolerances.rate;
  const { executed } = input;
  if (binding.price === 'locked' || typeof executed === 'string' || agree(rate, price, reference.times(price)))
    return reference;
  return maxDecimal(reference, MOVES_A_DAY.times(rootOfDays(executed.to - capturedAt, 0)));
}
