/**
 * The real node-cron on a fake clock, over days on which clocks change: whatever it skips or doubles, each business
 * date has one run.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startScheduler } from '../../src/runner/schedule.ts';
import { nodeCronTicks } from '../../src/runner/schedule-ticks.ts';
import { aLog, aRun, fakeApp, NIGHTLY, SILENT } from './support/ledger.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;

/**
 * Zones, the hour of UTC that is about noon there, and the days on which clocks change: spring and autumn of two years,
 * as the zones' own governments have it.
 */
const ZONES: readonly (readonly [zone: string, noon: number, days: readonly string[]])[] = [
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
function day(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 24 * HOUR).toISOString().slice(0, 10);
}

/** Lets the schedule run for three days, from noon before such a day; answers the dates that were run, in order. */
async function nightsAround(date: string, zone: string, noon: number, line: string, scheduleZone = zone) {
  vi.setSystemTime(Date.parse(`${day(date, -1)}T00:00:00Z`) + noon * HOUR);
  const { app, runs } = fakeApp({
    now: () => Date.now(),
    jobs: { nightly: line },
    timezone: zone,
    scheduleTimezone: scheduleZone,
    ledger: [aRun('nightly', day(date, -3), 'complete')],
  });
  const log = aLog();
  const scheduler = startScheduler(app, {
    jobs: [NIGHTLY],
    log,
    signal: new AbortController().signal,
    notifier: SILENT,
    ticks: nodeCronTicks(log),
  });
  await vi.advanceTimersByTimeAsync(72 * HOUR);
  await scheduler.stop();
  expect(log.lines.filter((text) => /^(warn|error)/.test(text))).toEqual([]);
  return runs.map((run) => run.replace('nightly ', ''));
}

describe.each(ZONES)('in %s', (zone, noon, days) => {
  // The default; the hour that most zones skip and double; and the one that changes at midnight do.
  it.each(['15 4 * * *', '30 2 * * *', '30 0 * * *'])(
    '%s runs each business date once',
    async (line) => {
      for (const date of days) {
        // The first is found missing at the start; then, for three nights, each in its own night.
        const expected = [day(date, -2), day(date, -1), date, day(date, 1)];
        expect(await nightsAround(date, zone, noon, line), `around ${date}`).toEqual(expected);
      }
    },
    60_000,
  );
});

it('a night that the change of clocks skips is run within five minutes of its hour, not a day later', async () => {
  vi.setSystemTime(Date.parse('2026-03-28T12:00:00Z'));
  const { app, runs } = fakeApp({
    now: () => Date.now(),
    jobs: { nightly: '30 2 * * *' },
    timezone: 'Europe/Berlin',
    ledger: [aRun('nightly', '2026-03-27', 'complete')],
  });
  const log = aLog();
  const scheduler = startScheduler(app, {
    jobs: [NIGHTLY],
    log,
    signal: new AbortController().signal,
    notifier: SILENT,
    ticks: nodeCronTicks(log),
  });
  // 02:30 on 29 March does not exist; it counts as 03:30 summer time, 01:30 UTC.
  await vi.advanceTimersByTimeAsync(Date.parse('2026-03-29T01:29:59Z') - Date.now());
  expect(runs).toEqual([]);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(runs).toEqual(['nightly 2026-03-28']);
  await scheduler.stop();
});

describe('a schedule in one zone for business days of another', () => {
  // 08:30 in Berlin is 23:30 or 00:30 in Los Angeles, which changes three weeks earlier in spring and one later in autumn.
  it.each([
    ['2026-03-08', ['2026-03-06', '2026-03-07', '2026-03-08', '2026-03-09']],
    ['2026-03-29', ['2026-03-27', '2026-03-28', '2026-03-29']],
    ['2026-10-25', ['2026-10-23', '2026-10-24', '2026-10-25', '2026-10-26']],
    ['2026-11-01', ['2026-10-30', '2026-10-31', '2026-11-01']],
  ])('runs each once around %s', async (date, expected) => {
    const nights = await nightsAround(date, 'America/Los_Angeles', 20, '30 8 * * *', 'Europe/Berlin');
    expect(nights).toEqual(expected);
  });
});
