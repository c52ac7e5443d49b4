/**
 * A partner's statement with a line for each transaction, against the shares of the records. Every difference is in exactly one bucket, and
 * the buckets of a month and currency add up to what the partner states less what was earned. Pure.
 */
import { addDays, monthAfter } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, sumOf } from '../domain/decimal.ts';
import { addTo } from '../domain/partial-sums.ts';
import {
  differenceOf,
  type LineBucket,
  type LineDifference,
  type Payout,
  type RunRevenue,
  settledBy,
} from '../domain/payout.ts';
import { isoInstant } from '../domain/record.ts';
import { periodIn } from './payment-groups.ts';
import { dueDateOf } from './revenue-legs.ts';
import { keyOf } from './revenue-terms.ts';

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

/** Releases of so many days at the end of a month may be in the partner's next one. */
const CUT_OFF_DAYS = 5;

const BUCKET_OF_TYPE: Readonly<Partial<Record<Payout['type'], LineBucket>>> = {
  clawback: 'clawback',
  exchange: 'exchange',
  share: 'unexplained',
};

type Named = Pick<LineDifference, 'recordId' | 'month' | 'currency'>;

const placeOf = ({ month, currency }: Pick<Named, 'month' | 'currency'>) => keyOf(month, currency);

const difference = (
  { recordId, month, currency }: Named,
  bucket: LineBucket,
  ours: Decimal | null,
  theirs: Decimal | null,
  clearBy: string | null = null,
): LineDifference => ({ recordId, month, currency, count: 1, clearBy, bucket, ours, theirs });

/**
 * The months that the lines cover, in all currencies: those in which a share is stated, and of one that is not over the days until shortly
 * before its last share.
 * @param lines payments of the source `lines`
 */
export function compareLines(
  lines: readonly Payout[],
  earned: readonly EarnedShare[],
  { today, exchange, ...terms }: Pick<RunRevenue, 'exchange' | 'dueDays' | 'payWeek'> & { today: string },
): readonly LineDifference[] {
  const spelled = ownSpelling(earned.map(({ recordId }) => recordId));
  const stated = lines.map((line) => {
    const { type, statementId, settles } = line;
    const recordId = statementId === null ? null : spelled(statementId);
    const at = isoInstant(line.paidAt);
    const month = (periodIn(line) ?? at).slice(0, 7);
    return { ...settledBy(line), type, at, month, recordId, isConverted: settles !== null };
  });
  /** By month, when its last stated share is from. */
  const lastOf = new Map<string, string>();
  for (const { type, month, at } of stated)
    if (type === 'share' && at > (lastOf.get(month) ?? '')) lastOf.set(month, at);
  const { shares = [], others = [] } = Object.groupBy(stated, ({ type, recordId }) =>
    type === 'share' && recordId !== null ? 'shares' : 'others',
  );
  const unmatched = Map.groupBy(shares, ({ recordId, currency }) => `${recordId} ${currency}`);
  const found = others.map((line) =>
    difference(line, BUCKET_OF_TYPE[line.type] ?? 'fee or invoice', null, line.amount),
  );
  for (const own of earned) {
    const { recordId, currency, share } = own;
    const key = `${recordId} ${currency}`;
    // A share that records lost again is the partner's clawback, in any month.
    const theirLines = share?.isNegative === true ? undefined : unmatched.get(key);
    const isListed = share !== null && isCovered(own);
    if (theirLines === undefined) {
      if (isListed) found.push(unstated(own, share));
      continue;
    }
    unmatched.delete(key);
    const theirs = sumOf(theirLines.map(({ amount }) => amount));
    const { month } = theirLines.find((line) => line.month === own.month) ?? theirLines[0] ?? own;
    const isConverted = theirLines.some((line) => line.isConverted);
    const bucket = bucketOf(own, theirs, isConverted ? exchange : Decimal.ZERO);
    if (month === own.month) {
      found.push(difference(own, bucket, share, theirs));
      continue;
    }
    // In the month of each side alone what it states; what differs besides is in the partner's month.
    const isNear = month === monthAfter(own.month) || own.month === monthAfter(month);
    const there = { recordId, month, currency };
    const isSame = bucket === 'equal' || share === null;
    if (isListed) found.push(difference(own, isNear ? 'timing' : 'only ours', share, null));
    found.push(difference(there, isNear ? 'timing' : "only the partner's", null, isSame ? theirs : share));
    if (!isSame) found.push(difference(there, bucket, null, theirs.minus(share)));
  }
  const takenBack = new Set(others.map(({ recordId, currency, amount }) => `${recordId} ${currency} ${amount}`));
  for (const [key, lines] of unmatched)
    for (const line of lines) {
      // Released and returned between two looks, with no date of the release: the partner took back what we never had.
      const isBack = takenBack.has(`${key} ${line.amount.negated()}`);
      found.push(difference(line, isBack ? 'clawback' : "only the partner's", null, line.amount));
    }
  const rank = ({ bucket, recordId, ...each }: LineDifference) => `${placeOf(each)} ${bucket} ${recordId ?? ''}`;
  return withEqualsSummed(found).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));

  /** The first days of a month may be in the statement of the one before: they are not yet the month's own. */
  function isReached(month: string): boolean {
    return (lastOf.get(month) ?? '') > addDays(`${month}-01`, CUT_OFF_DAYS);
  }

  function isCovered({ month, date }: EarnedShare): boolean {
    const last = lastOf.get(month);
    if (last === undefined) return false;
    if (month >= today.slice(0, 7)) return last > addDays(date, CUT_OFF_DAYS);
    return isReached(month) || today > dueDateOf(month, terms);
  }

  function unstated(own: EarnedShare, share: Decimal): LineDifference {
    const next = monthAfter(own.month);
    const clearBy = dueDateOf(next, terms);
    const isLate = isReached(next) || today > clearBy;
    const mayBeNext = own.date > addDays(`${next}-01`, -1 - CUT_OFF_DAYS) && !isLate;
    const bucket = share.isNegative ? 'clawback' : mayBeNext ? 'timing' : 'only ours';
    return difference(own, bucket, share, null, bucket === 'timing' ? clearBy : null);
  }
}

/** Partners and spreadsheets may print ids in capitals: an id that differs from one of ours in case alone is that record's, unless two of ours do. */
function ownSpelling(ids: readonly string[]): (id: string) => string {
  const known = new Set(ids);
  const alike = Map.groupBy(known, (id) => id.toLowerCase());
  return (id) => {
    const [own = id, ...others] = alike.get(id.toLowerCase()) ?? [];
    return known.has(id) || others.length > 0 ? id : own;
  };
}

/** @param exchange the share that rates may explain; zero where nothing was converted */
function bucketOf({ share, currency }: EarnedShare, theirs: Decimal, exchange: Decimal): LineBucket {
  if (share === null) return 'unexplained';
  const apart = theirs.minus(share).abs();
  if (apart.isZero) return 'equal';
  if (apart.lessThan(Decimal.of(1n, minorUnitDigits(currency) ?? 2))) return 'rounding';
  return apart.greaterThan(share.abs().times(exchange)) ? 'amount' : 'exchange';
}

/** Equal lines are counted, not listed. A share of zero is equal to one that the other side does not have. */
function withEqualsSummed(found: readonly LineDifference[]): LineDifference[] {
  const { equal = [], others = [] } = Object.groupBy(found, (each) => (differenceOf(each).isZero ? 'equal' : 'others'));
  const sums = new Map<string, LineDifference>();
  for (const each of equal) addTo(sums, placeOf(each), { ...each, bucket: 'equal', recordId: null, clearBy: null });
  return [...sums.values(), ...others];
}
