/** Rules on amounts: against the quote, the limits, the record's own total and the rates. */
import { assetIdentifier } from '../../domain/asset.ts';
import { Decimal, maxDecimal, minDecimal } from '../../domain/decimal.ts';
import { tokensOf } from '../../domain/fee-parts.ts';
import { feeBounds } from '../../domain/fees.ts';
import { showInstant } from '../../domain/record.ts';
import { fiatTolerance } from '../../domain/tolerance.ts';
import { limitsInForce } from '../../rules/limits-in-force.ts';
import { promisingQuote } from '../../rules/promising-quote.ts';
import { rateInEur, referencePrice } from '../../rules/rate-out-of-line.ts';
import { verifiedState } from '../../rules/verified.ts';
import { amount, compared, fact, figure, relativeLine, term, toleranceLine, type Worker, worked } from './lines.ts';

export const amountDiffers: Worker = (input, field) => {
  const state = verifiedState(input);
  const matched = state === null ? null : promisingQuote(input.quote, state);
  if (state === null || matched === null || matched.method === null) return null;
  const { method, quote } = matched;
  const { tolerances } = input.terms;
  if (field === 'fiat_value') {
    const unit = state.fiatCurrency;
    const [actual, expected] = [state.fiatValue, method.fiatValue];
    const before = [amount('quoted total', expected, unit), amount('actual total', actual, unit)];
    const tolerance = toleranceLine(fiatTolerance(tolerances, unit, 'AMOUNT_DIFFERS'), expected, unit);
    return compared(before, { actual, expected, unit }, tolerance);
  }
  const unit = assetIdentifier(state.asset);
  const [actual, expected] = [tokensOf(state), Decimal.of(method.cryptoUnits, quote.asset.decimals)];
  const before = [
    worked('quoted crypto', `${method.cryptoUnits} units ÷ 10^${quote.asset.decimals}`, expected, unit),
    worked('actual crypto', `${state.cryptoUnits} units ÷ 10^${state.asset.decimals}`, actual, unit),
  ];
  return compared(before, { actual, expected, unit }, relativeLine(tolerances.crypto.relative, expected, unit));
};

export const amountOutOfLimits: Worker = (input, field) => {
  const state = verifiedState(input);
  const limits = state === null ? null : limitsInForce(input, state);
  if (state === null || limits === null) return null;
  const { tolerances } = input.terms;
  if (field === 'crypto_amount') {
    if (limits.minCryptoUnits === null) return null;
    const unit = assetIdentifier(state.asset);
    const { decimals } = state.asset;
    const [actual, expected] = [tokensOf(state), Decimal.of(limits.minCryptoUnits, decimals)];
    const before = [
      worked('minimum then', `${limits.minCryptoUnits} units ÷ 10^${decimals}`, expected, unit),
      worked('actual crypto', `${state.cryptoUnits} units ÷ 10^${decimals}`, actual, unit),
    ];
    return compared(before, { actual, expected, unit }, relativeLine(tolerances.crypto.relative, expected, unit));
  }
  const unit = state.fiatCurrency;
  const actual = state.fiatValue;
  const isBelow = limits.min !== null && actual.lessThan(limits.min);
  const expected = isBelow ? limits.min : limits.max;
  if (expected === null) return null;
  const isGlobal = isBelow ? limits.minIsGlobal : limits.maxIsGlobal;
  const of = isGlobal ? 'for all assets' : `for ${assetIdentifier(state.asset)}`;
  const before = [
    fact('limit in force', `${isBelow ? 'minimum' : 'maximum'} ${of}`),
    amount(`${isBelow ? 'minimum' : 'maximum'} then`, expected, unit),
    amount('actual total', actual, unit),
  ];
  const tolerance = toleranceLine(fiatTolerance(tolerances, unit, 'AMOUNT_OUT_OF_LIMITS'), expected, unit);
  return compared(before, { actual, expected, unit }, tolerance);
};

const HUNDREDTH = Decimal.of(1n, 2);

