/** What payments are judged by, and when an amount is exact. Pure. */
import { Decimal } from '../domain/decimal.ts';
import type { RunRevenue } from '../domain/payout.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';

/** What a night, or a command, judges the payments by. */
export interface RevenueTerms extends Omit<RunRevenue, 'payoutKey'> {
  tolerances: Tolerances;
  /** The business date that it is judged on, and by which balances are aged. */
  today: string;
}

export const keyOf = (month: string, currency: string) => `${month} ${currency}`;

export function isExact(amount: Decimal, expected: Decimal, currency: string, terms: RevenueTerms): boolean {
  return agree(amount, expected, toleranceOf(expected, currency, terms));
}

/** To the minor unit: a payment of a month is one sum, in which no thousandth is rounding. */
export function toleranceOf(expected: Decimal, currency: string, { tolerances }: RevenueTerms): Decimal {
  const { absolute, relative } = fiatTolerance(tolerances, currency, 'PAYOUT_DIFFERS');
  const own = tolerances.rules.get('PAYOUT_DIFFERS')?.relative !== undefined;
  return allowance({ absolute, relative: own ? relative : Decimal.ZERO }, expected);
}
