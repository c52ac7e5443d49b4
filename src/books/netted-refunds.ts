/** Refunds that the records know and that the partner's clawbacks state too: each counts once. Pure. */
import { monthAfter } from '../domain/calendar.ts';
import { Decimal, minDecimal, sumOf } from '../domain/decimal.ts';
import { addTo } from '../domain/partial-sums.ts';
import type { MonthlyAmounts } from '../domain/payout.ts';
import { isExact, keyOf, type RevenueTerms } from './revenue-terms.ts';

/** What a partner took back with one line of a statement. */
export interface Clawback {
  /** Below zero. */
  amount: Decimal;
  /** The month before its payment; a line may name the month that earned what it takes back. */
  paidFor: string;
}

export const amountOf = ({ amount }: Clawback) => amount;

interface Stated {
  paid: MonthlyAmounts;
  clawbacks: ReadonlyMap<string, readonly Clawback[]>;
}

/** A refund that is netted in one month may be stated in the statements of so many months after it. */
const MOST_MONTHS_OF_CLAWBACK = 6;
/** Of a month; more are not tried one by one with those of the next. */
const MOST_CLAWBACKS = 8;

/**
 * The part of the records' refunds that the partner took back too, by month. `stated`: months whose refunds a clawback states to the cent, so
 * that a payment which leaves them out as well takes them twice; of several such months the one that was paid in full. What other clawbacks
 * are about is not known: the oldest refunds first.
 */
export function nettedIn({ paid, clawbacks }: Stated, terms: RevenueTerms) {
  const refunds = [...terms.takenBack].filter(([, refund]) => refund.isPositive).sort(([a], [b]) => (a < b ? -1 : 1));
  const left = [...clawbacks].flatMap(([key, all]) =>
    all.map((each) => ({ ...each, month: key.slice(0, 7), currency: key.slice(8) })),
  );
  const isPaidInFull = ([key, refund]: readonly [string, Decimal]) => {
    const whole = sumOf([terms.accrued.get(key) ?? Decimal.ZERO, refund, ...(clawbacks.get(key) ?? []).map(amountOf)]);
    return isExact(paid.get(key) ?? Decimal.ZERO, whole, key.slice(8), terms);
  };
  /** What clawbacks state of a refund, in cents where it is not. */
  const stated: MonthlyAmounts = new Map();
  for (const [key, refund] of [...refunds.filter(isPaidInFull), ...refunds]) {
    const taken = stated.has(key) ? null : takenBy(key, refund);
    if (taken !== null) stated.set(key, taken);
  }
  // One line for the refunds of some months in a row, as of a quarter.
  for (const own of Map.groupBy(refunds, ([key]) => key.slice(8)).values())
    for (const [i] of own.entries())
      for (let length = 2; length <= MOST_MONTHS_OF_CLAWBACK; length++) {
        const some = own.slice(i, i + length);
        const [last = ''] = some.at(-1) ?? [];
        if (some.length < length || some.some(([key]) => stated.has(key))) break;
        if (takenBy(last, sumOf(some.map(([, refund]) => refund))) === null) continue;
        for (const [key, refund] of some) stated.set(key, refund);
      }
  // Of their own month before others: by month and currency, then by currency alone.
  const rests = new Map<string, Decimal>();
  for (const { month, currency, amount } of left)
    for (const about of [keyOf(month, currency), currency]) addTo(rests, about, amount.negated());
  const netted: MonthlyAmounts = new Map(stated);
  for (const from of [(key: string) => key, (key: string) => key.slice(8)])
    for (const [key, refund] of refunds) {
      if (stated.has(key)) continue;
      const known = netted.get(key) ?? Decimal.ZERO;
      const part = minDecimal(refund.minus(known), rests.get(from(key)) ?? Decimal.ZERO);
      netted.set(key, known.plus(part));
      addTo(rests, key.slice(8), part.negated());
    }
  return { netted, stated };

  /** By one clawback or by all of a month, or by those of two months in a row; they then state no other. Null where none come to it. */
  function takenBy(key: string, refund: Decimal): Decimal | null {
    const [first, currency] = [key.slice(0, 7), key.slice(8)];
    const months = new Map<string, (typeof left)[number][]>();
    for (let i = 0, month = first; i <= MOST_MONTHS_OF_CLAWBACK; i++, month = monthAfter(month)) months.set(month, []);
    for (const each of left)
      if (each.currency === currency) months.get(each.month < first ? each.paidFor : each.month)?.push(each);
    const all = [...months.values()];
    const one = (own: typeof left) => [...own.map((each) => [each]), ...(own.length > 1 ? [own] : [])];
    const few = all.map((own) => (own.length > MOST_CLAWBACKS ? [own] : one(own)));
    const two = few.flatMap((some, i) => some.flatMap((a) => (few[i + 1] ?? []).map((b) => [...a, ...b])));
    const takenBack = (some: typeof left) => sumOf(some.map(amountOf)).negated();
    const found = [...all.flatMap(one), ...two].find((some) => isExact(takenBack(some), refund, currency, terms));
    for (const each of found ?? []) left.splice(left.indexOf(each), 1);
    return found === undefined ? null : takenBack(found);
  }
}
