/** What was earned and paid, as one night or one command knows it: payments are matched, lines are compared, and the rest is aged. Pure. */
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import {
  type AddedPayout,
  differenceOf,
  isBreakingBucket,
  type LineDifference,
  type RunRevenue,
} from '../domain/payout.ts';
import type { Tolerances } from '../domain/tolerance.ts';
import type { SettledBalance } from '../ports/settled.ts';
import { type MatchedPayout, matchPayouts } from './match-payouts.ts';
import { reconciliationOf } from './reconciliation.ts';
import type { RevenueLegs } from './revenue-legs.ts';
import { netPayouts } from './standing-payouts.ts';

export interface JudgedLeg extends RevenueLegs {
  /** The differences of its lines that have no reason; empty without lines. */
  breaking: readonly LineDifference[];
  /** Differences up to this are listed, and low. */
  materiality: Decimal;
}

export interface JudgedRevenue {
  legs: readonly JudgedLeg[];
  payouts: readonly MatchedPayout[];
  lines: readonly LineDifference[];
  reconciliation: readonly SettledBalance[];
  /** Ids under which nothing stands any more. */
  replaced: readonly string[];
}

interface JudgeOptions {
  tolerances: Tolerances;
  today: string;
}

/** @param added every payment that counts, in the order in which they were added */
export function judgeRevenue(
  added: readonly AddedPayout[],
  known: Omit<RunRevenue, 'payoutKey'>,
  { tolerances, today }: JudgeOptions,
): JudgedRevenue {
  const { payouts, replaced } = netPayouts(added);
  const matched = matchPayouts(payouts, { ...known, tolerances, today });
  const lines = new Map<string, LineDifference[]>();
  for (const each of known.lines) entryOf(lines, `${each.month} ${each.currency}`, () => []).push(each);
  const reconciliation = reconciliationOf(matched, known, today);
  const materiality = new Map(reconciliation.map((row) => [`${row.month} ${row.currency}`, row.materiality]));
  const legs = matched.legs.map((leg): JudgedLeg => {
    const key = `${leg.month} ${leg.currency}`;
    const own = lines.get(key) ?? [];
    const breaking = own.filter(({ bucket }) => isBreakingBucket(bucket));
    const stated = own.reduce((sum, { theirs }) => sum.plus(theirs ?? Decimal.ZERO), Decimal.ZERO);
    // The payment is what the statement states; where the statement differs, its lines say why.
    const isStated = own.length > 0 && leg.paid !== null && !leg.paid.minus(stated).abs().greaterThan(leg.tolerance);
    const finding = isStated && leg.finding === 'PAYOUT_DIFFERS' ? null : leg.finding;
    return { ...leg, finding, breaking, materiality: materiality.get(key) ?? Decimal.ZERO };
  });
  return { payouts: matched.payouts, legs, lines: known.lines, reconciliation, replaced };
}

/** By bucket: how many, and theirs − ours. */
export function sumByBucket(
  lines: readonly LineDifference[],
): ReadonlyMap<string, { count: number; difference: Decimal }> {
  const sums = new Map<string, { count: number; difference: Decimal }>();
  for (const line of lines) {
    const sum = entryOf(sums, line.bucket, () => ({ count: 0, difference: Decimal.ZERO }));
    sum.count += line.count;
    sum.difference = sum.difference.plus(differenceOf(line));
  }
  return sums;
}
