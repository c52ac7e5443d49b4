import { minorUnit, showMoney } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { ceilingOf, SALE_FEE, SALE_FEE_EUR } from '../domain/fee-ceilings.ts';
import { leastTokens, serviceFee } from '../domain/fee-parts.ts';
import { feeBounds } from '../domain/fees.ts';
import { quotedHostShare } from '../domain/host-share.ts';
import {
  amountAt,
  betweenLists,
  listedAfter,
  listedRateEur,
  listedRounding,
  type MovingAmount,
  quotedRateEur,
} from '../domain/moving-terms.ts';
import { isPromised, promisingQuote } from '../domain/quote.ts';
import { type Instant, showInstant } from '../domain/record.ts';
import { lossAtMarket } from '../domain/slippage.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree, allowance, fiatTolerance } from '../domain/tolerance.ts';
import { msUntilExecuted } from './date-implausible.ts';
import { cryptoValueLine } from './fee-part-differs.ts';
import { NO_LIST, showLateTerms } from './listings.ts';
import { bodyRule, figuresIn, RIGHTED, type RuleFinding, type RuleInput } from './rule.ts';
import { moneyApart, showShare } from './wording.ts';
import { compared, figure, term, toleranceLine, type Workings, worked } from './working.ts';

const CODE = 'FEE_OUT_OF_BOUNDS';

/**
 * The bounds of the assets response (spec §8.4) hold for the Service's own fee: the network fee and the host's fee inside the applied fee
 * are outside these bounds. Percentages are of cv, the value of the crypto. The off-ramp publishes no bounds: the fee of a sale without a quote
 * is held against the most that sales are known to cost (field facts), because no other rule judges it.
 */
export const feeOutOfBounds = bodyRule({
  code: CODE,
  severity: 'high',
  proof: 'bounds',
  title: 'Outside the published minimum and maximum',
  why: 'The Service has published the most that it charges; a fee above that is wrong even where a quote agreed to it.',
  action:
    'Claim what lies above the published maximum, with the date of the published terms; of a sale, ask how its fee came about.',
  settledBy: RIGHTED,
  example:
    'The fee without the network fee is 100.38 PLN (4.8 % of 2091.21 PLN); the published maximum is 81.56 PLN (the higher of 10.65 PLN and 3.9 %, as of 2026-10-31 00:00 UTC): 18.82 PLN more.',
  note: 'The own fee is the applied fee without network fee and host fee. Below the published minimum, and above the maximum but within a ceiling of the settings (`feeCeilings`), it is only a remark (`info`). A negative one is always found (`medium`). The off-ramp publishes no bounds: a sale without a quote is held against 5 %, or 3 EUR where that is more (`medium`).',
  check(state, input) {
    const negative = negativeFee(state);
    if (negative !== null) return negative;
    const band = bandOf(state, input);
    if (band === null) return lacksBounds(state, input) ? NO_LIST : 'not-applicable';
    const tolerance = fiatTolerance(input.terms.tolerances, state.fiatCurrency, CODE);
    const allowed = allowance(tolerance, band.upper);
    const most = (limit: Decimal, percent: Decimal) => limit.plus(allowed).plus(percentOf(percent, band.unitWorth));
    if (band.fee.greaterThan(most(band.upper, band.published.max))) {
      const ceiling = ceilingOf(input.terms.feeCeilings, state);
      const highest = ceiling === null ? band.upper : maxDecimal(band.upper, percentOf(ceiling, band.value));
      if (mayBeHostFee(band, input, most(highest, ceiling ?? band.published.max))) return 'not-applicable';
      const found = outside(band, 'maximum', allowed, input.moved === 'no');
      const isAccepted =
        ceiling === null
          ? isPromisedFee(input, state)
          : !band.fee.greaterThan(most(percentOf(ceiling, band.value), ceiling));
      if (isAccepted) return { ...found, severity: 'info' };
      // Where the fee is not as quoted, the loss is measured against the quote. A sale without a quote has nothing to measure it against.
      const { difference = null } = found;
      const isElsewhere =
        state.kind === 'sale' || input.fees?.applied?.agrees === false || isHosts(input, state, difference);
      return { ...found, loss: isElsewhere || difference === null ? null : lossAtMarket(input, difference) };
    }
    const allowedBelow = allowance(tolerance, band.lower);
    if (!band.fee.lessThan(band.lower.minus(allowedBelow))) return null;
    // Too little is a discount as a rule: worth a remark, never a break.
    return { ...outside(band, 'minimum', allowedBelow, input.moved === 'no'), severity: 'info' };
  },
  working,
});

