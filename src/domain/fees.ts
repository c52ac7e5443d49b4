/**
 * The quoted fee of a record, the charged fee, and the variances between them. Computed once per case,
 * for rules and reports alike.
 */
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import {
  type FeeParts,
  feePercentOf,
  PERCENT_PLACES,
  partsOfQuote,
  partsOfRecord,
  type QuotedParts,
  serviceFee,
  tokensOf,
} from './fee-parts.ts';
import { type MatchedQuote, type QuotedMethod, sameTerms } from './quote.ts';
import type { GlobalTerms } from './reference.ts';
import { AMOUNT_RULE, FEE_RULES } from './rule-codes.ts';
import type { RecordState } from './snapshot.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from './tolerance.ts';

/** actual − quoted. `applied` is always the exact sum of the other three, unknown parts counting as nothing. */
interface FeeVariance extends Pick<FeeParts, 'applied' | 'base' | 'network'> {
  /** What the known parts do not explain of the applied fee's variance. */
  adjustment: Decimal | null;
  /** Percent of the quoted rate, 6 places. */
  ratePercent: Decimal | null;
}

/** One part of the fee, compared with its expected amount. */
export interface ComparedPart {
  actual: Decimal;
  /** As quoted; or, where the quote is for another amount, what its percentages come to at this one. */
  expected: Decimal;
  difference: Decimal;
  allowed: Decimal;
  agrees: boolean;
}

export interface FeeComparison {
  actual: FeeParts;
  /** Null where no quote belongs to the record, or the quote lacks its method or is for another currency or asset. */
  quoted: QuotedParts | null;
  variance: FeeVariance | null;
  /** `amount`: figure against figure. `percent`: the quote is for another amount or a fresh one, so shares of cv are compared. */
  comparedAs: 'amount' | 'percent' | null;
  applied: ComparedPart | null;
  base: ComparedPart | null;
  network: ComparedPart | null;
  /** Whether every part that could be compared agrees; null where none could. */
  withinTolerance: boolean | null;
  /** Service fee (applied − network) as a percentage of cv, 6 places. */
  feePercent: Decimal | null;
}

/** Digits kept where a division cannot be exact: far below any tolerance. */
const RATE_PLACES = 18;

function subtract(actual: Decimal | null, quoted: Decimal | null): Decimal | null {
  return actual === null || quoted === null ? null : actual.minus(quoted);
}

function varianceOf(actual: FeeParts, quoted: FeeParts, ratePercent: Decimal | null): FeeVariance {
  const applied = subtract(actual.applied, quoted.applied);
  const base = subtract(actual.base, quoted.base);
  const network = subtract(actual.network, quoted.network);
  // The adjustment takes what the known parts leave, so that every row foots even where a quote lacks a part.
  const adjustment = applied === null ? null : applied.minus(base ?? Decimal.ZERO).minus(network ?? Decimal.ZERO);
  return applied === null
    ? { applied, base: null, network: null, adjustment, ratePercent }
    : { applied, base, network, adjustment, ratePercent };
}

function percentChange(actual: Decimal, quoted: Decimal | null): Decimal | null {
  if (quoted === null || quoted.isZero) return null;
  return actual.minus(quoted).times(Decimal.HUNDRED).dividedBy(quoted, PERCENT_PLACES);
}

/** Without rates on both sides (sales), fiat per token received stands in: like is compared with like. */
function rateVariance(
  state: RecordState,
  actual: FeeParts,
  quoted: FeeParts,
  method: QuotedMethod,
  quotedDecimals: number,
): Decimal | null {
  if (actual.exchangeRate !== null) return percentChange(actual.exchangeRate, quoted.exchangeRate);
  const tokens = tokensOf(state);
  const quotedTokens = Decimal.of(method.cryptoUnits, quotedDecimals);
  if (tokens.isZero || quotedTokens.isZero) return null;
  return percentChange(
    actual.fiatValue.dividedBy(tokens, RATE_PLACES),
    quoted.fiatValue.dividedBy(quotedTokens, RATE_PLACES),
  );
}

function comparePart(
  actual: Decimal | null,
  expected: Decimal | null,
  allowed: (expected: Decimal) => Decimal,
): ComparedPart | null {
  if (actual === null || expected === null) return null;
  const limit = allowed(expected);
  return {
    actual,
    expected,
    difference: actual.minus(expected),
    allowed: limit,
    agrees: agree(actual, expected, limit),
  };
}

/** True where the fiat value or the crypto amount is the quote's, within tolerance: the quote is for this very amount. */
export function sameAmount(state: RecordState, method: QuotedMethod, tolerances: Tolerances): boolean {
  const fiat = allowance(fiatTolerance(tolerances, state.fiatCurrency, AMOUNT_RULE), method.fiatValue);
  if (agree(state.fiatValue, method.fiatValue, fiat)) return true;
  const quotedUnits = Decimal.of(method.cryptoUnits);
  return agree(Decimal.of(state.cryptoUnits), quotedUnits, tolerances.crypto.relative.times(quotedUnits));
}

/** The least and the most that a quote's amount can be, both included; null is without an upper bound. */
export type AmountBounds = readonly [least: Decimal, most: Decimal | null];

/** Bounds of a quote's amounts, in fiat and in units of the asset. */
export interface QuotedAmounts {
  fiat: AmountBounds;
  units: AmountBounds;
}

/**
 * Wherever `sameAmount` holds, the quote's fiat value or its units lie within these bounds: a database leaves out by them
 * what cannot fit, and `sameAmount` decides.
 */
