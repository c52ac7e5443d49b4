/** The runs of open items that a payment without the name of a month may be for. Pure. */
import { Decimal, sumOf } from '../domain/decimal.ts';
import type { MonthlyAmounts } from '../domain/payout.ts';
import { type OpenItem, plusIn } from './open-items.ts';
import { keyOf } from './revenue-terms.ts';

/** Runs of items that one payment may be for: from the oldest on, then those that end with the newest, the shorter ones first. */
export function runsOf<T>(items: readonly T[]): (readonly T[])[] {
  return [...items.map((_, i) => items.slice(0, i + 1)), ...items.map((_, i) => items.slice(items.length - 1 - i))];
}

/** Of more months no payment without a name is for, less or more than they have open. */
const LONGEST_RUN = 12;

/**
 * Runs that one payment may be for where what was taken back comes off a later one: all of it, or that of the last months alone. Its last
 * month takes what is over, as of a span that is named. What was taken back beyond what a month earned may come off later still.
 */
export function grossRunsOf(items: readonly OpenItem[], takenBack: MonthlyAmounts): (readonly OpenItem[])[] {
  const refundOf = ({ month, currency }: OpenItem) => takenBack.get(keyOf(month, currency)) ?? Decimal.ZERO;
  const later = (run: readonly OpenItem[]) =>
    run.flatMap((item, i) => {
      const over = refundOf(item).isPositive ? sumOf(run.slice(i).map(refundOf)) : Decimal.ZERO;
      return over.isZero
        ? []
        : [run.map((each) => (each === run.at(-1) ? { ...each, rest: each.rest.plus(over) } : each))];
    });
  const runs = runsOf(items).filter(({ length }) => length <= LONGEST_RUN);
  return runs.flatMap((run) => [...later(run), plusIn(run), ...later(plusIn(run))]);
}
