/** When two numbers agree: |actual − expected| ≤ max(absolute, relative × |expected|). */
import { minorUnit } from './currency.ts';
import { Decimal, maxDecimal } from './decimal.ts';

/** Either may let a difference pass. */
export interface Tolerance {
  /** In the currency of the numbers. */
  absolute: Decimal;
  /** A share of the expected number: 0.01 is one percent. */
  relative: Decimal;
}

/** For one currency or one rule; a part that is left out stays as it was. */
export interface ToleranceOverride {
  absolute?: Decimal | 'minor-unit' | undefined;
  relative?: Decimal | undefined;
}

/** As the settings have them; frozen into each run, so that a replay judges by its own. */
export interface Tolerances {
  fiat: { absolute: Decimal | 'minor-unit'; relative: Decimal };
  crypto: { relative: Decimal };
  /** Percentage points of the crypto value, where quotes are compared as percentages. */
  requoted: { percentPoints: Decimal };
  /**
   * How far a record's exchange rates may contradict each other, stray from the reference price, and lie outside the prices of the
   * market at the execution; all relative.
   */
  rate: { consistency: Decimal; reference: Decimal; sinceQuote: Decimal };
  /** How far an indicative network fee may move; relative. */
  networkFee: Decimal;
  currencies: ReadonlyMap<string, ToleranceOverride>;
  rules: ReadonlyMap<string, ToleranceOverride>;
}

/** `locked` binds until the purchase; `indicative` is of its moment. */
type Binding = 'indicative' | 'locked';

/** What a quote promises of its price, and of its network fee. */
export interface QuoteBinding {
  price: Binding;
  networkFee: Binding;
}

/** The fiat tolerance in force for a currency and a rule: the rule's own, else the currency's, else the general one. */
export function fiatTolerance(tolerances: Tolerances, currency: string, rule: string): Tolerance {
  const byRule = tolerances.rules.get(rule);
  const byCurrency = tolerances.currencies.get(currency);
  const absolute = byRule?.absolute ?? byCurrency?.absolute ?? tolerances.fiat.absolute;
  return {
    absolute: absolute === 'minor-unit' ? (minorUnit(currency) ?? Decimal.ZERO) : absolute,
    relative: byRule?.relative ?? byCurrency?.relative ?? tolerances.fiat.relative,
  };
}

/** Bodies carry binary fractions (17 digits): what is below this share of the total is their rounding, not money. */
export const BODY_NOISE = Decimal.of(1n, 12);

/** The largest difference that still agrees. */
export function allowance(tolerance: Tolerance, expected: Decimal): Decimal {
  return maxDecimal(tolerance.absolute, tolerance.relative.times(expected.abs()));
}

export function agree(actual: Decimal, expected: Decimal, allowed: Decimal): boolean {
  return !actual.minus(expected).abs().greaterThan(allowed);
}
