/** How sentences show times that passed. */
import { type Instant, isoInstant } from '../../domain/record.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/**
 * A duration in the unit a person would use, cut down, never rounded up: `40 s`, `4 min`, `31 hours`, `5 days 3 hours`,
 * `39 days`. Hours are told up to ten days, so that "5 days 3 hours; allowed 5 days" makes sense.
 */
export function showDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return counted(Math.floor(ms / HOUR), 'hour');
  const days = Math.floor(ms / DAY);
  const hours = Math.floor((ms % DAY) / HOUR);
  return days >= 10 || hours === 0 ? counted(days, 'day') : `${counted(days, 'day')} ${counted(hours, 'hour')}`;
}

/** The calendar day in UTC: `2026-11-02`. */
export function showDay(instant: Instant): string {
  return isoInstant(instant).slice(0, 10);
}
