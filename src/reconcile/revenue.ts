/** The host's accrued share by month and currency, held against what a payout statement says was paid. */
import { Decimal } from '../domain/decimal.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';

/** `2026-10 EUR` → sum. */
export type MonthlyAmounts = Map<string, Decimal>;

export interface RevenueRow {
  month: string;
  currency: string;
  /** Null where records, or the statement, have nothing for that month. */
  accrued: Decimal | null;
  stated: Decimal | null;
  /** stated − accrued, unknown sides counting as nothing. */
  difference: Decimal;
  agrees: boolean;
}

export function addMonthly(amounts: MonthlyAmounts, month: string, currency: string, amount: Decimal): void {
  const key = `${month} ${currency}`;
  amounts.set(key, amounts.get(key)?.plus(amount) ?? amount);
}

/** In order of month and currency. */
export function compareRevenue(
  accrued: MonthlyAmounts,
  stated: MonthlyAmounts,
  tolerances: Tolerances,
): readonly RevenueRow[] {
  return [...new Set([...accrued.keys(), ...stated.keys()])].sort().map((key) => {
    const [month = '', currency = ''] = key.split(' ');
    const ours = accrued.get(key) ?? null;
    const theirs = stated.get(key) ?? null;
    const expected = ours ?? Decimal.ZERO;
    const actual = theirs ?? Decimal.ZERO;
    const allowed = allowance(fiatTolerance(tolerances, currency, 'HOST_REVENUE'), expected);
    return {
      month,
      currency,
      accrued: ours,
      stated: theirs,
      difference: actual.minus(expected),
      agrees: ours !== null && theirs !== null && agree(actual, expected, allowed),
    };
  });
}
