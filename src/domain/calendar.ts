/** Business dates: calendar days of an IANA time zone. Days are counted on the calendar, so a change of clocks moves none. */
import { TZDate } from '@date-fns/tz';
import type { BusinessDate, Instant } from './record.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY = 86_400_000;

/** True for an existing calendar day `YYYY-MM-DD`. */
export function isBusinessDate(text: string): boolean {
  return DATE.test(text) && new Date(dayNumber(text) * DAY).toISOString().startsWith(text);
}

/** Days since 1970-01-01, for arithmetic on dates alone. */
function dayNumber(date: BusinessDate): number {
  const [, year, month, day] = DATE.exec(date) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY;
}

export function addDays(date: BusinessDate, days: number): BusinessDate {
  return new Date((dayNumber(date) + days) * DAY).toISOString().slice(0, 10);
}

/** `to` − `from` in calendar days. */
export function daysBetween(from: BusinessDate, to: BusinessDate): number {
  return dayNumber(to) - dayNumber(from);
}

/** The calendar day that an instant falls on in a time zone. */
export function businessDateOf(instant: Instant, timezone: string): BusinessDate {
  if (timezone === 'UTC') return new Date(instant).toISOString().slice(0, 10);
  const there = new TZDate(instant, timezone);
  const pad = (n: number, width: number) => String(n).padStart(width, '0');
  return `${pad(there.getFullYear(), 4)}-${pad(there.getMonth() + 1, 2)}-${pad(there.getDate(), 2)}`;
}

/** The first instant of a business date; the end of a date is the start of the next, as ranges are half-open. */
export function startOfBusinessDate(date: BusinessDate, timezone: string): Instant {
  const [, year, month, day] = DATE.exec(date) ?? [];
  return new TZDate(Number(year), Number(month) - 1, Number(day), timezone).getTime();
}

/** The last full calendar day before an instant: what a nightly run is for. */
export function lastFullDate(now: Instant, timezone: string): BusinessDate {
  return addDays(businessDateOf(now, timezone), -1);
}

/**
 * `businessDateOf(…).slice(0, 7)` for many instants: remembers the answer per quarter of an hour, the finest step in
 * which zone offsets change.
 */
export function businessMonths(timezone: string): (instant: Instant) => string {
  const known = new Map<number, string>();
  return (instant) => {
    const quarter = Math.floor(instant / 900_000);
    let month = known.get(quarter);
    if (month === undefined) {
      // Bounded: a long population must not grow memory.
      if (known.size > 50_000) known.clear();
      month = businessDateOf(instant, timezone).slice(0, 7);
      known.set(quarter, month);
    }
    return month;
  };
}
