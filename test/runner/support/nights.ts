/** The real node-cron on a fake clock, around days on which clocks change. The caller puts fake timers in place. */
import { vi } from 'vitest';
import { nodeCronTicks, startScheduler } from '../../../src/runner/schedule.ts';
import { aLog, aRun, fakeApp, NIGHTLY, SILENT } from './ledger.ts';

export const HOUR = 3_600_000;

/**
 * Zones, the hour of UTC that is about noon there, and the days on which clocks change: spring and autumn of two years,
 * as the zones' own governments have it.
 */
export const ZONES: readonly (readonly [zone: string, noon: number, days: readonly string[]])[] = [
  ['Europe/Berlin', 11, ['2026-03-29', '2026-10-25', '2027-03-28', '2027-10-31']],
  ['Europe/London', 12, ['2026-03-29', '2026-10-25', '2027-03-28', '2027-10-31']],
  ['America/New_York', 17, ['2026-03-08', '2026-11-01', '2027-03-14', '2027-11-07']],
  ['America/St_Johns', 15, ['2026-03-08', '2026-11-01', '2027-03-14', '2027-11-07']],
  ['America/Havana', 17, ['2026-03-08', '2026-11-01', '2027-03-14', '2027-11-07']],
  ['America/Santiago', 16, ['2026-09-06', '2026-04-05', '2027-09-05', '2027-04-04']],
  ['Australia/Sydney', 2, ['2026-10-04', '2026-04-05', '2027-10-03', '2027-04-04']],
  ['Australia/Lord_Howe', 1, ['2026-10-04', '2026-04-05', '2027-10-03', '2027-04-04']],
  ['Pacific/Auckland', 0, ['2026-09-27', '2026-04-05', '2027-09-26', '2027-04-04']],
  ['Africa/Cairo', 10, ['2026-04-24', '2026-10-30', '2027-04-30', '2027-10-29']],
];

/** `2026-03-29` and 2: `2026-03-31`. */
export function day(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 24 * HOUR).toISOString().slice(0, 10);
}

export interface Nights {
  zone: string;
  /** The hour of UTC that is about noon there. */
  noon: number;
  /** In cron's words. */
  line: string;
  /** Of the schedule; business days are always those of `zone`. */
  scheduleZone?: string;
  /** From noon before the day; three days where nothing is said. */
  hours?: number;
  /** The last date that was finished before; three days before the day where nothing is said. */
  finished?: string;
}

export interface NightsRun {
  /** Dates in the order in which they were run. */
  runs: readonly string[];
  /** Warnings and errors of the schedule. */
  complaints: readonly string[];
}

/** Lets the schedule run from noon on the day before. */
export async function nightsAround(date: string, options: Nights): Promise<NightsRun> {
  const { zone, noon, line, scheduleZone = zone, hours = 72, finished = day(date, -3) } = options;
  vi.setSystemTime(Date.parse(`${day(date, -1)}T00:00:00Z`) + noon * HOUR);
  const { app, runs } = fakeApp({
    now: () => Date.now(),
    jobs: { nightly: line },
    timezone: zone,
    scheduleTimezone: scheduleZone,
    ledger: [aRun('nightly', finished, 'complete')],
  });
  const log = aLog();
  const scheduler = startScheduler(app, {
    jobs: [NIGHTLY],
    log,
    signal: new AbortController().signal,
    notifier: SILENT,
    ticks: nodeCronTicks(log),
  });
  await vi.advanceTimersByTimeAsync(hours * HOUR);
  await scheduler.stop();
  const complaints = log.lines.filter((text) => /^(warn|error)/.test(text));
  return { runs: runs.map((run) => run.replace('nightly ', '')), complaints };
}
