/** Batches of a run's items: the coordinator of the run sends them, and workers on other addresses fetch them. */
import type { AnswerFigures } from './settled.ts';
import type { Fence } from './store/store.ts';

/** Short hashes of the settings that must be equal on every machine of a run, by name. */
export type Deployment = Readonly<Record<string, string>>;

/** The items of a run at the positions (after, upTo], to be fetched under the run's fence. */
export interface FetchBatch {
  runId: string;
  fence: Fence;
  after: number;
  upTo: number;
  /** The batch's share of the run's request budget; null where the run has none. */
  maxRequests: number | null;
  /** Of the coordinator; a worker of another one refuses the batch. */
  deployment: Deployment;
}

/** A worker's report of a finished batch. */
export interface BatchDone {
  answers: AnswerFigures;
}

/**
 * Why a worker returned a batch. `service-unavailable`: the worker cannot use the Service from its address.
 * `stopped`: the worker was stopped, and nothing failed. `refuted-setting`: the answers contradict a setting that all
 * machines of the run share.
 */
export const BATCH_PROBLEMS = ['service-unavailable', 'refuted-setting', 'stopped', 'other'] as const;

/** Why a worker gave a batch back. */
export interface BatchProblem {
  kind: (typeof BATCH_PROBLEMS)[number];
  message: string;
}

/** State of a run's batches, for its coordinator. */
export interface BatchProgress {
  /** Waiting for a worker, for the first time or again. */
  waiting: number;
  /** With a worker. */
  active: number;
  /** Reported by workers on batches that wait again, or that have failed for good. */
  problems: readonly BatchProblem[];
}

/** The coordinator's side. */
export interface BatchSender {
  send(batches: readonly FetchBatch[]): Promise<void>;
  standing(run: { runId: string; fence: Fence }): Promise<BatchProgress>;
  /** Reports of the finished batches. */
  results(run: { runId: string; fence: Fence }): Promise<readonly BatchDone[]>;
  /** Deletes waiting batches of the run and ends the claims on active ones, under any fence. */
  withdraw(runId: string): Promise<void>;
}

/** A batch that this worker has claimed. */
export interface HeldBatch {
  readonly batch: FetchBatch;
  /** False where the claim has lapsed: another worker may have the batch, so no more requests may be sent for it. */
  renew(): Promise<boolean>;
  done(result: BatchDone): Promise<void>;
  /** Returns the batch to the queue; after many attempts it has failed for good. */
  giveBack(problem: BatchProblem): Promise<void>;
}

/** `lapsed`: the claim was lost, because the worker was silent for too long or the run was withdrawn. */
export type BatchEnd = 'done' | 'given-back' | 'lapsed';

/** The worker's side. */
export interface BatchTaker {
  /** The next batch, or null where none waits. */
  claim(): Promise<HeldBatch | null>;
  /** A claim that is not renewed for this long lapses, ms. */
  readonly claimMs: number;
}

/** For metrics: batches of all runs, counted at the time of the call. */
export interface QueueFigures {
  /** For a worker, for the first time or again. */
  waiting: number;
  active: number;
  /** Failed for good within the last day. */
  failed: number;
  /** Age of the oldest waiting batch, ms; null where none waits. */
  oldestWaitingMs: number | null;
}

/** Batches of records for workers with addresses of their own. */
export interface BatchQueue extends BatchSender, BatchTaker {
  figures(): Promise<QueueFigures>;
  close(): Promise<void>;
}
