/** Batches of a run's items, handed from the coordinator of a run to whoever has an address to fetch them from. */
import type { AnswerFigures } from './settled.ts';
import type { Fence } from './store/store.ts';

/** The items of a run at the positions (after, upTo], to be fetched under the run's fence. */
export interface FetchBatch {
  runId: string;
  fence: Fence;
  after: number;
  upTo: number;
  /** Requests that may be sent for it, where the run has a budget; null for as many as it takes. */
  maxRequests: number | null;
}

/** How a batch was ended by a worker. */
export interface BatchDone {
  answers: AnswerFigures;
}

/** Why a worker gave a batch back. */
export interface BatchProblem {
  /** The error's class: `ServiceUnavailableError` says that the worker itself is of no use. */
  name: string;
  message: string;
}

/** What the coordinator sees of its run. */
export interface BatchesStanding {
  /** Waiting for a worker, for the first time or again. */
  waiting: number;
  /** With a worker. */
  active: number;
  /** Last words of workers on batches that wait again, or that were given up for good. */
  problems: readonly BatchProblem[];
}

/** The coordinator's side. */
export interface BatchSender {
  send(batches: readonly FetchBatch[]): Promise<void>;
  standing(run: { runId: string; fence: Fence }): Promise<BatchesStanding>;
  /** What the workers counted, over all batches of the run that were ended. */
  results(run: { runId: string; fence: Fence }): Promise<readonly BatchDone[]>;
  /** Takes everything back, of this fence or an older one: what waits is gone, what is claimed finds its claim lapsed. */
  withdraw(runId: string): Promise<void>;
}

/** A batch in hand. */
export interface Claim {
  readonly batch: FetchBatch;
  /** False where the claim has lapsed: somebody else may have the batch by now, so no more may be sent for it. */
  renew(): Promise<boolean>;
  done(result: BatchDone): Promise<void>;
  /** Another worker shall have it; given up for good after many times. */
  giveBack(problem: BatchProblem): Promise<void>;
}

/** The worker's side. */
export interface BatchTaker {
  /** The next batch, or null where none waits. */
  claim(): Promise<Claim | null>;
  /** A claim that is not renewed for this long goes to somebody else, ms. */
  readonly claimMs: number;
}

/** For metrics: batches of all runs, counted when asked for. */
export interface QueueFigures {
  /** For a worker, for the first time or again. */
  waiting: number;
  active: number;
  /** Given up for good, within the last day. */
  failed: number;
  /** How long the oldest of those that wait has been there, ms; null where none waits. */
  oldestWaitingMs: number | null;
}

export interface BatchQueue extends BatchSender, BatchTaker {
  figures(): Promise<QueueFigures>;
  close(): Promise<void>;
}
