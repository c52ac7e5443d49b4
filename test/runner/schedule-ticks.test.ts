/** What the real node-cron says, and what of it is logged. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nodeCronTicks } from '../../src/runner/schedule.ts';
import { aLog } from './support/ledger.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T10:00:30Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

it('an error of a tick is logged, and the next tick comes', async () => {
  const log = aLog();
  let ticks = 0;
  const task = nodeCronTicks(log)('nightly', '* * * * *', 'UTC', () => {
    ticks++;
    throw new Error('out of memory');
  });
  await vi.advanceTimersByTimeAsync(120_000);
  task.stop();
  expect([ticks, log.lines]).toEqual([2, ['error out of memory', 'error out of memory']]);
});

it('a tick that a sleeping machine missed is not logged: the ledger lists missing nights', async () => {
  const log = aLog();
  let ticks = 0;
  const task = nodeCronTicks(log)('nightly', '* * * * *', 'UTC', () => void ticks++);
  await vi.advanceTimersByTimeAsync(60_000);
  vi.setSystemTime(Date.parse('2026-11-20T12:00:30Z'));
  await vi.advanceTimersByTimeAsync(120_000);
  task.stop();
  expect(ticks).toBeGreaterThan(1);
  expect(log.lines).toEqual([]);
});
