/** Whether a quote is for the amount of a record, and what its fees are at that amount. */
import { minorUnit, minorUnitDigits } from './currency.ts';
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import { type FeeParts, type QuotedParts, serviceFee, tokensOf, valueConverted } from './fee-parts.ts';
import type { MatchedQuote, Quote, QuotedMethod } from './quote.ts';
import { feeBetween } from './quotes-around.ts';
import { AMOUNT_RULE } from './rule-codes.ts';
import type { RecordState } from './snapshot.ts';
import { agree, allowance, fiatTolerance, type Tolerance, type Tolerances } from './tolerance.ts';

/** A quote is recognised by its amount though a thousandth is missing: whether that may be missing is another question. */
const RECOGNISED = Decimal.of(1n, 3);

/** True where the fiat value or the crypto amount is the quote's: the quote is for this very amount. */
export function sameAmount(state: RecordState, method: QuotedMethod, tolerances: Tolerances): boolean {
  return isOfAmount(state, method, tolerances, amountTolerance(tolerances, state.fiatCurrency));
}

/** The same where nothing is missing of it: what is only recognised may be another user's. */
export function justAmount(state: RecordState, method: QuotedMethod, tolerances: Tolerances): boolean {
  return isOfAmount(state, method, tolerances, fiatTolerance(tolerances, state.fiatCurrency, AMOUNT_RULE));
}

/** Both sides of it are the quoted ones, as those of a locked price are. */
export function bothAmounts(state: RecordState, method: QuotedMethod, tolerances: Tolerances): boolean {
  const fiat = fiatTolerance(tolerances, state.fiatCurrency, AMOUNT_RULE);
  return isOfFiat(state, method, fiat) && isOfTokens(state, method, tolerances);
}

function isOfAmount(state: RecordState, method: QuotedMethod, tolerances: Tolerances, fiat: Tolerance): boolean {
  return isOfFiat(state, method, fiat) || isOfTokens(state, method, tolerances);
}

function isOfFiat({ fiatValue: is }: RecordState, { fiatValue: quoted }: QuotedMethod, fiat: Tolerance): boolean {
  return agree(is, quoted, allowance(fiat, quoted));
}

function isOfTokens(state: RecordState, method: QuotedMethod, { crypto }: Tolerances): boolean {
  const quotedUnits = Decimal.of(method.cryptoUnits);
  return agree(Decimal.of(state.cryptoUnits), quotedUnits, crypto.relative.times(quotedUnits));
}

/** A quote whose total is no amount that can be paid was asked for by its tokens. */
export function isAskedByTokens({ fiatValue }: QuotedMethod, currency: string): boolean {
  return !fiatValue.rounded(minorUnitDigits(currency) ?? 2).equals(fiatValue);
}

/** Whether what a quote was asked for decides about a total: one that is as near as a price may be, or for the very tokens. */
export function mayBeByTokens(state: RecordState, { method, quote }: MatchedQuote, { rate }: Tolerances): boolean {
  if (state.kind === 'sale' || method === null || state.fiatValue.equals(method.fiatValue)) return false;
  const isForTokens = tokensOf(state).equals(Decimal.of(method.cryptoUnits, quote.asset.decimals));
  return isForTokens || agree(state.fiatValue, method.fiatValue, rate.sinceQuote.times(method.fiatValue));
}

/**
 * Of a quote that was asked for by its tokens the total moves with the price until the purchase is made, and from then on the tokens do.
 * Until then it is as near as a price may be that is not judged. So are its tokens and their value where a campaign took a part of the fee off
 * the total; a fee above the quoted one makes it another user's quote.
 */
export function nearAmount(state: RecordState, method: QuotedMethod, tolerances: Tolerances): boolean {
  if (state.kind === 'sale') return false;
  const isNearly = (is: Decimal, of: Decimal) => agree(is, of, tolerances.rate.sinceQuote.times(of));
  if (isNearly(state.fiatValue, method.fiatValue)) return true;
  return (
    state.appliedFee !== null &&
    !state.appliedFee.greaterThan(method.appliedFee) &&
    isNearly(Decimal.of(state.cryptoUnits), Decimal.of(method.cryptoUnits)) &&
    isNearly(state.fiatValue.minus(state.appliedFee), method.fiatValue.minus(method.appliedFee))
  );
}

/** For nearly the amount, and a total that can be paid: the quote is the record's where its request asked for tokens, and another one's else. */
export function isOnlyNear(state: RecordState, { basis, method }: MatchedQuote, tolerances: Tolerances): boolean {
  if (basis !== 'captured' || method === null || state.fiatValue.equals(method.fiatValue)) return false;
  return !isAskedByTokens(method, state.fiatCurrency) && !sameAmount(state, method, tolerances);
}

function amountTolerance(tolerances: Tolerances, currency: string): Tolerance {
  const { absolute, relative } = fiatTolerance(tolerances, currency, AMOUNT_RULE);
  return { absolute, relative: maxDecimal(relative, RECOGNISED) };
}

/** The least and the most that a quote's amount can be, both included; null is without an upper bound. */
export type AmountBounds = readonly [least: Decimal, most: Decimal | null];

/** Bounds of a quote's amounts, in fiat and in units of the asset. */
export interface QuotedAmounts {
  fiat: AmountBounds;
  units: AmountBounds;
}

/**
 * Wherever `sameAmount` or `nearAmount` holds, the quote's fiat value or its units lie within these bounds: a database leaves out by them
 * what cannot fit, and those two decide.
 */
