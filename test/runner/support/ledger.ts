/** A ledger in memory, and an application that writes into it: what the schedule sees of both. */

import { lastFullDate } from '../../../src/domain/calendar.ts';
import type { Run, RunState } from '../../../src/domain/run.ts';
import { runIdOf } from '../../../src/domain/run.ts';
import type { Job, JobResult } from '../../../src/ports/job.ts';
import { emptyTally } from '../../../src/reconcile/tally.ts';
import { LockHeldError } from '../../../src/runner/lease.ts';
import type { Notifier } from '../../../src/runner/notify.ts';
import { DateFinishedError, type JobOptions } from '../../../src/runner/run-job.ts';
import type { ScheduledApp, StartTicking } from '../../../src/runner/schedule.ts';
import { aRun as anyRun } from '../../support/a-run.ts';

export function aRun(job: string, businessDate: string, state: RunState, revision = 1): Run {
  const none = { rulesHash: '', configHash: '', codeVersion: '', startedAt: 0, asOf: 0 };
  return anyRun({ runId: runIdOf(job, businessDate, revision), job, businessDate, revision, state, ...none });
}

export const NIGHTLY: Job = {
  name: 'nightly',
  summary: '',
  oncePerDate: true,
  announced: 'each run',
  run: () => Promise.reject(new Error('run by the fake application')),
};

export const HOURLY: Job = {
  name: 'reference-data',
  summary: '',
  run: () => Promise.reject(new Error('run by the fake application')),
};

export interface FakeAppOptions {
  now: () => number;
  jobs: Record<string, string>;
  timezone?: string;
  scheduleTimezone?: string;
  ledger?: Run[];
  /** Called instead of finishing at once. */
  work?: (job: Job, options: JobOptions) => Promise<'finish' | 'stop'>;
  /** Shared by applications on one database. */
  locks?: Set<string>;
}

/** Finishes every run at once unless `work` says otherwise; `runs` is what it was asked for, `date` or `resume ID`. */
export function fakeApp(options: FakeAppOptions) {
  const ledger = options.ledger ?? [];
  const runs: string[] = [];
  const timezone = options.timezone ?? 'UTC';
  const unfinished = (job: string) =>
    ledger.findLast((run) => run.job === job && ['fetching', 'judging', 'settled'].includes(run.state)) ?? null;
  const app: ScheduledApp = {
    settings: {
      timezone,
      schedule: {
        timezone: options.scheduleTimezone ?? timezone,
        jobs: new Map(Object.entries(options.jobs)),
        maxDuration: 72_000_000,
        maxDurations: new Map(),
      },
    },
    clock: { wall: { now: options.now } },
    store: {
      runs: {
        list: async ({ job }) => ledger.filter((run) => run.job === job).toReversed(),
        unfinished: async (job) => unfinished(job),
      },
    },
    run: async (job, orders): Promise<JobResult> => {
      const { locks = new Set() } = options;
      if (locks.has(job.name)) throw new LockHeldError(job.name, 'db-host pid 4711', 0);
      locks.add(job.name);
      try {
        return await underLock(job, orders);
      } finally {
        locks.delete(job.name);
      }
    },
  };
  const underLock = async (job: Job, orders: JobOptions): Promise<JobResult> => {
    const date = orders.businessDate ?? lastFullDate(options.now(), timezone);
    const open = orders.resume ? unfinished(job.name) : null;
    const done = ledger.find((run) => run.job === job.name && run.businessDate === date && run.state === 'complete');
    if (open === null && orders.unlessFinished && orders.businessDate !== null && done !== undefined) {
      throw new DateFinishedError(done.runId);
    }
    runs.push(open === null ? `${job.name} ${date}` : `${job.name} resume ${open.businessDate}`);
    orders.onStarted?.();
    const how = (await options.work?.(job, orders)) ?? 'finish';
    const run = open ?? aRun(job.name, date, 'fetching');
    if (open === null && job.oncePerDate) ledger.push(run);
    if (how === 'stop') return { outcome: 'stopped', run };
    run.state = 'complete';
    return { outcome: 'reconciled', run, tally: emptyTally(), folder: '', requests: 0 };
  };
  return { app, runs, ledger };
}

export const SILENT: Notifier = {
  started: async () => undefined,
  ended: async () => undefined,
  failed: async () => undefined,
  circuit: async () => undefined,
};

/** Ticks when the test says so, by name. */
export function handTicks() {
  const ticking = new Map<string, () => void>();
  const ticks: StartTicking = (name, _line, _timezone, onTick) => {
    ticking.set(name, onTick);
    return { stop: () => void ticking.delete(name) };
  };
  return { ticks, tick: (name: string) => ticking.get(name)?.(), names: () => [...ticking.keys()] };
}

/** Keeps the log lines. */
export function aLog() {
  const lines: string[] = [];
  return {
    lines,
    info: (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`),
    warn: (message: string) => void lines.push(`warn ${message}`),
    error: (message: string) => void lines.push(`error ${message}`),
  };
}
