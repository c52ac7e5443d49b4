/** The fees of a record held against its promise, part by part. Pure. */
import { minorUnit } from './currency.ts';
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import {
  type FeeParts,
  MOST_UNNAMED,
  type QuotedParts,
  serviceFee,
  valueConverted,
  valueOfRecord,
} from './fee-parts.ts';
import { both, type SeenBySource, SHORT_WINDOW, seenByAny, within } from './market.ts';
import { type MinimumTerms, movedMinimum } from './moved-minimum.ts';
import type { Quote, QuotedMethod, QuotesAround } from './quote.ts';
import { feeBetween } from './quotes-around.ts';
import { FEE_RULES } from './rule-codes.ts';
import type { RecordState } from './snapshot.ts';
import { allowance, BODY_NOISE, fiatTolerance, type QuoteBinding, type Tolerances } from './tolerance.ts';

/** Digits kept where a division cannot be exact: far below any tolerance. */
const RATE_PLACES = 18;
/** Two fees are rounded to half a unit each, and the values of which they are shares as well: together a little more than a unit. */
const CARRIED_OVER = Decimal.of(1n, 1);

/** Network fees treble within hours; beyond that nothing explains one, seen or not. */
const WIDEST_FEE = Decimal.of(3n);

/** One part of the fee, compared with its expected amount. */
export interface ComparedPart {
  /** The record's, in its fiat currency. */
  actual: Decimal;
  /** As quoted; or, where the quote is for another amount, what its percentages come to at this one. */
  expected: Decimal;
  /** actual − expected: plus is against the user. */
  difference: Decimal;
  /** The largest difference, without its sign, that is no break. */
  allowed: Decimal;
  agrees: boolean;
}

/** The parts that could be compared, and how. */
export interface Compared {
  /**
   * `amount`: figure against figure. `percent`: the quote is a fresh one, or for another amount and binding, so shares of cv are compared.
   * `network`: the quote is for another amount, which its other fees say nothing about.
   */
  comparedAs: 'amount' | 'percent' | 'network' | null;
  applied: ComparedPart | null;
  base: ComparedPart | null;
  network: ComparedPart | null;
  /** The base fee was taken for a minimum that moved with a rate, and no list of its currency tells it. */
  isMinimumUnlisted?: true;
}

/** What a comparison with a quote goes by. */
export interface FeeTerms extends MinimumTerms {
  tolerances: Tolerances;
  /** Network fees that others saw around the execution. */
  networkFees: SeenBySource;
  /** How long a part of the execution window had no network fee that is known; null before the execution, when it is an estimate. */
  unseen: number | null;
}

/** A network fee that was converted is only as good as the price list it went through: one percent more may differ. */
function conversionRoom(expected: Decimal): Decimal {
  return expected.abs().times(Decimal.HUNDREDTH);
}

/** Converted, and rounded. */
const networkNoise = (fee: Decimal, unit: Decimal) => conversionRoom(fee).plus(unit);

export function comparePart(
  actual: Decimal | null,
  expected: Decimal | null,
  allowed: (expected: Decimal) => Decimal,
): ComparedPart | null {
  if (actual === null || expected === null) return null;
  const limit = allowed(expected);
  const difference = actual.minus(expected);
  const excess = difference.abs().minus(limit);
  const agrees = !excess.isPositive || !excess.greaterThan(BODY_NOISE.times(expected.abs()));
  return { actual, expected, difference, allowed: limit, agrees };
}

/** A record and its quote, both in parts. */
export interface Promised {
  state: RecordState;
  actual: FeeParts;
  quoted: QuotedParts;
  method: QuotedMethod;
  /** Whether the quote, or two quotes around it, tell what fees are at this amount. */
  isForAmount: boolean;
  /** The two, where the quote is for another amount. */
  around: QuotesAround | null;
  quote: Quote;
  terms: FeeTerms;
}

/**
 * The fees as promised, to the minor unit. An indicative network fee may move. Of the Service's own fee the quoted amount was promised or,
 * where the price is indicative, the quoted share of the value that was in fact converted; or what lies between the two, as where a
 * percentage takes over from a minimum.
 */
