/** What was earned and paid, as one night or one command knows it: payments are matched, lines are compared, and the rest is aged. Pure. */
import { Decimal, sumOf } from '../domain/decimal.ts';
import { type AddedPayout, differenceOf, isBreakingBucket, type LineDifference } from '../domain/payout.ts';
import type { SettledRevenue } from '../ports/settled.ts';
import { matchPayouts } from './match-payouts.ts';
import { keyOf, type RevenueTerms } from './revenue-legs.ts';
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
  const months = matched.months.map((each) => {
    const own = lines.get(keyOf(each.month, each.currency)) ?? [];
    const breaking = own.filter(({ bucket }) => isBreakingBucket(bucket));
    // Fees and invoices settle no revenue, in payments as in lines.
    const ofRevenue = own.filter(({ bucket }) => bucket !== 'fee or invoice');
    const stated = sumOf(ofRevenue.map(({ theirs }) => theirs ?? Decimal.ZERO));
    // The payment is what the statement states; where the statement differs, its lines say why.
    const rest = (each.paid ?? Decimal.ZERO).minus(stated).abs();
    // Nothing was paid, and all that was earned is in the lines of another month.
    const isElsewhere = each.paid === null && breaking.length === 0;
    const isStated = own.length > 0 && (each.paid !== null || isElsewhere) && !rest.greaterThan(each.tolerance);
    return { ...each, finding: isStated ? null : each.finding, breaking };
  });
  return { payouts: matched.payouts, months, lines: terms.lines, replaced };
}

/** By bucket: how many, and theirs − ours. */
export function sumByBucket(lines: readonly LineDifference[]) {
  return [...Map.groupBy(lines, ({ bucket }) => bucket)].map(([bucket, own]) => {
    const count = own.reduce((sum, each) => sum + each.count, 0);
    return { bucket, count, difference: sumOf(own.map(differenceOf)) };
  });
}
