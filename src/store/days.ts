/**
 * Business dates as day numbers. Rows hold days since 1970-01-01 as integers, so that "seven days after" is an addition
 * in every engine; texts appear only at the edge of the store.
 */
import type { BusinessDate } from '../domain/record.ts';

const DAY_MS = 86_400_000;
const FORM = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * Days from 1970-01-01 to the date.
 * @throws RangeError where the text is not a calendar day `YYYY-MM-DD`.
 */
export function dayOf(date: BusinessDate): number {
  const match = FORM.exec(date);
  if (match !== null) {
    const ms = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
    // Date.UTC rolls 2026-02-30 over into March; only a date that comes back unchanged exists.
    if (dateOf(ms / DAY_MS) === date) return ms / DAY_MS;
  }
  throw new RangeError(`not a calendar day: ${date.slice(0, 20)}`);
}

export function dateOf(day: number): BusinessDate {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function dayOrNull(date: BusinessDate | null): number | null {
  return date === null ? null : dayOf(date);
}

export function dateOrNull(day: number | null): BusinessDate | null {
  return day === null ? null : dateOf(day);
}