export function comparePromise(promised: Promised): Compared {
  const { state, actual, quoted, method, isForAmount, around, quote, terms } = promised;
  const { tolerances, binding, movingMinimum } = terms;
  const allowed = (rule: string) => (expected: Decimal) =>
    allowance(fiatTolerance(tolerances, state.fiatCurrency, rule), expected);
  const conversion = (expected: Decimal) => (method.networkFeeExact ? Decimal.ZERO : conversionRoom(expected));
  const network = compareNetwork(actual, quoted, terms, (expected) =>
    allowed(FEE_RULES.network)(expected).plus(conversion(expected)),
  );
  if (!isForAmount) return { comparedAs: 'network', applied: null, base: null, network };
  const unit = minorUnit(state.fiatCurrency) ?? Decimal.ZERO;
  const compareApplied = (expected: Decimal) =>
    comparePart(actual.applied, expected, (at) =>
      allowed(FEE_RULES.applied)(at)
        .plus(networkRoom(actual, quoted, method, terms))
        // Parts that moved are rounded each by itself, and a listed network fee is not rounded at all.
        .plus(at.equals(quoted.applied) ? Decimal.ZERO : unit),
    );
  // Most records: each part is the quoted one, so that nothing has to be carried over.
  if (around === null && isAsQuoted(state, actual, quoted, method)) {
    const base = comparePart(actual.base, quoted.base, allowed(FEE_RULES.base));
    return { comparedAs: 'amount', applied: compareApplied(quoted.applied), base, network };
  }
  const value = valueOfRecord(state, actual);
  const nearest = (is: Decimal | null, figure: Decimal, ...others: readonly Decimal[]) => {
    if (is === null || is.equals(figure) || value === null || binding.price === 'locked') return figure;
    if (!quoted.cv.isPositive) return figure;
    // Where a waiver was not given at all, less is converted because of that.
    const isNotGiven = figure.isNegative && !is.isNegative;
    const byValue = isNotGiven ? [] : [figure.times(value).dividedBy(quoted.cv, RATE_PLACES)];
    const figures = [figure, ...byValue, ...others];
    return within({ low: figures.reduce(minDecimal), high: figures.reduce(maxDecimal) }, is);
  };
  const isEstimate = network === null && quoted.network !== null && binding.networkFee === 'indicative';
  // A quoted fee that is less than its own asset's network fee does not contain that one: it says nothing of how the two move together.
  const isContained =
    quoted.network === null || !quoted.network.minus(networkNoise(quoted.network, unit)).greaterThan(quoted.applied);
  const moved = !isContained ? null : isEstimate ? actual.network : acceptedNetworkFee(network, binding);
  const own = actual.applied === null ? null : serviceFee(actual.applied, moved === null ? null : actual.network);
  const between = around === null ? null : feesBetween(around, state, actual, own);
  const minimum = movedMinimum(state, quoted.base, quote, terms);
  const quotedBase = quoted.base === null ? null : nearest(actual.base, quoted.base.plus(minimum));
  const base = between === null ? quotedBase : between.base;
  const quotedOwn = serviceFee(quoted.applied, moved === null ? null : quoted.network);
  // A host's fee goes by the value where the base fee beside it is a minimum, and a waiver by the base fee: each by itself. A waiver may hide
  // a host's fee that neither side names.
  const [host, quotedHost] = hostFees(
    { fee: state.hostFeeCut, value, beside: minusOrNull(own, actual.base) },
    { fee: method.hostFeeCut, value: quoted.cv, beside: minusOrNull(quotedOwn, quoted.base) },
    unit,
  );
  const besideBase = (is: Decimal, of: Decimal, figure: Decimal) => {
    if (of.isZero) return nearest(is, figure);
    const withBase = (each: Decimal) => each.times(base ?? of).dividedBy(of, RATE_PLACES);
    const isUnnamed = state.hostFeeCut === null && method.hostFeeCut === null && value !== null && figure.isNegative;
    const unnamed = isUnnamed ? MOST_UNNAMED.times(value.minus(withBase(quoted.cv))) : Decimal.ZERO;
    return nearest(is, figure, withBase(figure), withBase(figure).plus(unnamed));
  };
  const expected =
    between?.own ??
    (base === null || actual.base === null || own === null || quoted.base === null
      ? nearest(own, quotedOwn)
      : base
          .plus(nearest(host, quotedHost))
          .plus(
            besideBase(own.minus(actual.base).minus(host), quoted.base, quotedOwn.minus(quoted.base).minus(quotedHost)),
          ));
  const inParts = compareApplied(expected.plus(moved ?? Decimal.ZERO));
  // The quoted fee was promised as a whole too: who pays that one paid no more, though its network fee became lower.
  const asWhole = around === null && inParts?.agrees === false ? compareApplied(quoted.applied) : null;
  // Above the whole quoted fee the loss is what exceeds it: a lower network fee was no promise.
  const isAbove =
    asWhole?.difference.isPositive === true && asWhole.difference.lessThan(inParts?.difference ?? Decimal.ZERO);
  const isByMinimum = between === null && movingMinimum === 'unknown' && !minimum.isZero;
  return {
    ...(isByMinimum ? { isMinimumUnlisted: true } : {}),
    comparedAs: 'amount',
    applied: asWhole?.agrees === true || isAbove ? asWhole : inParts,
    base: comparePart(actual.base, base, (at) =>
      allowed(FEE_RULES.base)(at).plus(
        between !== null ? unit : at.equals(quoted.base ?? at) ? Decimal.ZERO : unit.times(CARRIED_OVER),
      ),
    ),
    network,
  };
}

