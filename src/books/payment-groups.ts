/** Payments of the host's share in groups: those of the same months in one currency are matched together. Pure. */
import { monthBefore } from '../domain/calendar.ts';
import { sumOf } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { monthsOf, type Payout, PEGGED, settledBy } from '../domain/payout.ts';
import { isoInstant } from '../domain/record.ts';
import { keyOf } from './revenue-terms.ts';

/** Payments for the same months in one currency: several may settle the items of one period together. */
export interface Group {
  /** Of the period, the currency, and of a clawback its id: it is no part of a payment for several currencies. */
  key: string;
  months: readonly string[];
  currency: string;
  payouts: readonly Payout[];
}

/** Of single months first, then of ever longer spans: those settle what payments for one of their months leave. */
export function groupsOf(payouts: readonly Payout[], periodOf: (payout: Payout) => string): readonly Group[] {
  const groups = Map.groupBy(payouts, (payout) => {
    const key = keyOf(periodOf(payout), settledBy(payout).currency);
    return payout.type === 'clawback' ? `${key} ${payout.payoutId}` : key;
  });
  return [...groups]
    .map(([key, own]) => {
      const [period = '', currency = ''] = key.split(' ');
      return { key, months: monthsOf(period), currency, payouts: own };
    })
    .sort((a, b) => a.months.length - b.months.length || (a.key < b.key ? -1 : 1));
}

export const monthOf = ({ paidAt }: Payout) => isoInstant(paidAt).slice(0, 7);

/** Null also for a month that has none after it: imports of before took those. */
export const periodIn = ({ period }: Payout) => (period !== null && monthsOf(period).length > 0 ? period : null);

export const before = ({ paidAt }: Payout) => monthBefore(new Date(paidAt).toISOString());

export const isInCoin = (payouts: readonly Payout[]) => payouts.every(({ currency }) => PEGGED[currency] !== undefined);

export const paidBy = (payouts: readonly Payout[]) => sumOf(payouts.map((payout) => settledBy(payout).amount));

/** Payments that a bank took back by a line without a month: each such line with the latest payment of just its amount that has one. */
export function reversedBy(payouts: readonly Payout[]): ReadonlyMap<Payout, Payout> {
  const reversed = new Map<Payout, Payout>();
  const standing = new Map<string, Payout[]>();
  const shares = payouts.filter(({ type }) => type === 'share');
  const rank = ({ amount }: Payout) => (amount.isNegative ? 1 : 0);
  const order = (a: Payout, b: Payout) =>
    a.paidAt - b.paidAt || rank(a) - rank(b) || (a.payoutId < b.payoutId ? -1 : 1);
  for (const payout of shares.sort(order)) {
    const { amount, currency, period } = payout;
    const own = entryOf(standing, `${amount.abs()} ${currency}`, () => []);
    if (!amount.isNegative) {
      if (period !== null) own.push(payout);
      continue;
    }
    // A line that names its month takes back the payment of that month, which no other line can then take back.
    const at = own.findLastIndex((each) => period === null || each.period === period);
    const [origin] = at < 0 ? [] : own.splice(at, 1);
    if (origin !== undefined && period === null) reversed.set(payout, origin);
  }
  return reversed;
}
