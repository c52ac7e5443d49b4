/** Runs one job: takes its lock, finds or creates its run in the ledger, and hands both to the job. */

import { addDays, businessDateOf, lastFullDate, startOfBusinessDate } from '../domain/calendar.ts';
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import type { Run, Selection } from '../domain/run.ts';
import type { Job, JobResult } from '../ports/job.ts';
import { ServiceUnavailableError, TlsError } from '../ports/service-errors.ts';
import type { Reconciled } from '../ports/settled.ts';
import type { Fence, LeaseStore, RunStore } from '../ports/store/store.ts';
import { holdLease } from './lease.ts';
import { isFinished } from './schedule-missed.ts';

export interface JobOptions {
  /** Null: the last full calendar day. */
  businessDate: BusinessDate | null;
  selection: Selection | null;
  /** Go on with the newest run of this job that a crash or a signal left unfinished. */
  resume: boolean;
  /** Refuse a business date that has a finished run already; asked under the lock, so that nobody can come between. */
  unlessFinished?: boolean;
  /** Called once the lock is held: from here on there is a run to speak of. */
  onStarted?: () => void;
}

/** What is frozen into the ledger when a run begins. */
export interface RunFrame {
  timezone: string;
  terms: string;
  rulesHash: string;
  configHash: string;
  codeVersion: string;
}

export interface JobDeps {
  leases: LeaseStore;
  runs: Pick<RunStore, 'create' | 'unfinished' | 'finish' | 'list'>;
  frame: RunFrame;
  now: () => Instant;
  holder: string;
  isDead: (holder: string) => boolean;
  leaseMs: number;
  /** The main line for a run in hand. */
  reconcile: (run: Run, fence: Fence, heartbeat: () => Promise<void>, publish: boolean) => Promise<Reconciled>;
  deliveriesWaiting: () => Promise<number>;
  captureQuotes: () => Promise<JobResult>;
  refreshReferenceData: () => Promise<JobResult>;
  /** Imports what the sources have; answers what could not be read, in words. */
  readSources: () => Promise<readonly string[]>;
  requestsSent: () => number;
}

/** Thrown by `--resume` where no run waits to be resumed. */
export class NothingToResumeError extends TieoutError {
  override readonly name = 'NothingToResumeError';
  override readonly exitCode = EXIT.usage;
}

/** Thrown where a business date has its run already, and only one was wanted. Exit code 5: somebody else was faster. */
export class DateFinishedError extends TieoutError {
  override readonly name = 'DateFinishedError';
  override readonly exitCode = EXIT.locked;
  constructor(runId: string) {
    super(`The business date has its run already: ${runId}. \`tieout run\` by hand makes another revision.`);
  }
}

/** As many of the newest runs as are looked through for a finished one. */
const LEDGER_PAGE = 400;

/**
 * @throws LockHeldError where another process runs the same job.
 * @throws NothingToResumeError
 * @throws DateFinishedError where `unlessFinished` is asked for.
 */
export async function runJob(job: Job, options: JobOptions, deps: JobDeps): Promise<JobResult> {
  await using lease = await holdLease({
    leases: deps.leases,
    name: job.name,
    holder: deps.holder,
    isDead: deps.isDead,
    now: deps.now,
    ttlMs: deps.leaseMs,
  });
  if (options.unlessFinished && options.businessDate !== null) await refuseFinished(job, options.businessDate, deps);
  options.onStarted?.();
  const heartbeat = async () => lease.check();
  const sourceFailures: string[] = [];
  // Awaited here: the lease is released when this scope ends, not before the job does.
  return await job.run({
    businessDate: options.businessDate ?? lastFullDate(deps.now(), deps.frame.timezone),
    selection: options.selection,
    resumes: options.resume,
    readSources: async () => {
      sourceFailures.push(...(await deps.readSources()));
    },
    refreshReferenceData: deps.refreshReferenceData,
    deliveriesWaiting: deps.deliveriesWaiting,
    captureQuotes: deps.captureQuotes,
    reconcile: async (selection, { publish } = { publish: true }) => {
      const run = await findOrCreate(job, selection, options, deps, lease.fence);
      const result = await abortOnOutage(run, lease.fence, deps, () =>
        deps.reconcile(run, lease.fence, heartbeat, publish),
      );
      if (result.outcome === 'stopped') return result;
      return { ...result, outcome: 'reconciled', requests: deps.requestsSent(), sourceFailures };
    },
  });
}

async function refuseFinished(job: Job, date: BusinessDate, deps: JobDeps): Promise<void> {
  const runs = await deps.runs.list({ job: job.name, limit: LEDGER_PAGE });
  const done = runs.find((run) => run.businessDate === date && isFinished(run));
  if (done !== undefined) throw new DateFinishedError(done.runId);
}

async function findOrCreate(
  job: Job,
  selection: Selection,
  options: JobOptions,
  deps: JobDeps,
  fence: Fence,
): Promise<Run> {
  const unfinished = await deps.runs.unfinished(job.name);
  if (options.resume) {
    if (unfinished !== null) return unfinished;
    throw new NothingToResumeError(
      `There is no unfinished ${job.name} run to resume. Start one with: tieout run ${job.name}`,
    );
  }
  // A new revision replaces what a crash left behind; the old one stays in the ledger, as aborted.
  if (unfinished !== null) await deps.runs.finish(unfinished.runId, fence, 'aborted', null);
  const startedAt = deps.now();
  const { timezone } = deps.frame;
  const businessDate = options.businessDate ?? lastFullDate(startedAt, timezone);
  const asOf = Math.min(startedAt, startOfBusinessDate(addDays(businessDate, 1), timezone));
  return deps.runs.create({ job: job.name, businessDate, selection, startedAt, asOf, ...deps.frame }, fence);
}

/** An outage ends the run in the ledger, so that nobody resumes into a set of answers that meant nothing. */
async function abortOnOutage<T>(run: Run, fence: Fence, deps: JobDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceUnavailableError || error instanceof TlsError) {
      await deps.runs.finish(run.runId, fence, 'aborted', null);
    }
    throw error;
  }
}

/** True for a date that has not ended yet: its report would miss what the rest of the day brings. */
export function isUnfinishedDate(date: BusinessDate, now: Instant, timezone: string): boolean {
  return date >= businessDateOf(now, timezone);
}
