/**
 * Payments of the host's share held against what was accrued: by the month that a payment names, then by the month before it
 * where the sum is exact. Never by amount alone. Pure.
 */
import { Decimal } from '../domain/decimal.ts';
import type { Payout } from '../domain/payout.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import type { MonthlyAmounts } from './revenue.ts';

export type PayoutState = 'matched' | 'part' | 'unexplained';

export interface MatchedPayout extends Payout {
  /** The month that it pays; null where nothing says. */
  month: string | null;
  state: PayoutState;
}

/** One month and currency: what was earned, what was paid for it, what the books have. */
export interface RevenueLegs {
  month: string;
  currency: string;
  accrued: Decimal | null;
  paid: Decimal | null;
  posted: Decimal | null;
  /** Below the least payout, so that it is paid with a later month; null otherwise. */
  carriedForward: Decimal | null;
  finding: 'PAYOUT_MISSING' | 'PAYOUT_DIFFERS' | null;
}

export interface MatchOptions {
  tolerances: Tolerances;
  /** The business date that it is judged on. */
  today: string;
  /** Days after the end of a month within which it is paid. */
  dueDays: number;
  /** A month that earned less is paid with the next one. */
  minimum: Decimal;
}

const keyOf = (month: string, currency: string) => `${month} ${currency}`;

export function monthBefore(date: string): string {
  const day = new Date(`${date.slice(0, 7)}-01T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() - 1);
  return day.toISOString().slice(0, 7);
}

export function matchPayouts(
  payouts: readonly Payout[],
  accrued: MonthlyAmounts,
  posted: MonthlyAmounts,
  options: MatchOptions,
): { payouts: readonly MatchedPayout[]; legs: readonly RevenueLegs[] } {
  const { tolerances } = options;
  const isExact = (amount: Decimal, expected: Decimal, currency: string) =>
    agree(amount, expected, allowance(fiatTolerance(tolerances, currency, 'PAYOUT_DIFFERS'), expected));
  const paid: MonthlyAmounts = new Map();
  const pay = (month: string, currency: string, amount: Decimal) => {
    const key = keyOf(month, currency);
    paid.set(key, paid.get(key)?.plus(amount) ?? amount);
  };
  const months = new Map<Payout, string | null>(payouts.map((payout) => [payout, payout.period]));
  for (const payout of payouts) if (payout.period !== null) pay(payout.period, payout.currency, payout.amount);
  // Payments without a month: all of one currency and month of payment together must be the exact rest of the month before.
  const silent = payouts.filter(({ period }) => period === null);
  const groups = Map.groupBy(silent, ({ paidAt, currency }) =>
    keyOf(monthBefore(new Date(paidAt).toISOString()), currency),
  );
  for (const [key, group] of groups) {
    const [month = '', currency = ''] = key.split(' ');
    const open = accrued.get(key)?.minus(paid.get(key) ?? Decimal.ZERO) ?? null;
    const sum = group.reduce((total, { amount }) => total.plus(amount), Decimal.ZERO);
    if (open === null || !isExact(sum, open, currency)) continue;
    for (const payout of group) {
      months.set(payout, month);
      pay(month, currency, payout.amount);
    }
  }
  const legs = legsOf({ accrued, paid, posted }, options, isExact);
  const whole = new Set(
    legs.filter(({ finding }) => finding === null).map(({ month, currency }) => keyOf(month, currency)),
  );
  return {
    legs,
    payouts: payouts.map((payout) => {
      const month = months.get(payout) ?? null;
      const key = keyOf(month ?? '', payout.currency);
      const state = month === null || !accrued.has(key) ? 'unexplained' : whole.has(key) ? 'matched' : 'part';
      return { ...payout, month, state };
    }),
  };
}

function legsOf(
  { accrued, paid, posted }: Record<'accrued' | 'paid' | 'posted', MonthlyAmounts>,
  { today, dueDays, minimum }: MatchOptions,
  isExact: (amount: Decimal, expected: Decimal, currency: string) => boolean,
): RevenueLegs[] {
  const carried = new Map<string, Decimal>();
  return [...new Set([...accrued.keys(), ...paid.keys(), ...posted.keys()])].sort().map((key) => {
    const [month = '', currency = ''] = key.split(' ');
    const earned = accrued.get(key) ?? null;
    const received = paid.get(key) ?? null;
    const owed = (earned ?? Decimal.ZERO).plus(carried.get(currency) ?? Decimal.ZERO);
    const isDue = today > dueDay(month, dueDays);
    const base = { month, currency, accrued: earned, paid: received, posted: posted.get(key) ?? null };
    carried.delete(currency);
    if (received === null && owed.lessThan(minimum)) {
      carried.set(currency, owed);
      return { ...base, carriedForward: owed, finding: null };
    }
    const settled =
      isExact(received ?? Decimal.ZERO, owed, currency) ||
      (earned !== null && received !== null && isExact(received, earned, currency));
    const finding = settled
      ? null
      : received === null
        ? isDue
          ? 'PAYOUT_MISSING'
          : null
        : isDue || received.greaterThan(owed)
          ? 'PAYOUT_DIFFERS'
          : null;
    return { ...base, carriedForward: null, finding };
  });
}

function dueDay(month: string, days: number): string {
  const day = new Date(`${month}-01T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() + 1);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
