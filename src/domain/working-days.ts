/** Working days: Monday to Friday, in UTC. Holidays differ by bank and country, so they count as working days. */
import type { Instant } from './record.ts';

const DAY_MS = 86_400_000;

/** Sunday is 0. 1970-01-01 was a Thursday. */
const weekday = (at: Instant) => (Math.floor(at / DAY_MS) + 4) % 7;

const isWorkingDay = (at: Instant) => weekday(at) !== 0 && weekday(at) !== 6;

/** The same time of day, so many working days later. */
export function workingDaysAfter(from: Instant, days: number): Instant {
  let at = from;
  for (let left = days; left > 0; ) {
    at += DAY_MS;
    if (isWorkingDay(at)) left--;
  }
  return at;
}
