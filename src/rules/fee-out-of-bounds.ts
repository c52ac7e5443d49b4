import { showMoney } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { feeBounds } from '../domain/fees.ts';
import { showInstant } from '../domain/record.ts';
import { allowance, fiatTolerance } from '../domain/tolerance.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { moneyApart, showMoreOrLess, showShare } from './wording/money.ts';

const CODE = 'FEE_OUT_OF_BOUNDS';

/** One published bound as it comes out for this record. */
interface Bound {
  word: 'maximum' | 'minimum';
  amount: Decimal;
  /** `the higher of 2.49 EUR and 3.9 %`. */
  rule: string;
}

/**
 * The bounds of the assets response (spec §8.4) hold for the Service's own fee: the network fee inside the applied fee
 * is not its to bound. Percentages are of cv, the value of the crypto. The off-ramp publishes none.
 */
export const feeOutOfBounds: Rule = {
  code: CODE,
  severity: 'high',
  title: 'Outside the published minimum and maximum',
  why: 'The Service has published what it may take at most; a fee above that is wrong whatever any quote said.',
  check(input) {
    const state = verifiedState(input);
    const actual = input.fees?.actual;
    if (state === null || actual === undefined) return 'not-applicable';
    const { applied, network, cv } = actual;
    if (applied === null || cv === null || !cv.greaterThan(Decimal.ZERO)) return 'not-applicable';
    const { global } = input.reference;
    const bounds = feeBounds(state, global);
    if (bounds === null || global === null) return 'not-applicable';
    const fee = network === null ? applied : applied.minus(network);
    const currency = state.fiatCurrency;
    const tolerance = fiatTolerance(input.terms.tolerances, currency, CODE);
    const upper = maxDecimal(bounds.amount, percentOf(bounds.max, cv));
    if (fee.greaterThan(upper.plus(allowance(tolerance, upper)))) {
      const bound: Bound = {
        word: 'maximum',
        amount: upper,
        rule: either('higher', bounds.amount, bounds.max, currency),
      };
      return [outside(fee, cv, bound, allowance(tolerance, upper), currency, global.capturedAt)];
    }
    const lower = minDecimal(bounds.amount, percentOf(bounds.min, cv));
    if (fee.lessThan(lower.minus(allowance(tolerance, lower)))) {
      const bound: Bound = {
        word: 'minimum',
        amount: lower,
        rule: either('lower', bounds.amount, bounds.min, currency),
      };
      // Too little is a discount as a rule: worth a remark, never a break.
      return [
        { ...outside(fee, cv, bound, allowance(tolerance, lower), currency, global.capturedAt), severity: 'info' },
      ];
    }
    return NOTHING_FOUND;
  },
};

function percentOf(percent: Decimal, cv: Decimal): Decimal {
  // Exact: dividing by a hundred only moves the point.
  return percent.times(cv).times(Decimal.of(1n, 2));
}

function either(which: 'higher' | 'lower', amount: Decimal, percent: Decimal, currency: string): string {
  return `the ${which} of ${showMoney(amount, currency)} and ${percent} %`;
}

function outside(
  fee: Decimal,
  cv: Decimal,
  bound: Bound,
  allowed: Decimal,
  currency: string,
  publishedAt: number,
): RuleFinding {
  const [feeText, boundText] = moneyApart(fee, bound.amount, currency);
  const difference = fee.minus(bound.amount);
  const share = showShare(fee, cv);
  return {
    field: 'service_fee',
    expected: bound.amount.toString(),
    actual: fee.toString(),
    difference,
    currency,
    tolerance: allowed,
    explanation:
      `The fee without the network fee is ${feeText}${share === null ? '' : ` (${share} of ${showMoney(cv, currency)})`}; ` +
      `the published ${bound.word} is ${boundText} (${bound.rule}, as of ${showInstant(publishedAt)}): ` +
      `${showMoreOrLess(difference, currency)}.`,
  };
}