/** Of the fee that was quoted the host was to have so much more: what the Service kept of it is no loss of the user's. */
function isHosts({ quote, fees }: RuleInput, { hostFeeCut }: RecordState, difference: Decimal | null): boolean {
  const quoted = isPromised(quote) && fees?.applied?.agrees === true ? (quote?.method?.hostFeeCut ?? null) : null;
  if (quoted === null || hostFeeCut === null || difference === null) return false;
  return !difference.greaterThan(quoted.minus(hostFeeCut));
}

/** The applied fee is less than the network fee inside it. Rates come with 17 digits, so that a billionth is none. */
function negativeFee({ appliedFee, networkFee, fiatCurrency: currency }: RecordState): RuleFinding | null {
  if (appliedFee === null || networkFee === null) return null;
  const fee = serviceFee(appliedFee, networkFee);
  if (!fee.lessThan(NOISE)) return null;
  return {
    field: 'service_fee',
    ...figuresIn('money', { actual: fee, expected: Decimal.ZERO, allowed: Decimal.ZERO, currency }),
    severity: 'medium',
    explanation:
      `The Service's own fee is negative, ${showMoney(fee, currency)}: the network fee of ${showMoney(networkFee, currency)} ` +
      `is more than the whole fee of ${showMoney(appliedFee, currency)}.`,
  };
}

const NOISE = Decimal.of(-1n, 9);
const HALF = Decimal.of(5n, 1);

/**
 * Deployments take more than the published maximum by some methods and currencies. Without a ceiling for those it is no break where the
 * user was quoted that very fee.
 */
function isPromisedFee({ fees, quote }: RuleInput, { hostFeeCut }: RecordState): boolean {
  if (!isPromised(quote) || fees?.comparedAs !== 'amount') return false;
  // The network fee may have moved since: the base fee alone is the own one, where it is what the other two leave.
  const { adjustment } = fees.actual;
  return (
    fees.applied?.agrees === true ||
    (fees.base?.agrees === true && adjustment !== null && agree(adjustment, hostFeeCut ?? Decimal.ZERO, NOISE.abs()))
  );
}

/**
 * A host's fee that the record does not state is somewhere in the applied fee: as much as its quote has, or without one those of its night.
 * One on top of the base fee: where base and network fee leave nothing of the applied fee, the base fee alone is too much.
 */
function mayBeHostFee({ state, fee, cv, unitWorth }: Band, { quote, terms, fees }: RuleInput, most: Decimal): boolean {
  const adjustment = fees?.actual.adjustment ?? null;
  if (state.hostFeeCut !== null || adjustment?.greaterThan(NOISE.abs()) === false) return false;
  const promise = promisingQuote(quote, state);
  const ofQuote = promise === null ? null : quotedHostShare(promise);
  // A v1 quote has no field for it (spec §2.10), and one without the record's method says nothing.
  const mayName = promise?.method != null && promise.quote.api !== 'v1';
  const share = mayName ? ofQuote : (ofQuote ?? terms.hostShare ?? null);
  // Both sides may round it.
  const rounding = minorUnit(state.fiatCurrency) ?? Decimal.ZERO;
  return share !== null && !fee.minus(share.times(cv.plus(unitWorth))).greaterThan(most.plus(rounding));
}

/** No bounds of its currency were captured, and no promise was kept that would allow its fee. */
function lacksBounds(state: RecordState, input: RuleInput): boolean {
  if (state.kind !== 'purchase' || input.reference.global?.currencyCode === state.fiatCurrency) return false;
  const { applied = null, cv = null } = input.fees?.actual ?? {};
  return applied !== null && cv?.isPositive === true && !isPromisedFee(input, state);
}

