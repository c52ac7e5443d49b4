/**
 * The times of a cron line, on calendars whose clocks change. node-cron ticks; this computes the last time that it
 * should have ticked, for nights in which the machine slept.
 *
 * A time that a change of clocks skips (02:30 in spring) is moved by the length of the gap; one that comes twice
 * (02:30 in autumn) counts the first time. So every calendar day has each of its times exactly once.
 */
import { tzOffset } from '@date-fns/tz';
import { createTask, parse } from 'node-cron';
import { addDays, businessDateOf } from '../domain/calendar.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A year and a leap day: a line that did not tick for longer (29 February) has nothing to catch up with. */
const LOOK_BACK_DAYS = 366;

/** A line of five fields, as node-cron reads it. */
export interface CronLine {
  /** As written, five fields. */
  readonly text: string;
  matchesDay(date: BusinessDate): boolean;
  /** Minutes since midnight, ascending. */
  readonly minutes: readonly number[];
}

/** @throws an Error of node-cron for a text that is no cron line; the settings refuse those before. */
export function readCronLine(text: string): CronLine {
  const { hour, minute } = parse(text);
  const minutes = hour.flatMap((h) => minute.map((m) => h * 60 + m)).sort((a, b) => a - b);
  // Never started: only its reading of the day fields (L, 15W, 5#2, …) is used, as if each day were one of UTC.
  const task = createTask(text, () => undefined, { timezone: 'UTC' });
  const first = minutes[0] ?? 0;
  void task.destroy();
  return { text, minutes, matchesDay: (date) => task.match(new Date(nominal(date, first))) };
}

/** A wall-clock reading as if it were one of UTC. */
function nominal(date: BusinessDate, minute: number): number {
  return Date.parse(`${date}T00:00:00Z`) + minute * MINUTE;
}

function offset(timezone: string, at: Instant): number {
  return tzOffset(timezone, new Date(at)) * MINUTE;
}

/** The instant of a wall-clock time; see the top of this file for times that are skipped or come twice. */
export function instantAt(date: BusinessDate, minute: number, timezone: string): Instant {
  const reading = nominal(date, minute);
  // No zone changes its clocks twice within two days, so the offset is one of these.
  const before = reading - offset(timezone, reading - DAY);
  const after = reading - offset(timezone, reading + DAY);
  const exists = (at: Instant) => at + offset(timezone, at) === reading;
  // Of a reading that comes twice, the first is the one before the change.
  return [before, after].find(exists) ?? before;
}

/** The times of the days that are so far from today, in this order. */
function* timesOf(line: CronLine, timezone: string, now: Instant, [from, to]: readonly [number, number]) {
  const today = businessDateOf(now, timezone);
  const step = Math.sign(to - from);
  const minutes = step > 0 ? line.minutes : line.minutes.toReversed();
  for (let days = from; days !== to + step; days += step) {
    const date = addDays(today, days);
    if (line.matchesDay(date)) for (const minute of minutes) yield instantAt(date, minute, timezone);
  }
}

/** The last time at or before `now` that the line should have ticked; null where that is more than a year ago. */
export function lastTick(line: CronLine, timezone: string, now: Instant): Instant | null {
  for (const at of timesOf(line, timezone, now, [0, -LOOK_BACK_DAYS])) if (at <= now) return at;
  return null;
}

/** The next time after `now`; null where that is more than a year away. */
export function nextTick(line: CronLine, timezone: string, now: Instant): Instant | null {
  // From yesterday on: a time shortly before midnight may be skipped into today.
  for (const at of timesOf(line, timezone, now, [-1, LOOK_BACK_DAYS])) if (at > now) return at;
  return null;
}
