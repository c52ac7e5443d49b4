/**
 * A partner's statement with a line for each transaction, against the shares of the records. Every difference is in exactly one bucket, and
 * the buckets of a month and currency add up to what the partner states less what was earned. Pure.
 */
import { addDays, monthAfter } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { type LineBucket, type LineDifference, type Payout, settledBy } from '../domain/payout.ts';
import { isoInstant } from '../domain/record.ts';

/** What a record earned, or lost again (below zero). */
export interface EarnedShare {
  recordId: string;
  month: string;
  /** Business date of the release. */
  date: string;
  currency: string;
  /** Null where it is unknown. */
  share: Decimal | null;
}

interface CompareOptions {
  today: string;
  /** The share of an amount that rates may explain. */
  exchange: Decimal;
  /** The last day on which a month is paid in time. */
  dueDate: (month: string) => string;
}

/** Releases of so many days at the end of a month may be in the partner's next one. */
const CUT_OFF_DAYS = 5;

const BUCKET_OF_TYPE: Readonly<Partial<Record<Payout['type'], LineBucket>>> = {
  clawback: 'clawback',
  exchange: 'exchange',
  share: 'unexplained',
};

interface Line {
  recordId: string | null;
  month: string;
  currency: string;
  amount: Decimal;
  isConverted: boolean;
}

/** The months that the lines cover, every one in which a line is. @param lines payments of the source `lines` */
export function compareLines(
  lines: readonly Payout[],
  earned: readonly EarnedShare[],
  options: CompareOptions,
): readonly LineDifference[] {
  const covered = new Set(lines.map((line) => `${monthOf(line)} ${settledBy(line).currency}`));
  // The first days of a month may be in the statement of the one before: they are not yet the month's own.
  const reached = new Set(
    lines.flatMap((line) =>
      isoInstant(line.paidAt) > addDays(`${monthOf(line)}-01`, CUT_OFF_DAYS)
        ? `${monthOf(line)} ${settledBy(line).currency}`
        : [],
    ),
  );
  const found: LineDifference[] = [];
  const shares = new Map<string, Line[]>();
  for (const line of lines) {
    const { currency, amount } = settledBy(line);
    const each = {
      recordId: line.statementId,
      month: monthOf(line),
      currency,
      amount,
      isConverted: line.settles !== null,
    };
    if (line.type === 'share' && each.recordId !== null)
      entryOf(shares, `${each.recordId} ${currency}`, () => []).push(each);
    else
      found.push({ ...one(each), bucket: BUCKET_OF_TYPE[line.type] ?? 'fee or invoice', ours: null, theirs: amount });
  }
  const equal = new Map<string, LineDifference>();
  for (const own of earned) {
    const key = `${own.recordId} ${own.currency}`;
    const stated = own.share?.isNegative === true ? undefined : shares.get(key);
    if (stated === undefined) {
      // A share that records lost again is the partner's clawback, in any month.
      if (!covered.has(`${own.month} ${own.currency}`) || own.share === null) continue;
      const clearBy = options.dueDate(monthAfter(own.month));
      const isLate = reached.has(`${monthAfter(own.month)} ${own.currency}`) || options.today > clearBy;
      const mayBeNext = own.date > addDays(`${monthAfter(own.month)}-01`, -1 - CUT_OFF_DAYS) && !isLate;
      const bucket = own.share.isNegative ? 'clawback' : mayBeNext ? 'timing' : 'only ours';
      found.push({ ...one(own), bucket, ours: own.share, theirs: null, clearBy: mayBeNext ? clearBy : null });
      continue;
    }
    shares.delete(key);
    const theirs = stated.reduce((sum, { amount }) => sum.plus(amount), Decimal.ZERO);
    const { month = own.month } = stated.find((each) => each.month === own.month) ?? stated[0] ?? {};
    const isConverted = stated.some((each) => each.isConverted);
    if (month === own.month) {
      const difference = { ...one(own), bucket: bucketOf(own, theirs, isConverted, options), ours: own.share, theirs };
      if (difference.bucket === 'equal') addEqual(equal, difference);
      else found.push(difference);
      continue;
    }
    // In the month of each side alone what it states; what differs besides is in the partner's month.
    const isNear = month === monthAfter(own.month) || own.month === monthAfter(month);
    const bucket = (bare: LineBucket) => (isNear ? 'timing' : bare);
    const difference = bucketOf(own, theirs, isConverted, options);
    const isSame = difference === 'equal' || own.share === null;
    if (covered.has(`${own.month} ${own.currency}`) && own.share !== null)
      found.push({ ...one(own), bucket: bucket('only ours'), ours: own.share, theirs: null });
    const moved = { recordId: own.recordId, month, currency: own.currency, count: 1, clearBy: null };
    found.push({ ...moved, bucket: bucket("only the partner's"), ours: null, theirs: isSame ? theirs : own.share });
    if (!isSame)
      found.push({ ...moved, bucket: difference, ours: null, theirs: theirs.minus(own.share ?? Decimal.ZERO) });
  }
  for (const rest of shares.values())
    for (const line of rest)
      found.push({ ...one(line), bucket: "only the partner's", ours: null, theirs: line.amount });
  const keyOf = ({ month, currency, bucket, recordId }: LineDifference) =>
    `${month} ${currency} ${bucket} ${recordId ?? ''}`;
  return [...equal.values(), ...found].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const one = ({ recordId, month, currency }: { recordId: string | null; month: string; currency: string }) => {
  return { recordId, month, currency, count: 1, clearBy: null };
};

const monthOf = ({ period, paidAt }: Payout) => period?.slice(0, 7) ?? isoInstant(paidAt).slice(0, 7);

function bucketOf(
  { share, currency }: EarnedShare,
  theirs: Decimal,
  isConverted: boolean,
  { exchange }: CompareOptions,
): LineBucket {
  if (share === null) return 'unexplained';
  const difference = theirs.minus(share).abs();
  if (difference.isZero) return 'equal';
  if (difference.lessThan(Decimal.of(1n, minorUnitDigits(currency) ?? 2))) return 'rounding';
  return isConverted && !difference.greaterThan(share.abs().times(exchange)) ? 'exchange' : 'amount';
}

/** Equal lines are counted, not listed. */
function addEqual(equal: Map<string, LineDifference>, each: LineDifference): void {
  const key = `${each.month} ${each.currency}`;
  const sum = equal.get(key);
  equal.set(key, {
    ...each,
    recordId: null,
    count: (sum?.count ?? 0) + 1,
    ours: each.ours?.plus(sum?.ours ?? Decimal.ZERO) ?? null,
    theirs: each.theirs?.plus(sum?.theirs ?? Decimal.ZERO) ?? null,
  });
}
