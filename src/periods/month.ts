/**
 * Months of the business calendar, and who may do what to them. Pure. A record belongs to the month of its creation in the
 * business time zone; a month goes open → closed → reviewed, in order, and never back.
 */
import { isSamePerson } from '../domain/actor.ts';
import { addDays, businessDateOf, startOfBusinessDate } from '../domain/calendar.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import type { ClosedPeriod } from '../ports/store/periods.ts';
import {
  NameMissingError,
  PeriodClosedError,
  PeriodNameError,
  PeriodNotClosedError,
  PeriodNotOverError,
  PeriodOrderError,
  PeriodReviewedError,
  SamePersonError,
} from './errors.ts';

const PERIOD = /^2\d{3}-(?:0[1-9]|1[0-2])$/;

/** A month as dates and as the half-open range [from, to) of instants. */
export interface PeriodRange {
  period: string;
  first: BusinessDate;
  last: BusinessDate;
  from: Instant;
  to: Instant;
}

/** @throws PeriodNameError for anything but `2026-10`. */
export function periodRange(period: string, timezone: string): PeriodRange {
  if (!PERIOD.test(period)) throw new PeriodNameError(period);
  const first = `${period}-01`;
  const next = `${nextPeriod(period)}-01`;
  return {
    period,
    first,
    last: addDays(next, -1),
    from: startOfBusinessDate(first, timezone),
    to: startOfBusinessDate(next, timezone),
  };
}

/** The month after: `2026-12` → `2027-01`. */
export function nextPeriod(period: string): string {
  // No month has more than 31 days, so this is always a day of the next one.
  return addDays(`${period}-01`, 31).slice(0, 7);
}

export function periodOf(instant: Instant, timezone: string): string {
  return businessDateOf(instant, timezone).slice(0, 7);
}

/** @throws NameMissingError */
export function requireText(what: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new NameMissingError(what);
  return trimmed;
}

/**
 * @param closed all closed months, oldest first.
 * @throws PeriodClosedError, PeriodNotOverError, PeriodOrderError
 */
export function requireClosable(
  range: PeriodRange,
  closed: readonly ClosedPeriod[],
  now: Instant,
  timezone: string,
): void {
  const known = closed.find(({ period }) => period === range.period);
  if (known !== undefined) throw new PeriodClosedError(range.period, known.closedBy, dayOf(known.closedAt, timezone));
  if (now < range.to) throw new PeriodNotOverError(range.period, range.last, timezone);
  const newest = closed.at(-1);
  // The first close may be of any month; from there on there is no gap.
  if (newest !== undefined && range.period !== nextPeriod(newest.period)) {
    throw new PeriodOrderError(range.period, nextPeriod(newest.period));
  }
}

/** @throws PeriodNotClosedError */
export function requireClosed(period: string, closed: ClosedPeriod | null): ClosedPeriod {
  if (closed === null) throw new PeriodNotClosedError(period);
  return closed;
}

/** @throws PeriodReviewedError, SamePersonError */
export function requireReviewable(closed: ClosedPeriod, by: string, timezone: string): void {
  if (closed.reviewedBy !== null && closed.reviewedAt !== null) {
    throw new PeriodReviewedError(closed.period, closed.reviewedBy, dayOf(closed.reviewedAt, timezone));
  }
  if (isSamePerson(closed.closedBy, by)) throw new SamePersonError(closed.period, closed.closedBy);
}

const dayOf = (instant: Instant, timezone: string) => businessDateOf(instant, timezone);
