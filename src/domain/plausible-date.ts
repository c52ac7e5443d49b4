/** Dates that a record of the Service can have. A date outside would take the record out of every month. */
import { businessDateOf } from './calendar.ts';
import { UsageError } from './errors.ts';
import type { BusinessDate, Instant } from './record.ts';

/** The Service did not exist before this date. */
export const EARLIEST: Instant = Date.UTC(2017, 0, 1);
const DAY_MS = 86_400_000;

/** The largest difference between the clocks of two machines that is not reported. */
export const CLOCKS_DIFFER_MS = 5 * 60_000;

/** Up to a day ahead: clocks differ, and days begin earlier in the east. @param asOf when the date came in. */
export function isPlausible(date: Instant, asOf: Instant): boolean {
  return date >= EARLIEST && date <= asOf + DAY_MS;
}

/** A payment may be announced, and its value date lie ahead; a date later than this is mistyped, most often in its year. */
export const latestAnnounced = (asOf: Instant): Instant => asOf + 92 * DAY_MS;

/** Of a payment or a posting: another month is mistyped, or a number that looks like one. */
export const isNearMonth = (month: string, asOf: Instant) =>
  isPlausible(Date.parse(`${month}-01`), latestAnnounced(asOf));

/** Whether two dates of one creation contradict each other: the application stores its own shortly after the Service. */
export function contradicts(date: Instant, reported: Instant): boolean {
  return Math.abs(date - reported) > DAY_MS;
}

/**
 * The date by which a record belongs to a month: the application's own, else the Service's; null where neither can be true. The store
 * counts by the same (`COUNTED_DATE`), and there by the time of tracking where both fail.
 */
export function countedDate(createdAt: Instant | null, reported: Instant | null, asOf: Instant): Instant | null {
  return firstPlausible([reported, createdAt], asOf);
}

export function firstPlausible(dates: readonly (Instant | null)[], asOf: Instant): Instant | null {
  return dates.find((date) => date !== null && isPlausible(date, asOf)) ?? null;
}

/** @throws UsageError for a business date in the future */
export function requirePastDate(date: BusinessDate | null, now: Instant, timezone: string): void {
  const today = businessDateOf(now, timezone);
  if (date === null || date <= today) return;
  throw new UsageError(`The business date ${date} is in the future: today is ${today}`, {
    remedy: 'name a date up to today, or leave it out',
  });
}