interface Band {
  state: RecordState;
  /** The record's, network fee inside. */
  applied: Decimal;
  network: Decimal | null;
  /** Value of the crypto, which percentages are taken of. */
  cv: Decimal;
  /** Which maximum percentages are taken of: cv, and where the fee is as quoted, also what the network fee rose by since. */
  value: Decimal;
  /** Of one unit of the asset: tokens are rounded down to a whole one, the value that a fee was taken of is not. */
  unitWorth: Decimal;
  /** The fee without the network fee. */
  fee: Decimal;
  /** As published: an amount, and a percentage for each side. */
  published: { amount: Decimal; min: Decimal; max: Decimal; at: Instant };
  /** As they come out for this record. */
  upper: Decimal;
  lower: Decimal;
}

function bandOf(state: RecordState, input: RuleInput): Band | null {
  const actual = input.fees?.actual;
  const { global } = input.reference;
  if (actual === undefined) return null;
  const { applied, cv } = actual;
  const network = networkInside(input);
  const bounds = feeBounds(state, global) ?? saleBounds(input, state);
  if (bounds === null || applied === null || cv === null || !cv.isPositive) return null;
  const { reference } = input;
  const at = global?.capturedAt ?? state.createdAt ?? 0;
  const rounding = listedRounding(state.fiatCurrency);
  const half = rounding.times(HALF);
  const after = listedAfter(reference, state.fiatCurrency, (listed) => listed.global?.minFeeAmount);
  const least = amountAt(
    state,
    [{ amount: bounds.amount, fiatRateEur: listedRateEur(reference.asset) }, ...after],
    msUntilExecuted(input, at),
  );
  // A fee is of the moment that it was quoted, so the amount holds as it was listed, too, and the lists round it.
  const listed = betweenLists(state.fiatCurrency, [bounds.amount, ...after.map(({ amount }) => amount)]);
  const quoted = amountWhenQuoted(input, state, bounds.amount);
  const value = valueWhenQuoted(input, state, cv);
  return {
    state,
    applied,
    network,
    cv,
    value,
    unitWorth: (state.exchangeRate ?? Decimal.ZERO).times(leastTokens(state)),
    fee: serviceFee(applied, network).minus(state.hostFeeCut ?? Decimal.ZERO),
    published: { ...bounds, at },
    upper: [least.high.plus(half), listed.high.plus(rounding), percentOf(bounds.max, value)].reduce(
      maxDecimal,
      quoted?.high ?? Decimal.ZERO,
    ),
    lower: [least.low.minus(half), listed.low.minus(rounding), percentOf(bounds.min, cv)].reduce(
      minDecimal,
      quoted?.low ?? bounds.amount,
    ),
  };
}

/** Nothing is the least: campaigns and partners have lower fees. */
function saleBounds({ quote, reference }: RuleInput, state: RecordState): ReturnType<typeof feeBounds> {
  const { kind, fiatCurrency, exchangeRate, exchangeRateEur } = state;
  if (kind === 'purchase' || exchangeRate?.isPositive !== true || promisingQuote(quote, state) !== null) return null;
  const stated = exchangeRateEur?.dividedBy(exchangeRate, RATE_PLACES) ?? null;
  const eur = fiatCurrency === 'EUR' ? Decimal.ONE : (stated ?? listedRateEur(reference.asset));
  if (eur?.isPositive !== true) return null;
  return { min: Decimal.ZERO, max: SALE_FEE.times(Decimal.HUNDRED), amount: SALE_FEE_EUR.dividedBy(eur, RATE_PLACES) };
}

const RATE_PLACES = 18;

/** By the quote's own rate: the base fee is fixed when it is quoted, and the body's rate is of its execution. Null where it states none. */
function amountWhenQuoted({ quote, reference }: RuleInput, state: RecordState, amount: Decimal): MovingAmount | null {
  const promise = promisingQuote(quote, state)?.quote;
  const fiatRateEur = promise === undefined ? null : quotedRateEur(promise);
  const listedRate = listedRateEur(reference.asset);
  if (fiatRateEur === null || listedRate === null) return null;
  return amountAt({ fiatCurrency: state.fiatCurrency, fiatRateEur }, [{ amount, fiatRateEur: listedRate }]);
}

