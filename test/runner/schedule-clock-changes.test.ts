/**
 * The real node-cron on a fake clock, over days on which clocks change: with any tick skipped or doubled, each business
 * date has one run.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeCronTicks, startScheduler } from '../../src/runner/schedule.ts';
import { aLog, aRun, fakeApp, NIGHTLY, SILENT } from './support/ledger.ts';
import { day, nightsAround, ZONES } from './support/nights.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** All zones, hours and years are a row of the table of faults (test/faults/14-clock-changes). */
describe.each(ZONES.filter(([zone]) => zone === 'Europe/Berlin' || zone === 'America/Havana'))(
  'in %s',
  (zone, noon, [spring = '', autumn = '']) => {
    // The hour that most zones skip and double.
    it('30 2 * * * runs each business date once', async () => {
      for (const date of [spring, autumn]) {
        // The first is found missing at the start; then, for three nights, each in its own night.
        const expected = [day(date, -2), day(date, -1), date, day(date, 1)];
        expect(await nightsAround(date, { zone, noon, line: '30 2 * * *' }), `around ${date}`).toEqual({
          runs: expected,
          complaints: [],
        });
      }
    });
  },
);

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
    const options = { zone: 'America/Los_Angeles', noon: 20, line: '30 8 * * *', scheduleZone: 'Europe/Berlin' };
    expect(await nightsAround(date, options)).toEqual({ runs: expected, complaints: [] });
  });
});
