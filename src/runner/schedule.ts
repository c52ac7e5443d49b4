/**
 * The schedule: every job of the settings at its time, for as long as the process lives.
 *
 * No run overlaps another of its job: not in this process (guarded here), nor in another one (the lease), nor for a
 * business date that has its run (asked under the lease). A refused tick is a line in the log, not an error.
 */
import { schedule } from 'node-cron';
import { isAbort } from '../domain/errors.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import type { Job, JobResult } from '../ports/job.ts';
import type { Log } from '../ports/log.ts';
import type { RunStore } from '../ports/store/store.ts';
import { type Announceable, isRefusal, type Notifier, runAnnounced } from './notify.ts';
import { nextTick, readCronLine } from './schedule-calendar.ts';
import { type Attempt, datedJob } from './schedule-dated.ts';

/** Calls back at every time of a cron line until it is stopped. The callback must not throw. */
export type StartTicking = (name: string, line: string, timezone: string, onTick: () => void) => { stop(): void };

/**
 * Ticks by node-cron, with an explicit time zone. Its own protection against overlap stays off: the scheduler, the lease and the
 * ledger guard against it. A late tick still counts; a missed one is found by reading the ledger.
 */
export function nodeCronTicks(log: Pick<Log, 'warn' | 'error'>): StartTicking {
  const logger = {
    info: () => undefined,
    debug: () => undefined,
    warn: (message: string) => log.warn(message),
    error: (message: string | Error) => log.error(message instanceof Error ? message.message : message),
  };
  return (name, line, timezone, onTick) => {
    const task = schedule(line, () => onTick(), { name, timezone, logger, suppressMissedWarning: true });
    // Not `stop`: node-cron keeps every task of the process in a list until it is destroyed.
    return { stop: () => void task.destroy() };
  };
}

/** What the schedule needs of the wired application. */
export interface ScheduledApp extends Announceable {
  settings: {
    timezone: string;
    schedule: {
      timezone: string;
      jobs: ReadonlyMap<string, string>;
      /** Milliseconds after which a run sends no more requests; by job where `maxDurations` has it. */
      maxDuration: number;
      maxDurations: ReadonlyMap<string, number>;
    };
  };
  clock: { wall: { now(): Instant } };
  store: { runs: Pick<RunStore, 'list' | 'unfinished'> };
}

export interface SchedulerOptions {
  /** All that exist; which of them run, and when, is in the settings. */
  jobs: readonly Job[];
  log: Log;
  /** The signal that the application was opened with: it ends runs in flight, and no run begins after it. */
  signal: AbortSignal;
  notifier: Notifier;
  ticks: StartTicking;
  /** The most business dates to catch up with; 7 by default. */
  maxNights?: number;
}

/** Every job of the settings at its time, none twice at once. */
export interface Scheduler {
  /** Begins no more runs, and resolves when those in flight have ended; abort the signal first to stop them early. */
  stop: () => Promise<void>;
}

/** The longest time until a missed tick (a skipped hour, a machine asleep, a lock held elsewhere) is noticed. */
const LOOK_AGAIN = '*/5 * * * *';

/**
 * Starts ticking, and catches up at once with missing dates. Later failures are logged and announced, not thrown.
 * @throws an Error for a job in the settings that does not exist
 */
export function startScheduler(app: ScheduledApp, options: SchedulerOptions): Scheduler {
  const { log, signal, notifier } = options;
  const inFlight = new Set<Promise<void>>();
  let stopping = false;
  const stopped = () => stopping || signal.aborted;

  /** Background work: its errors are logged, and do not end the process. */
  const begin = (name: string, work: () => Promise<void>) => {
    if (stopped()) return;
    const running = work()
      .catch((error: unknown) => log.error(`${name}: ${inWords(error)}`))
      .finally(() => inFlight.delete(running));
    inFlight.add(running);
  };

  const { timezone, jobs } = app.settings.schedule;
  const ticking = [...jobs].flatMap(([name, text]) => {
    const job = options.jobs.find((each) => each.name === name);
    if (job === undefined) throw new RangeError(`there is no job ${name} to schedule`);
    const line = readCronLine(text);
    const next = nextTick(line, timezone, app.clock.wall.now());
    log.info({ job: name, at: text, timezone, next: next === null ? null : new Date(next).toISOString() }, 'scheduled');
    if (job.oncePerDate) {
      const { look } = datedJob({
        name,
        line,
        timezone,
        businessTimezone: app.settings.timezone,
        now: () => app.clock.wall.now(),
        runs: app.store.runs,
        attempt: ({ businessDate, resume }) => attempt(job, businessDate, resume),
        stopped,
        log,
        ...(options.maxNights === undefined ? {} : { maxNights: options.maxNights }),
      });
      begin(name, look);
      return [
        options.ticks(name, text, timezone, () => begin(name, look)),
        options.ticks(`${name} again`, LOOK_AGAIN, 'UTC', () => begin(name, look)),
      ];
    }
    return [options.ticks(name, text, timezone, plainTick(job))];
  });

  return {
    stop: async () => {
      stopping = true;
      for (const each of ticking) each.stop();
      await Promise.all(inFlight);
    },
  };

  /** A job without business dates: a tick while it is still running is skipped. */
  function plainTick(job: Job): () => void {
    let busy = false;
    return () => {
      if (busy) {
        log.info({ job: job.name }, 'still running; this tick is skipped');
        return;
      }
      begin(job.name, async () => {
        busy = true;
        try {
          const unfinished = await app.store.runs.unfinished(job.name);
          await attempt(job, null, unfinished !== null);
        } finally {
          busy = false;
        }
      });
    };
  }

  async function attempt(job: Job, businessDate: BusinessDate | null, resume: boolean): Promise<Attempt> {
    const about = { job: job.name, date: businessDate, resume };
    try {
      const { maxDuration, maxDurations } = app.settings.schedule;
      const maxDurationMs = maxDurations.get(job.name) ?? maxDuration;
      const result = await runAnnounced(app, job, { ...ORDERS, maxDurationMs, businessDate, resume }, notifier);
      if (result.outcome === 'stopped') {
        log.info(
          { ...about, run: result.run.runId },
          'stopped; the progress is saved, and the next start goes on with it',
        );
        return 'stopped';
      }
      log.info({ ...about, ...factsOf(result) }, 'done');
      return 'done';
    } catch (error) {
      if (isRefusal(error)) {
        log.info({ ...about, why: inWords(error) }, 'refused');
        return 'refused';
      }
      // A wait that the signal aborted; the run itself saves and returns `stopped`.
      if (stopped() && isAbort(error)) return 'stopped';
      log.error(`${job.name}${businessDate === null ? '' : ` for ${businessDate}`} failed: ${inWords(error)}`);
      return 'failed';
    }
  }
}

const ORDERS = { selection: null, maxRequests: null, unlessFinished: true };

function inWords(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function factsOf(result: JobResult): object {
  if (result.outcome !== 'reconciled') return { outcome: result.outcome };
  const { run, tally } = result;
  const priorPeriod = tally.priorPeriod === undefined ? {} : { priorPeriod: tally.priorPeriod };
  return { run: run.runId, state: run.state, population: tally.population, open: tally.breaks.open, ...priorPeriod };
}
