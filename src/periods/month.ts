/**
 * Months of the business calendar, and who may do what to them. Pure. A record belongs to the month of its creation in the
 * business time zone; a month goes open → closed → reviewed, in order, and never back.
 */
import { isSamePerson } from '../domain/actor.ts';
import { addDays, businessDateOf, isMonth, monthAfter, startOfBusinessDate } from '../domain/calendar.ts';
import { UsageError } from '../domain/errors.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import type { ClosedPeriod, MonthSet } from '../ports/store/periods.ts';

/** A month as dates and as the half-open range [from, to) of instants. */
export interface PeriodRange {
  period: string;
  first: BusinessDate;
  last: BusinessDate;
  from: Instant;
  to: Instant;
}

/** @throws UsageError for anything but `2026-10`. */
export function periodRange(period: string, timezone: string): PeriodRange {
  if (!isMonth(period)) throw new UsageError(`${period}: not a month`, { remedy: 'write it as 2026-10' });
  const first = `${period}-01`;
  const next = `${monthAfter(period)}-01`;
  return {
    period,
    first,
    last: addDays(next, -1),
    from: startOfBusinessDate(first, timezone),
    to: startOfBusinessDate(next, timezone),
  };
}

export function periodOf(instant: Instant, timezone: string): string {
  return businessDateOf(instant, timezone).slice(0, 7);
}

/** Who did it, and why, for the record. @throws UsageError for a blank text */
export function requireText(what: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new UsageError(`${what} is blank`, { remedy: 'give one; it is kept for ever' });
  return trimmed;
}

/**
 * @param closed all closed months, oldest first.
 * @throws UsageError for a month that is closed, is not over, is not the next one, or begins in another time zone
 */
export function requireClosable(range: PeriodRange, closed: readonly ClosedPeriod[], now: Instant, timezone: string) {
  const { period } = range;
  const known = closed.find((each) => each.period === period);
  if (known !== undefined) {
    const by = `${known.closedBy} on ${businessDateOf(known.closedAt, timezone)}`;
    // What is found later is a delta, or goes into the next month.
    throw new UsageError(`${period} was closed by ${by} and is never closed again`, {
      remedy: `state the differences since with \`tieout period delta ${period} --by NAME\``,
    });
  }
  if (now < range.to) {
    const remedy = 'close it after that';
    throw new UsageError(`${period} is not over: its last day is ${range.last} (${timezone})`, { remedy });
  }
  const [oldest, newest] = [closed[0], closed.at(-1)];
  if (oldest !== undefined && period < oldest.period) {
    throw new UsageError(`${period} is before the first closed month, ${oldest.period}, and will not be closed`, {
      remedy: `\`tieout revenue --from ${range.first} --to ${monthAfter(period)}-01\` shows what it earned`,
    });
  }
  // The first close may be of any month; from there on there is no gap, which would leave findings that no set carries.
  if (newest !== undefined && period !== monthAfter(newest.period)) {
    const remedy = `close ${monthAfter(newest.period)} first`;
    throw new UsageError(`${period} cannot be closed now: months are closed in order`, { remedy });
  }
  if (newest !== undefined && periodRange(newest.period, newest.timezone).to !== range.from) {
    // Months of two time zones leave hours between them, or share some: a share would be booked in no month, or in two.
    const remedy = `set timezone to ${newest.timezone} again; for a partner's months there is evidence.payouts.timezone`;
    throw new UsageError(`${period} cannot be closed in ${timezone}: ${newest.period} was in ${newest.timezone}`, {
      remedy,
    });
  }
}

/** Only a closed month can be reviewed or have a delta. @throws UsageError */
export function requireClosed(period: string, closed: ClosedPeriod | null): ClosedPeriod {
  if (closed === null) {
    const remedy = `\`tieout period close ${period} --by NAME\` closes it`;
    throw new UsageError(`${period} is not closed`, { remedy });
  }
  return closed;
}

/** Sealed deltas that no second person has reviewed. */
export function unreviewedDeltas(statements: readonly MonthSet[]): readonly MonthSet[] {
  return statements.filter(({ type, state, review }) => type === 'delta' && state === 'sealed' && review === null);
}

/**
 * @param deltas those that are not reviewed
 * @throws UsageError where nothing is left to review, or for the person who closed the month or stated a delta (four-eyes principle)
 */
export function requireReviewable(
  closed: ClosedPeriod,
  deltas: readonly Pick<MonthSet, 'number' | 'by'>[],
  by: string,
  timezone: string,
): void {
  const { period, closedBy, reviewedBy, reviewedAt } = closed;
  if (reviewedBy !== null && reviewedAt !== null && deltas.length === 0) {
    const by = `${reviewedBy} on ${businessDateOf(reviewedAt, timezone)}`;
    throw new UsageError(`${period} was reviewed by ${by} already; a month is reviewed once`);
  }
  const remedy = 'another person must review it (--by)';
  if (reviewedBy === null && isSamePerson(closedBy, by))
    throw new UsageError(`${closedBy} closed ${period}`, { remedy });
  const own = deltas.find((each) => isSamePerson(each.by, by));
  if (own !== undefined) throw new UsageError(`${own.by} stated delta ${own.number} of ${period}`, { remedy });
}