const minusOrNull = (all: Decimal | null, part: Decimal | null) =>
  all === null || part === null ? null : all.minus(part);

/** The host's fee of one side, the value converted, and the Service's fee without its base fee; null where it is not known. */
interface HostFee {
  /** The host's, as this side states it. */
  fee: Decimal | null;
  /** The value converted, of which a host may take a share. */
  value: Decimal | null;
  /** The Service's fee less its base fee: a host's fee that is not named is in here. */
  beside: Decimal | null;
}

/**
 * A host's fee that one side alone states is in the other side's fee too: the same, or that share of its value, whichever leaves less
 * unexplained; none on both sides where nothing is beside the quoted base fee, of which it is a part then.
 */
function hostFees(actual: HostFee, quoted: HostFee, unit: Decimal): readonly [actual: Decimal, quoted: Decimal] {
  if (actual.fee !== null && quoted.fee !== null) return [actual.fee, quoted.fee];
  const [stating, other] = actual.fee === null ? [quoted, actual] : [actual, quoted];
  const { fee } = stating;
  if (fee === null || other.beside === null || quoted.beside?.abs().greaterThan(unit) !== true)
    return [Decimal.ZERO, Decimal.ZERO];
  const byValue =
    other.value === null || stating.value?.isPositive !== true
      ? fee
      : fee.times(other.value).dividedBy(stating.value, RATE_PLACES);
  const left = (side: Decimal, taken: Decimal) => side.minus(taken).abs();
  const carried = left(other.beside, byValue).lessThan(left(other.beside, fee)) ? byValue : fee;
  return actual.fee === null ? [carried, fee] : [fee, carried];
}

function isAsQuoted({ hostFeeCut }: RecordState, actual: FeeParts, quoted: QuotedParts, method: QuotedMethod): boolean {
  const same = (is: Decimal | null, of: Decimal | null) => is !== null && of !== null && is.equals(of);
  const isHostSame = hostFeeCut === null || method.hostFeeCut === null || hostFeeCut.equals(method.hostFeeCut);
  return (
    isHostSame &&
    same(actual.applied, quoted.applied) &&
    same(actual.base, quoted.base) &&
    same(actual.network, quoted.network)
  );
}

/** What the Service's own fees come to between two quotes; null where the record does not name its own. */
function feesBetween(
  around: QuotesAround,
  state: RecordState,
  { applied, base }: FeeParts,
  own: Decimal | null,
): { own: Decimal | null; base: Decimal | null } | null {
  if (applied === null || own === null) return null;
  const converted = valueConverted(state.kind, state.fiatValue, applied);
  return {
    own: feeBetween(around, 'own', converted, own),
    base: base === null ? null : feeBetween(around, 'base', converted, base),
  };
}

/** The nearest of the quoted fee and those that others saw then; it may be off by a share, where it is indicative. */
function compareNetwork(
  { network: actual }: FeeParts,
  { network: quoted }: QuotedParts,
  { tolerances, binding, networkFees, unseen }: FeeTerms,
  allowed: (expected: Decimal) => Decimal,
): ComparedPart | null {
  if (binding.networkFee === 'locked' || actual === null || quoted === null)
    return comparePart(actual, quoted, allowed);
  if (unseen === null) return null;
  const isQuoted = actual.equals(quoted);
  const seen = isQuoted ? null : both({ low: quoted, high: quoted, count: 0 }, seenByAny(networkFees));
  const expected = seen === null ? quoted : within(seen, actual);
  const compared = comparePart(actual, expected, (at) =>
    maxDecimal(allowed(at), tolerances.networkFee.times(at.abs())),
  );
  const isKnown = unseen <= SHORT_WINDOW || compared?.agrees === true || actual.greaterThan(expected.times(WIDEST_FEE));
  return isKnown ? compared : null;
}

/** The network fee that the applied one may contain: the actual one where it moved no further than allowed. */
export function acceptedNetworkFee(network: ComparedPart | null, { networkFee }: QuoteBinding): Decimal | null {
  if (network === null) return null;
  return network.agrees && networkFee === 'indicative' ? network.actual : network.expected;
}

/** How far the applied fee may be off because a side does not state its network fee exactly, which may move. */
function networkRoom(actual: FeeParts, quoted: QuotedParts, method: QuotedMethod, terms: FeeTerms): Decimal {
  if (terms.binding.networkFee === 'locked' || actual.network === null) return Decimal.ZERO;
  if (quoted.network === null) return terms.tolerances.networkFee.times(actual.network.abs());
  return method.networkFeeExact ? Decimal.ZERO : conversionRoom(quoted.network);
}