/** A fee as quoted was computed from the value before the network fee rose; the rise reduced what was converted. */
function valueWhenQuoted(input: RuleInput, state: RecordState, cv: Decimal): Decimal {
  const { quoted = null, actual } = input.fees ?? {};
  // Most records have the quoted network fee: nothing is computed for them.
  if (actual?.network == null || quoted?.network == null || !actual.network.greaterThan(quoted.network)) return cv;
  const isAsQuoted = quoted.fiatValue.equals(state.fiatValue) && isPromisedFee(input, state);
  return isAsQuoted ? cv.plus(actual.network.minus(quoted.network)) : cv;
}

/** Who pays the quoted fee as a whole, with the quoted base fee in it, pays no more for a network fee that became lower since. */
function networkInside({ fees, quote }: RuleInput): Decimal | null {
  const { actual, quoted = null, applied, base } = fees ?? {};
  const network = actual?.network ?? null;
  const isWhole = applied?.agrees === true && quoted !== null && applied.expected.equals(quoted.applied);
  if (network === null || !isWhole || base?.agrees !== true || !isPromised(quote)) return network;
  return maxDecimal(network, quoted.network ?? network);
}

function percentOf(percent: Decimal, cv: Decimal): Decimal {
  return percent.times(cv).times(Decimal.HUNDREDTH);
}

function outside(
  { state, fee, cv, published, upper, lower }: Band,
  bound: 'maximum' | 'minimum',
  allowed: Decimal,
  isOffer: boolean,
): RuleFinding {
  const currency = state.fiatCurrency;
  const isAbove = bound === 'maximum';
  const expected = isAbove ? upper : lower;
  const [feeText, boundText, apartBy] = moneyApart(fee, expected, currency);
  const share = showShare(fee, cv);
  const basis = `the ${isAbove ? 'higher' : 'lower'} of ${showMoney(published.amount, currency)} and ${isAbove ? published.max : published.min} %`;
  return {
    field: 'service_fee',
    ...figuresIn('money', { actual: fee, expected, allowed, currency }),
    ...(state.kind === 'purchase' ? {} : { severity: 'medium' as const }),
    explanation:
      `The fee${state.kind === 'sale' ? '' : ` without ${state.hostFeeCut === null ? 'the network fee' : 'network fee and host fee'}`} ${isOffer ? 'that was offered ' : ''}is ${feeText}${share === null ? '' : ` (${share} of ${showMoney(cv, currency)})`}; ` +
      (state.kind === 'sale'
        ? `no quote promised it, and sales are known to cost at most ${boundText} (${basis}): `
        : `the published ${bound} is ${boundText} (${basis}, as of ${showInstant(published.at)}${showLateTerms(published.at, state.createdAt)}): `) +
      `${apartBy}.`,
  };
}

function working(state: RecordState, input: RuleInput): Workings | null {
  const band = bandOf(state, input);
  if (band === null) return null;
  const { applied, network, cv, value, fee, published, upper, lower } = band;
  const unit = state.fiatCurrency;
  const isAbove = fee.greaterThan(upper);
  const expected = isAbove ? upper : lower;
  const percent = isAbove ? published.max : published.min;
  const share = percentOf(percent, isAbove ? value : cv);
  const parts = [network, state.hostFeeCut].filter((part) => part !== null).map((part) => ` − ${term(part, unit)}`);
  const feeWorking = parts.length === 0 ? 'as applied' : `${term(applied, unit)}${parts.join('')}`;
  const before = [
    cryptoValueLine('crypto value', state, cv),
    worked('service fee', feeWorking, fee, unit),
    worked(
      isAbove ? 'maximum' : 'minimum',
      `the ${isAbove ? 'higher' : 'lower'} of ${figure(published.amount, unit)} and ${figure(share, unit)} (${percent} % of the crypto value${isAbove && !value.equals(cv) ? ' and of what the network fee rose by' : ''})`,
      expected,
      unit,
    ),
  ];
  const tolerance = toleranceLine(fiatTolerance(input.terms.tolerances, unit, CODE), expected, unit);
  return compared(before, { actual: fee, expected, unit }, tolerance);
}
