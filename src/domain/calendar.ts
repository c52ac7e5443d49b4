/** Business dates: calendar days of an IANA time zone. Days are counted on the calendar, so a change of clocks moves none. */
import { TZDate } from '@date-fns/tz';
// One module each: the index loads three hundred files, which is most of a second at every start.
import { addDays as plusDays } from 'date-fns/addDays';
import { millisecondsInDay } from 'date-fns/constants';
import { isValid } from 'date-fns/isValid';
import { lightFormat } from 'date-fns/lightFormat';
import { parseISO } from 'date-fns/parseISO';
import type { BusinessDate, Instant } from './record.ts';

const DATE = /^[12]\d{3}-\d{2}-\d{2}$/;
const FORMAT = 'yyyy-MM-dd';

/** True for an existing calendar day `YYYY-MM-DD`. */
export function isBusinessDate(text: string): boolean {
  return DATE.test(text) && isValid(parseISO(text));
}

/** Names that are: finding it out takes a third of a millisecond. */
const TIMEZONES = new Set<string>();

/** True for an IANA name, or an offset such as `+02:00`, that this machine knows. */
export function isTimezone(name: string): boolean {
  if (TIMEZONES.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    TIMEZONES.add(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const MONTH = /^2\d{3}-(?:0[1-9]|1[0-2])$/;

/** True for a month `2026-10`: nothing here is of another millennium, and 9999-12 has no month after it. */
export function isMonth(text: string): boolean {
  return MONTH.test(text);
}

/** `2026-12` → `2027-01`. */
export function monthAfter(month: string): string {
  // No month has more than 31 days, so this is always a day of the next one.
  return addDays(`${month}-01`, 31).slice(0, 7);
}

/** @param date or what begins with one: `2027-01-15T08:00Z` → `2026-12`. */
export function monthBefore(date: string): string {
  return addDays(`${date.slice(0, 7)}-01`, -1).slice(0, 7);
}

/** Arithmetic on dates alone is done in a zone whose clocks never change. */
function inUtc(date: BusinessDate): TZDate {
  return new TZDate(`${date}T00:00:00Z`, 'UTC');
}

export function addDays(date: BusinessDate, days: number): BusinessDate {
  return lightFormat(plusDays(inUtc(date), days), FORMAT);
}

/** `to` − `from` in calendar days. */
export function daysBetween(from: BusinessDate, to: BusinessDate): number {
  // A date alone is read as UTC, where every day is as long; every row of a work list asks, so no zone is consulted.
  return (Date.parse(to) - Date.parse(from)) / millisecondsInDay;
}

/** The calendar day that an instant falls on in a time zone. */
export function businessDateOf(instant: Instant, timezone: string): BusinessDate {
  // The zone most deployments have needs no calendar of its own.
  if (timezone === 'UTC') return new Date(instant).toISOString().slice(0, 10);
  return lightFormat(new TZDate(instant, timezone), FORMAT);
}

/** The first instant of a business date; the end of a date is the start of the next, as ranges are half-open. */
export function startOfBusinessDate(date: BusinessDate, timezone: string): Instant {
  const midnight = inUtc(date);
  return new TZDate(midnight.getFullYear(), midnight.getMonth(), midnight.getDate(), timezone).getTime();
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
