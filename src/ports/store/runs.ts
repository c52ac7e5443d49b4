/** The ledger of runs, and the leases that keep two of them apart. */
import type { Instant } from '../../domain/record.ts';
import type { Run, RunState, VerdictCounts } from '../../domain/run.ts';
import type { Survey } from '../../domain/survey.ts';

/**
 * A lease with its fencing token. Every write of a run carries it, and fails with LeaseLostError after the lease was
 * lost.
 */
export interface Fence {
  name: string;
  token: number;
}

/** One holder a job and database; each write carries the fencing token of its lease. */
export interface LeaseStore {
  /**
   * The fence, or else the present holder and its expiry. The lease lasts `ttlMs` from `now`; where the database is on a server, from
   * the server's now, and the expiry is in its time.
   */
  acquire(
    name: string,
    holder: string,
    now: Instant,
    ttlMs: number,
  ): Promise<{ fence: Fence } | { heldBy: string; until: Instant }>;
  /** @throws LeaseLostError */
  heartbeat(fence: Fence, now: Instant, ttlMs: number): Promise<void>;
  release(fence: Fence): Promise<void>;
  /** Ends the lease of a holder that is known to be dead; no effect if another process holds it now. */
  evict(name: string, holder: string): Promise<void>;
}

/** What is known of a run before it begins. */
export type NewRun = Pick<Run, 'job' | 'businessDate' | 'selection' | 'startedAt' | 'asOf' | 'sources'> & RunFrame;

/** By what a run judges. */
export type RunFrame = Pick<Run, 'timezone' | 'terms' | 'rulesHash' | 'configHash' | 'codeVersion'>;

/** The ledger of runs. */
export interface RunStore {
  /** Takes the next revision of (job, business date); `supersedes` is the newest finished revision before it. */
  create(run: NewRun, fence: Fence): Promise<Run>;
  get(runId: string): Promise<Run | null>;
  /** Newest first. */
  list(filter: { job?: string; state?: RunState | readonly RunState[]; limit: number }): Promise<readonly Run[]>;
  /** The newest run of a job that is neither published nor aborted, for `--resume`; null if there is none. */
  unfinished(job: string): Promise<Run | null>;
  /** The latest instant of a run that was not aborted, and was not made under a wrong clock; null without any. */
  newestInstant(): Promise<{ runId: string; at: Instant } | null>;
  addRequests(runId: string, fence: Fence, requests: number): Promise<void>;
  /**
   * fetching → judging: leftover items become `deferred`, the watermarks are taken, unreported status changes are
   * claimed. Idempotent.
   */
  startJudging(runId: string, fence: Fence, deferredReason: string): Promise<Run>;
  /** Stores the survey of a run that is being judged; one that has a survey keeps it. */
  keepSurvey(runId: string, fence: Fence, survey: Survey): Promise<Run>;
  /** The counts of the newest night over everything that is due; null without any. */
  lastSurvey(): Promise<Survey | null>;
  /** judging → settled, in one transaction with the staged break events being applied to the current breaks. */
  settle(runId: string, fence: Fence, result: { verdicts: VerdictCounts; finishedAt: Instant }): Promise<Run>;
  /** settled → complete | incomplete, or any → aborted. */
  finish(
    runId: string,
    fence: Fence,
    state: Extract<RunState, 'complete' | 'incomplete' | 'aborted'>,
    publishedTo: string | null,
  ): Promise<Run>;
}