export function quotedAmountsFor(state: RecordState, tolerances: Tolerances): QuotedAmounts {
  const { absolute, relative } = fiatTolerance(tolerances, state.fiatCurrency, AMOUNT_RULE);
  return {
    fiat: expectedWithin(state.fiatValue, absolute, relative),
    units: expectedWithin(Decimal.of(state.cryptoUnits), Decimal.ZERO, tolerances.crypto.relative),
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

/** Compares a verified record with its quote. Pure; exact but for the documented divisions. */
export function compareFees(state: RecordState, matched: MatchedQuote | null, tolerances: Tolerances): FeeComparison {
  const actual = partsOfRecord(state);
  const feePercent = feePercentOf(actual);
  const method = matched?.method ?? null;
  if (matched === null || method === null || !sameTerms(state, matched)) {
    return {
      actual,
      quoted: null,
      variance: null,
      comparedAs: null,
      applied: null,
      base: null,
      network: null,
      withinTolerance: null,
      feePercent,
    };
  }
  const quoted = partsOfQuote(method, matched);
  const variance = varianceOf(
    actual,
    quoted,
    rateVariance(state, actual, quoted, method, matched.quote.asset.decimals),
  );
  const compared =
    matched.basis === 'requoted' || !sameAmount(state, method, tolerances)
      ? compareShares(state, actual, quoted, matched.basis, tolerances)
      : compareFigures(state, actual, quoted, method, tolerances);
  const parts = [compared.applied, compared.base, compared.network].filter((part) => part !== null);
  return {
    actual,
    quoted,
    variance,
    ...compared,
    withinTolerance: parts.length === 0 ? null : parts.every((part) => part.agrees),
    feePercent,
  };
}

/** A network fee that was converted is only as good as the price list it went through: one percent more may differ. */
export function conversionRoom(expected: Decimal): Decimal {
  return expected.abs().times(Decimal.HUNDREDTH);
}

/**
 * The room of a fee where shares of cv are compared: so many percentage points of cv. By a quote for another amount no more than the
 * fee changes by with the amount: near the quoted amount it is near the quoted fee, and the points would hide a part of any fee.
 * @param quoted before it was carried over to the amount, as `expected` is. Equal for a network fee, which is carried over as it is.
 */
export function shareRoom(
  { requoted }: Tolerances,
  basis: MatchedQuote['basis'],
  cv: Decimal,
  quoted: Decimal,
  expected: Decimal,
): Decimal {
  const points = requoted.percentPoints.times(cv.abs()).times(Decimal.HUNDREDTH);
  return basis === 'requoted' || expected.equals(quoted) ? points : minDecimal(points, expected.minus(quoted).abs());
}

type Compared = Pick<FeeComparison, 'comparedAs' | 'applied' | 'base' | 'network'>;

function compareFigures(
  state: RecordState,
  actual: FeeParts,
  quoted: FeeParts,
  method: QuotedMethod,
  tolerances: Tolerances,
): Compared {
  const allowed = (rule: string) => (expected: Decimal) =>
    allowance(fiatTolerance(tolerances, state.fiatCurrency, rule), expected);
  const network = method.networkFeeExact
    ? allowed(FEE_RULES.network)
    : (expected: Decimal) => allowed(FEE_RULES.network)(expected).plus(conversionRoom(expected));
  return {
    comparedAs: 'amount',
    applied: comparePart(actual.applied, quoted.applied, allowed(FEE_RULES.applied)),
    base: comparePart(actual.base, quoted.base, allowed(FEE_RULES.base)),
    network: comparePart(actual.network, quoted.network, network),
  };
}

/**
 * Another amount: the service fee's share of cv must hold within the percentage points; the network fee is a price of
 * its own that does not grow with the amount, so it is carried over as it is.
 */
function compareShares(
  state: RecordState,
  actual: FeeParts,
  quoted: QuotedParts,
  basis: MatchedQuote['basis'],
  tolerances: Tolerances,
): Compared {
  const cv = actual.cv;
  const unknown = { comparedAs: 'percent', applied: null, base: null, network: null } as const;
  if (cv === null || quoted.cv.isZero || quoted.cv.isNegative) return unknown;
  const compare = (rule: string, is: Decimal | null, figure: Decimal | null, expected: Decimal | null) =>
    figure === null
      ? null
      : comparePart(is, expected, (at) =>
          maxDecimal(
            allowance(fiatTolerance(tolerances, state.fiatCurrency, rule), at),
            shareRoom(tolerances, basis, cv, figure, at),
          ),
        );
  // What a quoted figure comes to at this record's cv: its share of cv is kept.
  const scaled = (quotedFigure: Decimal) => quotedFigure.times(cv).dividedBy(quoted.cv, RATE_PLACES);
  const applied = scaled(serviceFee(quoted.applied, quoted.network)).plus(quoted.network ?? Decimal.ZERO);
  return {
    comparedAs: 'percent',
    applied: compare(FEE_RULES.applied, actual.applied, quoted.applied, applied),
    base: compare(FEE_RULES.base, actual.base, quoted.base, quoted.base === null ? null : scaled(quoted.base)),
    network: compare(FEE_RULES.network, actual.network, quoted.network, quoted.network),
  };
}

/** The published band for a record: figures of `global` in the record's currency, or null where they do not apply. */
export function feeBounds(
  state: RecordState,
  global: GlobalTerms | null,
): { min: Decimal; max: Decimal; amount: Decimal } | null {
  if (global === null || global.currencyCode !== state.fiatCurrency) return null;
  const { minFeePercent, maxFeePercent, minFeeAmount } = global;
  if (minFeePercent === null || maxFeePercent === null || minFeeAmount === null) return null;
  return { min: minFeePercent, max: maxFeePercent, amount: minFeeAmount };
}
