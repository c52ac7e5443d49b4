/** Working days: Monday to Friday of a time zone. Holidays differ by bank and country, so they count as working days. */
import { TZDate } from '@date-fns/tz';
import { addBusinessDays } from 'date-fns/addBusinessDays';
import type { Instant } from './record.ts';

/** The same time of day, so many working days later, also where the clocks change between. */
export function workingDaysAfter(from: Instant, days: number, timezone: string): Instant {
  return addBusinessDays(new TZDate(from, timezone), days).getTime();
}