/** The service fee, network fee left out, against the published band. */
export const feeOutOfBounds: Worker = (input) => {
  const state = verifiedState(input);
  const parts = input.fees?.actual;
  const bounds = state === null ? null : feeBounds(state, input.reference.global);
  if (state === null || parts === undefined || bounds === null) return null;
  const { applied, network, cv, exchangeRate } = parts;
  if (applied === null || cv === null) return null;
  const unit = state.fiatCurrency;
  const fee = network === null ? applied : applied.minus(network);
  const highest = maxDecimal(bounds.amount, bounds.max.times(cv).times(HUNDREDTH));
  const isAbove = fee.greaterThan(highest);
  const percent = isAbove ? bounds.max : bounds.min;
  const share = percent.times(cv).times(HUNDREDTH);
  const expected = isAbove ? highest : minDecimal(bounds.amount, share);
  const cvWorking =
    exchangeRate === null
      ? `${term(state.fiatValue, unit)} ${state.kind === 'purchase' ? '−' : '+'} ${term(applied, unit)}`
      : `${tokensOf(state)} × ${exchangeRate}`;
  const before = [
    worked('crypto value', cvWorking, cv, unit),
    worked(
      'service fee',
      network === null ? 'as applied' : `${term(applied, unit)} − ${term(network, unit)}`,
      fee,
      unit,
    ),
    worked(
      isAbove ? 'maximum' : 'minimum',
      `the ${isAbove ? 'higher' : 'lower'} of ${figure(bounds.amount, unit)} and ${figure(share, unit)} (${percent} % of the crypto value)`,
      expected,
      unit,
    ),
  ];
  const tolerance = toleranceLine(fiatTolerance(input.terms.tolerances, unit, 'FEE_OUT_OF_BOUNDS'), expected, unit);
  return compared(before, { actual: fee, expected, unit }, tolerance);
};

/** Below this share of the total lies the rounding of bodies that carry binary fractions. */
const BODY_NOISE = Decimal.of(1n, 12);

export const totalNotFooting: Worker = (input) => {
  const state = verifiedState(input);
  if (state === null || state.exchangeRate === null || state.appliedFee === null) return null;
  const unit = state.fiatCurrency;
  const tokens = tokensOf(state);
  const cv = tokens.times(state.exchangeRate);
  const isPurchase = state.kind === 'purchase';
  const expected = isPurchase ? cv.plus(state.appliedFee) : cv.minus(state.appliedFee);
  const { absolute } = fiatTolerance(input.terms.tolerances, unit, 'TOTAL_NOT_FOOTING');
  const noise = BODY_NOISE.times(state.fiatValue.abs());
  const allowed = maxDecimal(absolute, noise);
  const sign = isPurchase ? '+' : '−';
  const before = [
    worked('crypto value', `${tokens} × ${state.exchangeRate}`, cv, unit),
    amount('fee', state.appliedFee, unit),
    worked('total it comes to', `crypto value ${sign} fee`, expected, unit),
    amount('total it states', state.fiatValue, unit),
  ];
  const working = `the larger of ${figure(absolute, unit)} and ${figure(noise, unit)} (${BODY_NOISE} × ${figure(state.fiatValue.abs(), unit)})`;
  const tolerance = { line: worked('tolerance', working, allowed, unit), allowed };
  return compared(before, { actual: state.fiatValue, expected, unit }, tolerance);
};

export const rateOutOfLine: Worker = (input, field) => {
  const state = verifiedState(input);
  if (state === null || state.exchangeRate === null) return null;
  const { consistency, reference } = input.terms.tolerances.rate;
  const unit = state.fiatCurrency;
  if (field === 'exchange_rate_eur') {
    const expected = rateInEur(state);
    const actual = state.exchangeRateEur;
    if (expected === null || actual === null) return null;
    const working = state.fiatRateEur === null ? 'as it is in EUR' : `${state.exchangeRate} × ${state.fiatRateEur}`;
    const before = [
      amount(`rate in ${unit}`, state.exchangeRate, unit),
      worked('which makes in EUR', working, expected, 'EUR'),
      amount('rate in EUR it states', actual, 'EUR'),
    ];
    return compared(before, { actual, expected, unit: 'EUR' }, relativeLine(consistency, expected, 'EUR'));
  }
  const price = referencePrice(input, state);
  if (price === null) return null;
  const before = [
    fact('reference', `${price.source}, ${showInstant(price.capturedAt)}`),
    amount('reference price', price.price, unit),
    amount("record's rate", state.exchangeRate, unit),
  ];
  const sides = { actual: state.exchangeRate, expected: price.price, unit };
  return compared(before, sides, relativeLine(reference, price.price, unit));
};
