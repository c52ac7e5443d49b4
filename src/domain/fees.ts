/**
 * The quoted fee of a record, the charged fee, and the variances between them. Computed once per case,
 * for rules and reports alike.
 */
import { type Compared, comparePart, comparePromise, type FeeTerms } from './compare-promise.ts';
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import {
  type FeeParts,
  PERCENT_PLACES,
  partsOfQuote,
  partsOfRecord,
  type QuotedParts,
  serviceFee,
  tokensOf,
} from './fee-parts.ts';
import { type MatchedQuote, type QuotedMethod, sameTerms } from './quote.ts';
import { feesAtAmount, sameAmount } from './quoted-amount.ts';
import type { GlobalTerms } from './reference.ts';
import { FEE_RULES } from './rule-codes.ts';
import type { RecordState } from './snapshot.ts';
import { allowance, fiatTolerance, type Tolerances } from './tolerance.ts';

/** actual − quoted, for reports. `applied` is always the exact sum of the other three, unknown parts counting as nothing. */
interface FeeVariance extends Pick<FeeParts, 'applied' | 'base' | 'network'> {
  /** What the known parts do not explain of the applied fee's variance. */
  adjustment: Decimal | null;
  /** Percent of the quoted rate, 6 places. */
  ratePercent: Decimal | null;
}

/** Both sides of a record's fee, in its fiat currency. */
export interface FeeComparison extends Compared {
  actual: FeeParts;
  /** Null where no quote belongs to the record, or the quote lacks its method or is for another currency or asset. */
  quoted: QuotedParts | null;
  /** Whether every part that could be compared agrees; null where none could. */
  withinTolerance: boolean | null;
  /** What the quoted fees are at the record's amount; null where the quote does not tell. */
  feesAtAmount: Decimal | null;
}

/** Digits kept where a division cannot be exact: far below any tolerance. */
const RATE_PLACES = 18;

function subtract(actual: Decimal | null, quoted: Decimal | null): Decimal | null {
  return actual === null || quoted === null ? null : actual.minus(quoted);
}

/** Null without a quote to compare with. */
export function varianceOf(
  state: RecordState,
  matched: MatchedQuote | null,
  { actual, quoted }: FeeComparison,
): FeeVariance | null {
  const method = matched?.method ?? null;
  if (matched === null || method === null || quoted === null) return null;
  const ratePercent = rateVariance(state, actual, quoted, method, matched.quote.asset.decimals);
  const applied = subtract(actual.applied, quoted.applied);
  if (applied === null) return { applied, base: null, network: null, adjustment: null, ratePercent };
  const base = subtract(actual.base, quoted.base);
  const network = subtract(actual.network, quoted.network);
  // The adjustment takes what the known parts leave, so that every row foots even where a quote lacks a part.
  const adjustment = applied.minus(base ?? Decimal.ZERO).minus(network ?? Decimal.ZERO);
  return { applied, base, network, adjustment, ratePercent };
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

/** Compares a verified record with its quote. Pure; exact but for the documented divisions. */
export function compareFees(state: RecordState, matched: MatchedQuote | null, terms: FeeTerms): FeeComparison {
  const actual = partsOfRecord(state);
  const method = matched?.method ?? null;
  const around = matched?.around;
  if (matched === null || method === null || !sameTerms(state, matched)) {
    return {
      actual,
      quoted: null,
      comparedAs: null,
      applied: null,
      base: null,
      network: null,
      withinTolerance: null,
      feesAtAmount: null,
    };
  }
  const quoted = partsOfQuote(method, matched);
  const { tolerances, binding } = terms;
  const feesHere = feesAtAmount(state, actual, quoted, method, matched);
  const isByShare =
    matched.basis === 'requoted' || (binding.price === 'locked' && !sameAmount(state, method, tolerances));
  const compared = isByShare
    ? compareShares(state, actual, quoted, matched.basis, tolerances)
    : comparePromise({
        state,
        actual,
        quoted,
        method,
        isForAmount: binding.price === 'locked' || feesHere !== null,
        around: (feesHere === null ? null : around) ?? null,
        quote: matched.quote,
        terms,
      });
  const parts = [compared.applied, compared.base, compared.network].filter((part) => part !== null);
  return {
    actual,
    quoted,
    ...compared,
    withinTolerance: parts.length === 0 ? null : parts.every((part) => part.agrees),
    feesAtAmount: feesHere,
  };
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
