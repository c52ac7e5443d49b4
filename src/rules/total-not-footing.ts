import { assetIdentifier } from '../domain/asset.ts';
import { showMoney } from '../domain/currency.ts';
import { type Decimal, maxDecimal } from '../domain/decimal.ts';
import { leastTokens, tokensOf } from '../domain/fee-parts.ts';
import { TOTAL_RULE } from '../domain/rule-codes.ts';
import { lossAtMarket } from '../domain/slippage.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { lossByFiat } from '../domain/stake.ts';
import { agree, BODY_NOISE, fiatTolerance } from '../domain/tolerance.ts';
import { bodyRule, figuresIn, RIGHTED, type RuleFinding, type RuleInput } from './rule.ts';
import { moneyApart, showFigure } from './wording.ts';
import { amount, compared, figure, type Workings, worked } from './working.ts';

/**
 * A total must foot to the minor unit at any size, so the relative part of the tolerance does not apply. Crypto comes in whole
 * units, or in whole ones of the eighth place: where one is worth more than a minor unit (a satoshi in COP), the total cannot foot any nearer.
 */
export const totalNotFooting = bodyRule({
  code: TOTAL_RULE,
  severity: 'high',
  title: 'fiatValue ≠ crypto × rate + appliedFee',
  why: 'The parts of one record do not add up: some money in it is unaccounted for.',
  action: 'Ask the Service for the parts of the total: some of it is unaccounted for.',
  settledBy: RIGHTED,
  example:
    'The total is 6030.88 PLN, but 0.0234274 BTC_BTC at 250413 PLN plus a fee of 233.91 PLN comes to 6100.44 PLN: 69.56 PLN less.',
  check(state, input) {
    const sum = sumOf(state, input);
    if (sum === null) return 'not-applicable';
    const { cv, expected, allowed } = sum;
    if (agree(state.fiatValue, expected, allowed)) return null;
    // A sale's rate may be net of the fee already.
    if (state.kind === 'sale' && agree(state.fiatValue, cv, allowed)) return null;
    return notFooting(state, sum, input);
  },
  working,
});

interface Sum {
  rate: Decimal;
  /** Value of the crypto at the rate. */
  cv: Decimal;
  fee: Decimal;
  /** What cv and the fee come to. */
  expected: Decimal;
  absolute: Decimal;
  noise: Decimal;
  /** What the least difference of tokens is worth at the rate. */
  unitWorth: Decimal;
  allowed: Decimal;
}

/** Null without a rate: cv was then derived from the total and would foot with anything. */
function sumOf(state: RecordState, input: RuleInput): Sum | null {
  const actual = input.fees?.actual;
  if (actual === undefined) return null;
  const { cv, applied: fee, exchangeRate: rate } = actual;
  if (rate === null || fee === null || cv === null) return null;
  const { absolute } = fiatTolerance(input.terms.tolerances, state.fiatCurrency, TOTAL_RULE);
  const noise = BODY_NOISE.times(state.fiatValue.abs());
  const expected = state.kind === 'purchase' ? cv.plus(fee) : cv.minus(fee);
  const unitWorth = rate.times(leastTokens(state)).abs();
  const allowed = maxDecimal(absolute, maxDecimal(noise, unitWorth));
  return { rate, cv, fee, expected, absolute, noise, unitWorth, allowed };
}

function notFooting(state: RecordState, { rate, fee, expected, allowed }: Sum, input: RuleInput): RuleFinding {
  const currency = state.fiatCurrency;
  const [total, footed, apartBy] = moneyApart(state.fiatValue, expected, currency);
  const sides = figuresIn('money', { actual: state.fiatValue, expected, allowed, currency });
  const crypto = `${showFigure(tokensOf(state))} ${assetIdentifier(state.asset)} at ${showFigure(rate)} ${currency}`;
  const feeText = `${state.kind === 'purchase' ? 'plus' : 'minus'} a fee of ${showMoney(fee, currency)}`;
  return {
    field: 'fiat_value',
    ...sides,
    // Without a rate, or with other decimals than the quote's, the worth of the tokens is not known, and so the loss is not.
    loss:
      rate.isZero || isOfOtherDecimals(state, input)
        ? null
        : lossAtMarket(input, lossByFiat(state.kind, sides.difference)),
    explanation: `The total is ${total}, but ${crypto} ${feeText} comes to ${footed}: ${apartBy}.`,
  };
}

function isOfOtherDecimals({ asset }: RecordState, { quote }: RuleInput): boolean {
  if (quote === null || assetIdentifier(quote.quote.asset) !== assetIdentifier(asset)) return false;
  return quote.quote.asset.decimals !== asset.decimals;
}

function working(state: RecordState, input: RuleInput): Workings | null {
  const sum = sumOf(state, input);
  if (sum === null) return null;
  const { rate, cv, fee, expected, absolute, noise, unitWorth, allowed } = sum;
  const unit = state.fiatCurrency;
  const before = [
    worked('crypto value', `${tokensOf(state)} × ${rate}`, cv, unit),
    amount('fee', fee, unit),
    worked('expected total', `crypto value ${state.kind === 'purchase' ? '+' : '−'} fee`, expected, unit),
    amount('total it states', state.fiatValue, unit),
  ];
  const largest = `the largest of ${figure(absolute, unit)}, ${figure(noise, unit)} (${BODY_NOISE} × ${figure(state.fiatValue.abs(), unit)}) and ${figure(unitWorth, unit)} (one unit of the tokens’ last place)`;
  const tolerance = { line: worked('tolerance', largest, allowed, unit), allowed };
  return compared(before, { actual: state.fiatValue, expected, unit }, tolerance);
}
