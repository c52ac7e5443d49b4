/** The wiring of `tieout schedule`: node-cron, the jobs, and the recipients of notices, with the application behind them. */
import { JOBS } from '../../jobs/index.ts';
import { nightly } from '../../jobs/nightly.ts';
import { businessDateOf } from '../domain/calendar.ts';
import { CLAIM_STATES, GIVEN_UP_STATES } from '../domain/claim.ts';
import type { Job } from '../ports/job.ts';
import { createNotifier, type Notifier, type NotifierOptions } from '../runner/notify.ts';
import { nodeCronTicks, type Scheduler, type StartTicking, startScheduler } from '../runner/schedule.ts';
import { claimSums, isReminderDue, reminderLine } from '../worklist/claims.ts';
import type { App, AppData } from './app.ts';
import { reportingOfRun } from './reporting.ts';
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
 * @throws ServiceNotConfiguredError, MissingKeyError rather than failing every night
 */
export function startSchedule(app: App, { signal, scrub, ticks }: ScheduleOptions): Scheduler {
  if (app.settings.service.url === null) throw new ServiceNotConfiguredError();
  app.requireKey();
  return startScheduler(app, {
    jobs: JOBS,
    log: app.log,
    signal,
    notifier: notifierOf(app, { signal, scrub, routine: true }),
    ticks: ticks ?? nodeCronTicks(app.log),
  });
}

/** Announces that a job cannot run because the application did not open: its key is gone, its database does not answer. */
export async function announceUnopened(
  job: Job | null,
  error: unknown,
  { settings, ...edges }: Pick<NotifierOptions, 'settings' | 'scrub' | 'warn' | 'sleep'>,
): Promise<void> {
  const notifier = createNotifier({ ...edges, settings, breaks: NO_BREAKS, routine: false });
  await notifier.failed(job ?? nightly, null, error);
}

const NO_BREAKS = { list: async () => [], events: async () => [] };

/** @param options `routine`: false where each process sees one run only, so that it cannot tell news from repetition */
export function notifierOf(app: App, options: Omit<ScheduleOptions, 'ticks'> & { routine: boolean }): Notifier {
  const pagesAt = app.settings.pages.url;
  const notifier = createNotifier({
    ...options,
    settings: app.settings.notify,
    breaks: app.store.breaks,
    reminders: () => claimReminders(app),
    reporting: (run) => reportingOfRun(app, run),
    pageOf: pagesAt === null ? undefined : (runId) => `${pagesAt}/runs/${encodeURIComponent(runId)}`,
    warn: (message) => app.log.warn(message),
    sleep: (ms) => app.clock.wall.sleep(ms),
  });
  app.onCircuit((change) => void notifier.circuit(change));
  return notifier;
}

/** The lines about claims in the message of a night. */
async function claimReminders({ store, clock, settings }: AppData): Promise<string[]> {
  const now = clock.wall.now();
  const today = businessDateOf(now, settings.timezone);
  const states = CLAIM_STATES.filter((state) => !GIVEN_UP_STATES.includes(state));
  const lines: string[] = [];
  for (const claim of await store.claims.list({ states, limit: 1_000 })) {
    const items = await store.claims.items(claim.claimId);
    if (isReminderDue(claim, claimSums(items), today)) lines.push(reminderLine(claim, items, now));
  }
  return lines;
}
