import { assetIdentifier } from '../domain/asset.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal, maxDecimal } from '../domain/decimal.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree, fiatTolerance } from '../domain/tolerance.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { moneyApart, showFigure, showMoreOrLess } from './wording/money.ts';

const CODE = 'TOTAL_NOT_FOOTING';

/** Bodies carry binary fractions (17 digits): what is below this share of the total is their rounding, not money. */
const BODY_NOISE = Decimal.of(1n, 12);

/** A total must foot to the minor unit whatever its size, so the relative part of the tolerance has no say here. */
export const totalNotFooting: Rule = {
  code: CODE,
  severity: 'high',
  title: 'fiatValue ≠ crypto × rate + appliedFee',
  why: 'The parts of one record do not add up: some money in it is unaccounted for.',
  check(input) {
    const state = verifiedState(input);
    const actual = input.fees?.actual;
    if (state === null || actual === undefined) return 'not-applicable';
    const { cv, applied, exchangeRate } = actual;
    // Without a rate, cv was derived from the total and would foot with anything.
    if (exchangeRate === null || applied === null || cv === null) return 'not-applicable';
    const { absolute } = fiatTolerance(input.terms.tolerances, state.fiatCurrency, CODE);
    const allowed = maxDecimal(absolute, BODY_NOISE.times(state.fiatValue.abs()));
    const expected = state.kind === 'purchase' ? cv.plus(applied) : cv.minus(applied);
    if (agree(state.fiatValue, expected, allowed)) return NOTHING_FOUND;
    // A sale's rate may be net of the fee already.
    if (state.kind === 'sale' && agree(state.fiatValue, cv, allowed)) return NOTHING_FOUND;
    return [notFooting(state, exchangeRate, applied, expected, allowed)];
  },
};

function notFooting(state: RecordState, rate: Decimal, fee: Decimal, expected: Decimal, allowed: Decimal): RuleFinding {
  const currency = state.fiatCurrency;
  const [total, footed] = moneyApart(state.fiatValue, expected, currency);
  const difference = state.fiatValue.minus(expected);
  const crypto = `${showFigure(tokensOf(state))} ${assetIdentifier(state.asset)} at ${showFigure(rate)} ${currency}`;
  const feeText = `${state.kind === 'purchase' ? 'plus' : 'minus'} a fee of ${showMoney(fee, currency)}`;
  return {
    field: 'fiat_value',
    expected: expected.toString(),
    actual: state.fiatValue.toString(),
    difference,
    currency,
    tolerance: allowed,
    explanation: `The total is ${total}, but ${crypto} ${feeText} comes to ${footed}: ${showMoreOrLess(difference, currency)}.`,
  };
}
