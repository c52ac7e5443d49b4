/**
 * Payments of the host's share, matched with the accrual: by the month that a payment names, then by the month before
 * it where the sum is exact. Never by amount alone. Pure.
 */
import { addDays, monthAfter, monthBefore } from '../domain/calendar.ts';
import { Decimal } from '../domain/decimal.ts';
import { leastPayout, type MonthlyAmounts, type Payout, type RunRevenue, settledBy } from '../domain/payout.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';

type PayoutState = 'matched' | 'part' | 'differs' | 'unexplained';

export interface MatchedPayout extends Payout {
  /** The month that it pays; null where that is unknown. */
  month: string | null;
  /** What of that month's revenue it pays; null where it is unexplained. */
  matched: { currency: string; amount: Decimal } | null;
  /** Paid − owed of its month, on the last payment of the month alone. */
  difference: Decimal | null;
  state: PayoutState;
}

/** One month and currency: accrued, paid and posted amounts. */
export interface RevenueLegs {
  month: string;
  currency: string;
  accrued: Decimal | null;
  paid: Decimal | null;
  posted: Decimal | null;
  /** What is to be paid for the month: its own revenue and what earlier months carried forward. */
  owed: Decimal;
  /** The last day on which a payment is in time. */
  dueDate: string;
  /** Below the least payout, so that it is paid with a later month; null otherwise. */
  carriedForward: Decimal | null;
  finding: 'PAYOUT_MISSING' | 'PAYOUT_DIFFERS' | null;
  /** The largest difference that agrees. */
  tolerance: Decimal;
}

interface MatchOptions extends Pick<RunRevenue, 'accrued' | 'posted' | 'dueDays' | 'minimum'> {
  tolerances: Tolerances;
  /** The business date that it is judged on. */
  today: string;
}

const keyOf = (month: string, currency: string) => `${month} ${currency}`;

export interface MatchedRevenue {
  payouts: readonly MatchedPayout[];
  legs: readonly RevenueLegs[];
}

export function matchPayouts(payouts: readonly Payout[], options: MatchOptions): MatchedRevenue {
  const { accrued } = options;
  const paid: MonthlyAmounts = new Map();
  const months = new Map<Payout, string | null>();
  const pay = (payout: Payout, month: string) => {
    const { currency, amount } = settledBy(payout);
    const key = keyOf(month, currency);
    months.set(payout, month);
    paid.set(key, paid.get(key)?.plus(amount) ?? amount);
  };
  for (const payout of payouts) if (payout.period !== null) pay(payout, payout.period);
  // Payments without a month: all of one currency and month of payment together must be the exact rest of the month before.
  const silent = payouts.filter(({ period }) => period === null);
  const groups = Map.groupBy(silent, (payout) =>
    keyOf(monthBefore(new Date(payout.paidAt).toISOString()), settledBy(payout).currency),
  );
  for (const [key, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [month = '', currency = ''] = key.split(' ');
    if (!accrued.has(key)) continue;
    const owed = legsOf(paid, options).find((leg) => leg.month === month && leg.currency === currency)?.owed;
    const open = owed?.minus(paid.get(key) ?? Decimal.ZERO);
    const sum = group.reduce((total, payout) => total.plus(settledBy(payout).amount), Decimal.ZERO);
    if (open === undefined || !isExact(sum, open, currency, options)) continue;
    for (const payout of group) pay(payout, month);
  }
  const legs = legsOf(paid, options);
  const byKey = new Map(legs.map((leg) => [keyOf(leg.month, leg.currency), leg]));
  const lastOf = new Map(
    payouts.map((payout) => [keyOf(months.get(payout) ?? '', settledBy(payout).currency), payout]),
  );
  return {
    legs,
    payouts: payouts.map((payout) => {
      const month = months.get(payout) ?? null;
      const settled = settledBy(payout);
      const leg = month === null ? undefined : byKey.get(keyOf(month, settled.currency));
      if (leg === undefined || leg.accrued === null)
        return { ...payout, month, matched: null, difference: null, state: 'unexplained' };
      const isWhole = leg.paid !== null && isSettled(leg, leg.paid, options);
      const state = isWhole ? 'matched' : leg.finding === 'PAYOUT_DIFFERS' ? 'differs' : 'part';
      const isLast = lastOf.get(keyOf(leg.month, leg.currency)) === payout;
      const difference = isLast ? (leg.paid?.minus(leg.owed) ?? null) : null;
      return { ...payout, month, matched: settled, difference, state };
    }),
  };
}

function isExact(amount: Decimal, expected: Decimal, currency: string, options: MatchOptions): boolean {
  return agree(amount, expected, toleranceOf(expected, currency, options));
}

/** To the minor unit: a payment of a month is one sum, in which no thousandth is rounding. */
function toleranceOf(expected: Decimal, currency: string, { tolerances }: MatchOptions): Decimal {
  const { absolute, relative } = fiatTolerance(tolerances, currency, 'PAYOUT_DIFFERS');
  const own = tolerances.rules.get('PAYOUT_DIFFERS')?.relative !== undefined;
  return allowance({ absolute, relative: own ? relative : Decimal.ZERO }, expected);
}

function isSettled(
  { owed, accrued, currency }: Pick<RevenueLegs, 'owed' | 'accrued' | 'currency'>,
  paid: Decimal,
  options: MatchOptions,
) {
  return isExact(paid, owed, currency, options) || (accrued !== null && isExact(paid, accrued, currency, options));
}

function legsOf(paid: MonthlyAmounts, options: MatchOptions): RevenueLegs[] {
  const { accrued, posted, today, dueDays } = options;
  const carried = new Map<string, Decimal>();
  return [...new Set([...accrued.keys(), ...paid.keys(), ...posted.keys()])].sort().map((key) => {
    const [month = '', currency = ''] = key.split(' ');
    const earned = accrued.get(key) ?? null;
    const received = paid.get(key) ?? null;
    const owed = (earned ?? Decimal.ZERO).plus(carried.get(currency) ?? Decimal.ZERO);
    const dueDate = addDays(`${monthAfter(month)}-01`, dueDays);
    const isDue = today > dueDate;
    const tolerance = toleranceOf(owed, currency, options);
    const base = {
      month,
      currency,
      accrued: earned,
      paid: received,
      posted: posted.get(key) ?? null,
      owed,
      dueDate,
      tolerance,
    };
    carried.delete(currency);
    if (received === null && (owed.isZero || owed.lessThan(leastPayout(options, currency)))) {
      if (!owed.isZero) carried.set(currency, owed);
      return { ...base, carriedForward: owed.isZero ? null : owed, finding: null };
    }
    if (earned === null) return { ...base, carriedForward: null, finding: null };
    const isOver = received?.greaterThan(owed) === true;
    const finding =
      received === null
        ? isDue
          ? 'PAYOUT_MISSING'
          : null
        : !isSettled(base, received, options) && (isDue || isOver)
          ? 'PAYOUT_DIFFERS'
          : null;
    return { ...base, carriedForward: null, finding };
  });
}
