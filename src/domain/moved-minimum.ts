/** How far a base fee that is the published minimum has moved with its currency. Pure. */
import { minorUnit } from './currency.ts';
import { Decimal } from './decimal.ts';
import { rootOfDays, within } from './market.ts';
import {
  amountAt,
  BETWEEN_LISTINGS,
  bodyRateEur,
  listedRounding,
  type PublishedAmount,
  quotedRateEur,
} from './moving-terms.ts';
import type { Quote } from './quote.ts';
import type { RecordState } from './snapshot.ts';
import type { QuoteBinding } from './tolerance.ts';

const RATE_PLACES = 18;
const HALF = Decimal.of(5n, 1);
/** Half a unit on either side, and one of them was moved by the rate. */
const ROUNDED_TWICE = Decimal.of(11n, 1);

/** What is known of a minimum. */
export interface MinimumTerms {
  binding: QuoteBinding;
  /** The published minimum fee where it is a constant in another currency, at a moving rate; null for none. */
  movingMinimum: PublishedAmount | 'unknown' | null;
  /** Milliseconds between the quote and the body's figures: rates of currencies move with the root of them. */
  sinceQuote: number;
}

/**
 * A minimum of so many EUR is another amount of another currency each hour.
 * @param figure the quoted base fee
 * @returns what the record's base fee is above it with the rate alone; zero where it is no minimum
 */
export function movedMinimum(
  state: RecordState,
  figure: Decimal | null,
  quote: Quote,
  { movingMinimum, binding, sinceQuote }: MinimumTerms,
): Decimal {
  const is = state.baseFee;
  if (movingMinimum === null || is === null || figure === null || binding.price === 'locked') return Decimal.ZERO;
  if (isMinimumInEur(state, is, { figure, quote, movingMinimum })) return is.minus(figure);
  // Where it is not published, any fee may be the minimum; where quote and body state their rates, they tell how far it moved: then a
  // day's room is enough.
  const isToldByRates = quotedRateEur(quote) !== null && bodyRateEur(state) !== null;
  const isRoomOfADay = movingMinimum === 'unknown' || isToldByRates;
  const room = isRoomOfADay ? BETWEEN_LISTINGS : BETWEEN_LISTINGS.times(rootOfDays(sinceQuote, 1));
  const isWithinRate = (a: Decimal, b: Decimal) => !a.minus(b).abs().greaterThan(b.times(room));
  if (movingMinimum === 'unknown') return isWithinRate(is, figure) ? is.minus(figure) : Decimal.ZERO;
  const { amount } = movingMinimum;
  const isMinimum =
    isWithinRate(figure, amount) && (isWithinRate(is, amount) || isThenMinimum(state, is, movingMinimum));
  return isMinimum ? is.minus(figure) : Decimal.ZERO;
}

/**
 * By the rates that quote and body state: the fee is as many EUR as it was, and at most about the published minimum, as partners have
 * lower ones; or it is the published one, which has become more than the quoted percentage.
 */
function isMinimumInEur(
  state: RecordState,
  is: Decimal,
  { figure, quote, movingMinimum }: { figure: Decimal; quote: Quote; movingMinimum: PublishedAmount | 'unknown' },
): boolean {
  const [then, now] = [quotedRateEur(quote), bodyRateEur(state)];
  if (then?.isPositive !== true || now?.isPositive !== true) return false;
  const comesTo = (eur: Decimal, unit: Decimal) =>
    !is.minus(eur.dividedBy(now, RATE_PLACES)).abs().greaterThan(unit.times(ROUNDED_TWICE));
  const promised = figure.times(then);
  // Only lists may have two places of a currency that has three.
  const isKept = comesTo(promised, minorUnit(state.fiatCurrency) ?? Decimal.ZERO);
  if (movingMinimum === 'unknown') return isKept;
  const published = movingMinimum.amount.times(movingMinimum.fiatRateEur ?? Decimal.ZERO);
  const [above, room] = [promised.minus(published), published.times(BETWEEN_LISTINGS)];
  const isAsQuoted = !above.greaterThan(room) && isKept;
  const isOfPartner = above.plus(room).isNegative;
  const isPublished = () => is.greaterThan(figure) && comesTo(published, listedRounding(state.fiatCurrency));
  return room.isPositive && (isAsQuoted || (!isOfPartner && isPublished()));
}

/** By the body's own rates, however far they moved: an order that stays unpaid for days states the figures of its last hour. */
function isThenMinimum(state: RecordState, is: Decimal, published: PublishedAmount): boolean {
  const then = amountAt(state, [published]);
  return !is.minus(within(then, is)).abs().greaterThan(listedRounding(state.fiatCurrency).times(HALF));
}
