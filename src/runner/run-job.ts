/** Runs one job: takes its lock, gives it the edges to work with, and opens its run in the ledger when it asks for one. */
import { addDays, lastFullDate, startOfBusinessDate } from '../domain/calendar.ts';
import { EXIT, TieoutError, UsageError } from '../domain/errors.ts';
import { requirePastDate } from '../domain/plausible-date.ts';
import type { BusinessDate } from '../domain/record.ts';
import { isFinished, type Run, type Selection, type SourceFigures } from '../domain/run.ts';
import type { Job, JobEdges, JobResult } from '../ports/job.ts';
import { RefutedSettingError, ServiceUnavailableError, TlsError } from '../ports/service-errors.ts';
import type { Fence, RunFrame, RunStore } from '../ports/store/store.ts';
import { holdLease, type Leasing } from './lease.ts';

/** What a person or the schedule may ask of one run of a job. */
export interface JobOptions {
  /** Null: the last full calendar day. */
  businessDate: BusinessDate | null;
  selection: Selection | null;
  /** Continue the newest run of this job that a crash or a signal left unfinished. */
  resume: boolean;
  /** Refuse a business date that has a finished run already; checked under the lock, so that it cannot race. */
  unlessFinished?: boolean;
  /** Called once the lock is held. */
  onStarted?: () => void;
}

/** The ledger of runs, and the lock before it. */
export interface RunLedger extends Leasing {
  runs: Pick<RunStore, 'create' | 'unfinished' | 'finish' | 'list'>;
  /** Stored with a run at its beginning. */
  frame: RunFrame;
  leaseMs: number;
  placed: (run: Run) => { state: 'complete' | 'incomplete'; folder: string } | null;
}

/** A job whose lock this process holds. */
export interface HeldJob {
  businessDate: BusinessDate;
  /** To be checked by every write: the fencing token of the lease. */
  fence: Fence;
  /** @throws LeaseLostError once the lease is known to be lost */
  heartbeat: () => Promise<void>;
  /** The run to resume, or a new revision of the business date. @throws NothingToResumeError */
  openRun: (selection: Selection, sources: readonly SourceFigures[]) => Promise<Run>;
  /**
   * Aborts the run in the ledger if the error was an outage: its answers do not concern its records, so it must not
   * be resumed.
   */
  abortOnOutage: (run: Run, error: unknown) => Promise<void>;
}

/** Thrown by `--resume` where there is no unfinished run. Exit code 2. */
export class NothingToResumeError extends UsageError {
  constructor(job: string) {
    super(`There is no unfinished ${job} run to resume`, { remedy: `start one with: tieout run ${job}` });
  }
}

/** Thrown where a business date has its run already, and only one was wanted. Exit code 5: another process made it. */
export class DateFinishedError extends TieoutError {
  override readonly exitCode = EXIT.locked;
  constructor(runId: string) {
    super(`The business date has its run already: ${runId}`, { remedy: '`tieout run` makes another revision by hand' });
  }
}

/** The number of newest runs searched for a finished one. */
const LEDGER_PAGE = 400;

/**
 * @throws LockHeldError where another process runs the same job.
 * @throws NothingToResumeError; UsageError for a business date in the future
 * @throws DateFinishedError where `unlessFinished` is asked for.
 */
export async function runJob(
  job: Job,
  options: JobOptions,
  ledger: RunLedger,
  edgesOf: (held: HeldJob) => JobEdges,
): Promise<JobResult> {
  const { leases, holder, isDead, now, leaseMs, runs, frame, placed } = ledger;
  requirePastDate(options.businessDate, now(), frame.timezone);
  await using lease = await holdLease({ leases, name: job.name, holder, isDead, now, ttlMs: leaseMs });
  const { fence } = lease;
  if (options.unlessFinished && options.businessDate !== null) {
    const newest = await runs.list({ job: job.name, limit: LEDGER_PAGE });
    const done = newest.find((run) => run.businessDate === options.businessDate && isFinished(run));
    if (done !== undefined) throw new DateFinishedError(done.runId);
  }
  options.onStarted?.();
  const held: HeldJob = {
    businessDate: options.businessDate ?? lastFullDate(now(), frame.timezone),
    fence,
    heartbeat: async () => lease.check(),
    openRun,
    abortOnOutage: async (run, error) => {
      const isOutage =
        error instanceof ServiceUnavailableError || error instanceof TlsError || error instanceof RefutedSettingError;
      if (isOutage) await runs.finish(run.runId, fence, 'aborted', null);
    },
  };
  // Awaited here: the lease must not be released before the job has ended.
  return await job.run(edgesOf(held));

  async function openRun(selection: Selection, sources: readonly SourceFigures[]): Promise<Run> {
    const unfinished = await runs.unfinished(job.name);
    if (options.resume) {
      if (unfinished === null) throw new NothingToResumeError(job.name);
      return unfinished;
    }
    if (unfinished !== null) {
      // A new revision replaces the run that a crash left unfinished, which stays in the ledger as aborted. If its set is in
      // place already, it was published, and only the ledger lacks that.
      const set = unfinished.state === 'settled' ? placed(unfinished) : null;
      await runs.finish(unfinished.runId, fence, set?.state ?? 'aborted', set?.folder ?? null);
    }
    const startedAt = now();
    const businessDate = options.businessDate ?? lastFullDate(startedAt, frame.timezone);
    const asOf = Math.min(startedAt, startOfBusinessDate(addDays(businessDate, 1), frame.timezone));
    return runs.create({ job: job.name, businessDate, selection, sources, startedAt, asOf, ...frame }, fence);
  }
}
