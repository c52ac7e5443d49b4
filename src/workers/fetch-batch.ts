/**
 * A worker: takes batches of whichever run there is and fetches them, one after the other, with the very code that a run
 * in one process uses. See docs/decisions/0010-many-machines.md.
 */

import type { BatchProblem, BatchTaker, Claim } from '../ports/queue.ts';
import type { AnswerFigures } from '../ports/settled.ts';
import { DatabaseUnavailableError, LeaseLostError, RunStateError } from '../ports/store/errors.ts';
import type { ItemStore, RunStore } from '../ports/store/store.ts';
import { AddressWatch } from '../reconcile/address-watch.ts';
import { type FetchEdges, fetchRecords, type StopCondition } from '../reconcile/fetch.ts';
import { AnswerCount } from '../reconcile/stop-rules.ts';
import { thawTerms } from '../rules/terms.ts';
import { HeldClaim } from './held-claim.ts';

export interface WorkerEdges {
  queue: BatchTaker;
  runs: Pick<RunStore, 'get' | 'addRequests'>;
  items: Pick<ItemStore, 'next' | 'save'>;
  /**
   * A client that may send so many requests (null: no bound), and what it has sent. `confirm` is called before each of them
   * leaves, once its slot is there; where it throws, nothing is sent.
   */
  openClient: (maxRequests: number | null, confirm: () => Promise<void>) => BatchClient;
  limiterState: FetchEdges['limiterState'];
  now: FetchEdges['now'];
  /** Monotonic, ms. */
  clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  concurrency: number;
  signal: AbortSignal;
  log: { info: (facts: object, message: string) => void; warn: (message: string) => void };
}

export interface BatchClient {
  client: FetchEdges['client'];
  requote: FetchEdges['requote'];
  sent: () => number;
  spent: () => boolean;
  close: () => Promise<void>;
}

const IDLE_MS = 500;
/** Runs whose answers are remembered. */
const RUNS_KEPT = 8;
/** A database that is being restarted is waited for; claims lapse meanwhile, and are taken up again. */
const OUTAGE_MS = 60_000;
/** What cannot be stored was asked for in vain, so the next try comes later each time. */
const LONGEST_PAUSE_MS = 8_000;
/** Two at once: while the slow answers of one are waited for, the slots are the other's. */
const AT_ONCE = 2;

/**
 * Works until the signal; what is in flight is finished and stored, and the batch given back.
 * @throws ServiceUnavailableError where this worker can do nothing for anybody: its batch is given back. Likewise
 * DatabaseUnavailableError, once it has lasted for a minute, and whatever is neither: nobody gains by its trying again.
 */
export async function workOnBatches(edges: WorkerEdges): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([edges.signal, ending.signal]);
  const counts = new RunCounts();
  const watch = new AddressWatch();
  const turn = async (): Promise<void> => {
    const claim = await edges.queue.claim();
    if (claim === null) await idle(edges, signal, IDLE_MS);
    else await workOn(claim, counts, watch, { ...edges, signal });
  };
  const lane = async (): Promise<void> => {
    // Since its last good turn: a batch takes longer than an outage may, and a claim can be had where nothing can be stored.
    let outage: { since: number; pauseMs: number } | null = null;
    while (!signal.aborted) {
      try {
        await turn();
        outage = null;
      } catch (error) {
        outage ??= { since: edges.clock.now(), pauseMs: IDLE_MS };
        if (!isOutage(error) || edges.clock.now() - outage.since > OUTAGE_MS) throw error;
        edges.log.warn(`${error.message}; trying again`);
        await idle(edges, signal, outage.pauseMs);
        outage.pauseMs = Math.min(outage.pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  };
  const lanes = Array.from({ length: AT_ONCE }, () =>
    lane().catch((error: unknown) => {
      ending.abort();
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(lanes)).find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** How the answers of a run have been so far, to this worker, and how much of it the coordinator was told. */
class RunCounts {
  private readonly byRun = new Map<string, { answers: AnswerCount; told: AnswerFigures }>();

  of(runId: string): AnswerCount {
    return this.entry(runId).answers;
  }

  /** What came in since it was last asked for. */
  news(runId: string): AnswerFigures {
    const entry = this.entry(runId);
    const now = entry.answers.figures();
    const { told } = entry;
    entry.told = now;
    return {
      readable: now.readable - told.readable,
      denied: now.denied - told.denied,
      mismatched: now.mismatched - told.mismatched,
      unanswered: now.unanswered - told.unanswered,
      absent: now.absent - told.absent,
      missing: now.missing - told.missing,
      other: now.other - told.other,
      lastProblem: now.lastProblem,
    };
  }

  private entry(runId: string): { answers: AnswerCount; told: AnswerFigures } {
    const known = this.byRun.get(runId);
    if (known !== undefined) return known;
    const [oldest] = this.byRun.keys();
    if (this.byRun.size >= RUNS_KEPT && oldest !== undefined) this.byRun.delete(oldest);
    const answers = new AnswerCount();
    const fresh = { answers, told: answers.figures() };
    this.byRun.set(runId, fresh);
    return fresh;
  }
}

async function workOn(claim: Claim, counts: RunCounts, watch: AddressWatch, edges: WorkerEdges): Promise<void> {
  const { batch } = claim;
  const run = await edges.runs.get(batch.runId);
  // Given up, or judged by now: there is nothing to be done for it any more.
  if (run === null || run.state !== 'fetching') return claim.done({ answers: new AnswerCount().figures() });
  const { clock, signal, queue } = edges;
  const held = new HeldClaim(claim, { clock, signal, claimMs: queue.claimMs });
  const opened = edges.openClient(batch.maxRequests, () => held.confirm());
  const answers = counts.of(batch.runId);
  try {
    await fetchRecords(run, batch.fence, {
      items: {
        next: (runId, after, limit) => edges.items.next(runId, Math.max(after, batch.after), limit, batch.upTo),
        save: (runId, fence, items) => edges.items.save(runId, fence, items),
      },
      client: opened.client,
      limiterState: edges.limiterState,
      now: edges.now,
      concurrency: edges.concurrency,
      statuses: thawTerms(run.terms).statuses,
      stop: { reason: () => held.reason() ?? (opened.spent() ? 'max-requests' : null), signal: held.signal },
      progress: () => undefined,
      heartbeat: async () => undefined,
      requote: (of, state) => opened.requote(of, state),
      answers,
      watch,
    });
    await edges.runs.addRequests(batch.runId, batch.fence, opened.sent());
    if (held.reason() === 'signal') await claim.giveBack({ name: 'Stopped', message: 'the worker was stopped' });
    else if (held.reason() === null) await claim.done({ answers: counts.news(batch.runId) });
    edges.log.info({ run: batch.runId, after: batch.after, upTo: batch.upTo, requests: opened.sent() }, 'batch');
  } catch (error) {
    await afterFailure(claim, error, edges);
  } finally {
    held.letGo();
    await opened.close();
  }
}

async function afterFailure(claim: Claim, error: unknown, edges: WorkerEdges): Promise<void> {
  const problem: BatchProblem =
    error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: 'unknown' };
  if (error instanceof LeaseLostError || error instanceof RunStateError)
    return claim.done({ answers: new AnswerCount().figures() });
  edges.log.warn(
    `batch ${claim.batch.after}–${claim.batch.upTo} of ${claim.batch.runId} given back: ${problem.message}`,
  );
  await claim.giveBack(problem);
  throw error;
}

function isOutage(error: unknown): error is Error {
  return error instanceof DatabaseUnavailableError;
}

async function idle({ clock }: WorkerEdges, signal: StopCondition['signal'], ms: number): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