export function quotedAmountsFor(state: RecordState, tolerances: Tolerances): QuotedAmounts {
  const { absolute, relative } = amountTolerance(tolerances, state.fiatCurrency);
  const nearest = state.kind === 'purchase' ? tolerances.rate.sinceQuote : Decimal.ZERO;
  return {
    fiat: expectedWithin(state.fiatValue, absolute, maxDecimal(relative, nearest)),
    units: expectedWithin(Decimal.of(state.cryptoUnits), Decimal.ZERO, maxDecimal(tolerances.crypto.relative, nearest)),
  };
}

/** The divisions below are rounded; a bound further out by this reads no more quotes and misses none. */
const ROUNDED_PLACES = 12;
const ROUNDING = Decimal.of(1n, ROUNDED_PLACES);

/** The expected values q with |actual − q| ≤ max(absolute, relative × q); actual and q are not negative. */
function expectedWithin(actual: Decimal, absolute: Decimal, relative: Decimal): AmountBounds {
  const least = minDecimal(
    actual.minus(absolute),
    actual.dividedBy(Decimal.ONE.plus(relative), ROUNDED_PLACES).minus(ROUNDING),
  );
  if (!relative.lessThan(Decimal.ONE)) return [least, null];
  const most = actual.dividedBy(Decimal.ONE.minus(relative), ROUNDED_PLACES).plus(ROUNDING);
  return [least, maxDecimal(actual.plus(absolute), most)];
}

/**
 * A fee depends on the size of a purchase (spec §2.1): a quote tells what it is at this one where the total or the tokens are within a
 * hundredth of its own. It then is the quoted fee, or the quoted share of the value that was converted, whichever is nearer. Of another
 * amount two captured quotes around it tell the least and the greatest share.
 */
export function feesAtAmount(
  state: RecordState,
  actual: FeeParts,
  quoted: QuotedParts,
  method: QuotedMethod,
  { quote, around }: MatchedQuote,
): Decimal | null {
  const tokens = tokensOf(state);
  const quotedTokens = Decimal.of(method.cryptoUnits, quote.asset.decimals);
  if (tokens.equals(quotedTokens) || state.fiatValue.equals(method.fiatValue)) return quoted.applied;
  const { applied, network: actualNetwork } = actual;
  if (!isForAmount(state, method, quote)) {
    if (around === undefined || applied === null || actualNetwork === null || quoted.network === null) return null;
    const converted = valueConverted(state.kind, state.fiatValue, applied);
    return feeBetween(around, 'own', converted, serviceFee(applied, actualNetwork))?.plus(quoted.network) ?? null;
  }
  if (applied === null || !quoted.cv.isPositive) return quoted.applied;
  const value = valueConverted(state.kind, state.fiatValue, applied);
  const network = quoted.network ?? Decimal.ZERO;
  const own = serviceFee(quoted.applied, quoted.network);
  const share = own.times(value).dividedBy(quoted.cv, ROUNDED_PLACES).plus(network);
  const isShare = share.minus(applied).abs().lessThan(quoted.applied.minus(applied).abs());
  return isShare ? share : quoted.applied;
}

/** Figures that are rounded on both sides, and a network fee that moved between them. */
const ROUNDED_UNITS = Decimal.of(2n);

/** Whether the Service's own fee is the quoted one, or the quoted share of the value that was converted. False where the record names none. */
export function isQuotedFee(state: RecordState, method: QuotedMethod): boolean {
  const hasBoth = state.networkFee !== null && method.networkFee !== null;
  const own = state.appliedFee === null ? null : serviceFee(state.appliedFee, hasBoth ? state.networkFee : null);
  return isQuotedShare(state, method, own, serviceFee(method.appliedFee, hasBoth ? method.networkFee : null));
}

/** The base fee is stated before discounts: where it is the quoted one, and the fee is not, the campaign may be another user's. */
export function isQuotedBase(state: RecordState, method: QuotedMethod): boolean {
  return isQuotedShare(state, method, state.baseFee, method.baseFee);
}

function isQuotedShare(
  { kind, fiatCurrency, fiatValue, appliedFee }: RecordState,
  method: QuotedMethod,
  is: Decimal | null,
  quoted: Decimal | null,
): boolean {
  const quotedValue = valueConverted(kind, method.fiatValue, method.appliedFee);
  if (is === null || quoted === null || appliedFee === null || !quotedValue.isPositive) return false;
  const share = quoted.times(valueConverted(kind, fiatValue, appliedFee)).dividedBy(quotedValue, ROUNDED_PLACES);
  const exact = ROUNDED_UNITS.times(minorUnit(fiatCurrency) ?? Decimal.ZERO);
  const converted = method.networkFeeExact
    ? Decimal.ZERO
    : (method.networkFee ?? Decimal.ZERO).times(Decimal.HUNDREDTH);
  const room = exact.plus(converted);
  return agree(is, quoted, room) || agree(is, share, room);
}

/** Whether the total or the tokens are within a hundredth of the quoted ones. */
export function isForAmount(state: RecordState, method: QuotedMethod, { asset }: Pick<Quote, 'asset'>): boolean {
  const quotedTokens = Decimal.of(method.cryptoUnits, asset.decimals);
  return isNear(tokensOf(state), quotedTokens) || isNear(state.fiatValue, method.fiatValue);
}

function isNear(actual: Decimal, quoted: Decimal): boolean {
  return agree(actual, quoted, quoted.abs().times(Decimal.HUNDREDTH));
}
