/** What was earned and paid, as one night or one command knows it: payments are matched, lines are compared, and the rest is aged. Pure. */
import { Decimal, sumOf } from '../domain/decimal.ts';
import { type AddedPayout, differenceOf, isBreakingBucket, type LineDifference } from '../domain/payout.ts';
import { agree } from '../domain/tolerance.ts';
import type { SettledMonth, SettledRevenue } from '../ports/settled.ts';
import { matchPayouts } from './match-payouts.ts';
import { isSettled } from './revenue-legs.ts';
import { keyOf, type RevenueTerms } from './revenue-terms.ts';
import { netPayouts } from './standing-payouts.ts';

/** The host's revenue of a run, with the findings about payments. */
export interface JudgedRevenue extends Omit<SettledRevenue, 'run'> {
  /** Ids under which nothing stands any more. */
  replaced: readonly string[];
}

/** @param added every payment that counts, in the order in which they were added */
export function judgeRevenue(added: readonly AddedPayout[], terms: RevenueTerms): JudgedRevenue {
  const { payouts, replaced } = netPayouts(added);
  const matched = matchPayouts(payouts, terms);
  const lines = Map.groupBy(terms.lines, ({ month, currency }) => keyOf(month, currency));
  const linesOf = ({ month, currency }: SettledMonth) => lines.get(keyOf(month, currency)) ?? [];
  const breakingIn = (each: SettledMonth) => linesOf(each).filter(({ bucket }) => isBreakingBucket(bucket));
  const judged = new Map<string, SettledMonth>();
  for (const all of paidTogether(matched.months)) {
    const payer = all.at(-1);
    if (payer === undefined) continue;
    // What was taken back in earlier months need not come off.
    const isAllOwed = all.at(-2)?.carriedForward?.isPositive === true;
    const finding = [all, ...(isAllOwed ? [] : [[payer]])].some((own) => isStated(payer, own)) ? null : payer.finding;
    const isOpenByLines = finding === null && (payer.paid === null || !isSettled(payer, payer.paid));
    for (const each of all) {
      const own = { ...each, finding: each === payer ? finding : each.finding };
      judged.set(keyOf(each.month, each.currency), { ...own, breaking: breakingIn(each), isOpenByLines });
    }
  }
  const months = matched.months.flatMap(({ month, currency }) => judged.get(keyOf(month, currency)) ?? []);
  return { payouts: matched.payouts, months, lines: terms.lines, replaced };

  /** The payment is what the statement of these months states: where the statement differs, its lines say why. */
  function isStated({ paid, tolerance }: SettledMonth, own: readonly SettledMonth[]): boolean {
    const all = own.flatMap(linesOf);
    // Fees and invoices settle no revenue, in payments as in lines.
    const ofRevenue = all.filter(({ bucket }) => bucket !== 'fee or invoice');
    const stated = sumOf(ofRevenue.map(({ theirs }) => theirs ?? Decimal.ZERO));
    // Nothing was paid, and all that was earned is in the lines of another month.
    const isElsewhere = paid === null && own.flatMap(breakingIn).length === 0;
    return all.length > 0 && (paid !== null || isElsewhere) && agree(paid ?? Decimal.ZERO, stated, tolerance);
  }
}

/** Each month with those that were carried into it, the last of them: they are paid with it. */
function paidTogether(months: readonly SettledMonth[]): SettledMonth[][] {
  const groups: SettledMonth[][] = [];
  for (const own of Map.groupBy(months, ({ currency }) => currency).values())
    for (const [i, each] of own.entries()) {
      if (i === 0 || own[i - 1]?.carriedForward === null) groups.push([]);
      groups.at(-1)?.push(each);
    }
  return groups;
}

/** By bucket: how many, and theirs − ours. */
export function sumByBucket(lines: readonly LineDifference[]) {
  return [...Map.groupBy(lines, ({ bucket }) => bucket)].map(([bucket, own]) => {
    const count = own.reduce((sum, each) => sum + each.count, 0);
    return { bucket, count, difference: sumOf(own.map(differenceOf)) };
  });
}
