/**
 * The coordinator of a run that workers fetch: cuts its items into batches, sends them to the queue, and waits until every item
 * has an observation. See docs/decisions/0010-many-machines.md.
 */
import { UnavailableError } from '../domain/errors.ts';
import type { Run } from '../domain/run.ts';
import type { BatchProblem, BatchSender, Deployment, FetchBatch } from '../ports/queue.ts';
import { RefutedSettingError, ServiceUnavailableError } from '../ports/service-errors.ts';
import type { Fence, ItemStore, RunStore } from '../ports/store/store.ts';
import type { FetchEdges } from '../reconcile/fetch.ts';
import { AnswerCount } from '../reconcile/stop-rules.ts';
import { type Clock, pause } from './pause.ts';

export interface CoordinatorEdges extends Pick<FetchEdges, 'stop' | 'progress' | 'heartbeat'> {
  items: Pick<ItemStore, 'progress' | 'next'>;
  runs: Pick<RunStore, 'get'>;
  queue: BatchSender;
  /** Monotonic, ms. */
  clock: Clock;
  batchSize: number;
  /** After so long without an observed item the run ends its fetch, and defers the others; ms. */
  patienceMs: number;
  /** Requests that the run may send; null for no bound. */
  maxRequests: number | null;
  deployment: Deployment;
}

/** Thrown where every worker failed, and not because of the Service. Exit code 4; the run can be resumed. */
export class WorkersFailedError extends UnavailableError {
  constructor(problem: string) {
    super(`No worker could go on; the last one said: ${problem}. Nothing was judged`, {
      remedy: 'fix that, check that workers run, then go on with --resume',
    });
  }
}

const LOOK_MS = 250;
/** After this long without progress the queue is asked about its batches. */
const STANDSTILL_MS = 5_000;
/** After this long no other worker has taken up a batch that one gave back. */
const HOPELESS_MS = 30_000;
/** A worker notices within 2.5 s that its claim has lapsed; requests in flight mostly take less than another second. */
const LETTING_GO_MS = 4_000;
/** A worker reports a batch as done just after it has stored its last answer. */
const LAST_REPORTS_MS = 2_000;

/**
 * Ends early, without error, on a stop condition and where no worker takes up the rest: it is deferred.
 * @throws ServiceUnavailableError where the answers were not about the records, or the Service refuses every worker.
 * @throws RefutedSettingError where the answers to a worker contradict a setting that all machines share.
 * @throws WorkersFailedError where something else stopped them all: a full database, a seal that does not open.
 */
export async function fetchByWorkers(run: Run, fence: Fence, edges: CoordinatorEdges): Promise<void> {
  const { queue, items, stop, clock } = edges;
  const ours = { runId: run.runId, fence };
  const { planned, observed: before } = await items.progress(run.runId);
  // Batches of an earlier attempt: their fence is stale, so their answers could not be stored.
  await queue.withdraw(run.runId);
  const [first] = await items.next(run.runId, 0, 1);
  if (first !== undefined) await queue.send(cut(run, fence, first.position - 1, planned, edges));

  let observed = before;
  let movedAt = clock.now();
  let askedAt = movedAt;
  while (observed < planned && stop.reason() === null) {
    await edges.heartbeat();
    await pause(clock, LOOK_MS, stop.signal);
    const { observed: now } = await items.progress(run.runId);
    if (now > observed) {
      edges.progress(now - observed);
      observed = now;
      movedAt = clock.now();
      continue;
    }
    if (clock.now() - Math.max(movedAt, askedAt) < STANDSTILL_MS) continue;
    askedAt = clock.now();
    const { waiting, active, problems } = await queue.standing(ours);
    if (active > 0) continue;
    const stoodMs = clock.now() - movedAt;
    const failure = failureOf(problems, waiting === 0 || stoodMs >= HOPELESS_MS);
    if (failure !== null) {
      await queue.withdraw(run.runId);
      throw failure;
    }
    if (waiting === 0 || stoodMs >= edges.patienceMs) break;
  }
  if (observed < planned) {
    await queue.withdraw(run.runId);
    // Keeps the lease while workers store what is in flight; without it those answers would be lost.
    if (stop.reason() !== null) await clock.sleep(LETTING_GO_MS);
  } else {
    // For complete counts; a worker that was killed sends none.
    const end = clock.now() + LAST_REPORTS_MS;
    while ((await queue.standing(ours)).active > 0 && clock.now() < end) await clock.sleep(LOOK_MS);
  }
  if (stop.reason() !== null) return;
  const reported = AnswerCount.together((await queue.results(ours)).map(({ answers }) => answers));
  const { requestsSent = 0 } = (await edges.runs.get(run.runId)) ?? {};
  // Workers store what they sent before they report: answers to more than that are made up, and end no run.
  if (reported.count <= requestsSent) reported.check(true);
}

/** The error to end the run with, while no batch is active; null to wait on. A stopped worker is no failure. */
function failureOf(problems: readonly BatchProblem[], isHopeless: boolean): Error | null {
  const refuted = problems.find(({ kind }) => kind === 'refuted-setting');
  if (refuted !== undefined) return new RefutedSettingError(refuted.message);
  const unusable = problems.find(({ kind }) => kind === 'service-unavailable');
  if (unusable !== undefined) return new ServiceUnavailableError(unusable.message);
  const failed = problems.find(({ kind }) => kind === 'other');
  return isHopeless && failed !== undefined ? new WorkersFailedError(failed.message) : null;
}

/** Batches of consecutive positions; as many as a budget of requests allows, each with its share of it. */
function cut(
  run: Run,
  fence: Fence,
  start: number,
  planned: number,
  { batchSize, maxRequests, deployment }: CoordinatorEdges,
): FetchBatch[] {
  const batches: FetchBatch[] = [];
  const last = Math.min(planned, maxRequests === null ? planned : start + maxRequests);
  for (let after = start; after < last; after += batchSize) {
    const upTo = Math.min(after + batchSize, last);
    const share = maxRequests === null ? null : upTo - after;
    batches.push({ runId: run.runId, fence, after, upTo, maxRequests: share, deployment });
  }
  return batches;
}
