/** Working days: Monday to Friday of a time zone. Holidays differ by bank and country, so they count as working days. */
import { businessDateOf } from './calendar.ts';
import type { Instant } from './record.ts';

const DAY_MS = 86_400_000;

function isWorkingDay(at: Instant, timezone: string): boolean {
  const weekday = new Date(businessDateOf(at, timezone)).getUTCDay();
  return weekday !== 0 && weekday !== 6;
}

/** The same time of day, so many working days later. */
export function workingDaysAfter(from: Instant, days: number, timezone: string): Instant {
  let at = from;
  for (let left = days; left > 0; ) {
    at += DAY_MS;
    if (isWorkingDay(at, timezone)) left--;
  }
  return at;
}
