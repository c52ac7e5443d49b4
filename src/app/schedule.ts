/** The wiring of `tieout schedule`: node-cron, the jobs, and the recipients of notices, with the application behind them. */
import { JOBS } from '../../jobs/index.ts';
import { createNotifier, type Notifier } from '../runner/notify.ts';
import { nodeCronTicks, type Scheduler, type StartTicking, startScheduler } from '../runner/schedule.ts';
import type { App } from './app.ts';
import { claimReminders } from './claim-reminders.ts';
import { ServiceNotConfiguredError } from './wiring.ts';

export interface ScheduleOptions {
  /** The one that `app` was opened with; after it nothing new begins. */
  signal: AbortSignal;
  /** Removes the secrets of the settings from messages to people. */
  scrub: (text: string) => string;
  /** What calls at the times of a cron line; node-cron unless given. */
  ticks?: StartTicking;
}

/**
 * Starts every job of settings.schedule.jobs at its time, and what the ledger lacks at once. Await `stop()` of the answer
 * before the application is closed.
 * @throws ServiceNotConfiguredError rather than failing every night
 */
export function startSchedule(app: App, { signal, scrub, ticks }: ScheduleOptions): Scheduler {
  if (app.settings.service.url === null) throw new ServiceNotConfiguredError();
  return startScheduler(app, {
    jobs: JOBS,
    log: app.log,
    signal,
    notifier: notifierOf(app, { signal, scrub, routine: true }),
    ticks: ticks ?? nodeCronTicks(app.log),
  });
}

/** @param options `routine`: false where each process sees one run only, so that it cannot tell news from repetition */
export function notifierOf(app: App, options: Omit<ScheduleOptions, 'ticks'> & { routine: boolean }): Notifier {
  return createNotifier({
    ...options,
    settings: app.settings.notify,
    breaks: app.store.breaks,
    reminders: () => claimReminders(app),
    warn: (message) => app.log.warn(message),
    sleep: (ms) => app.clock.wall.sleep(ms),
  });
}
