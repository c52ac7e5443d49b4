/**
 * A worker: claims batches of any run and fetches them with `fetchRecords`, as a run in one process does. See
 * docs/decisions/0010-many-machines.md.
 */
import { UsageError } from '../domain/errors.ts';
import type { Log } from '../ports/log.ts';
import type { BatchEnd, BatchProblem, BatchTaker, Deployment, HeldBatch } from '../ports/queue.ts';
import { RefutedSettingError, ServiceUnavailableError } from '../ports/service-errors.ts';
import type { AnswerFigures } from '../ports/settled.ts';
import { DatabaseUnavailableError, LeaseLostError, RunStateError } from '../ports/store/errors.ts';
import type { FetchedItems, RunStore } from '../ports/store/store.ts';
import { BlockWatch } from '../reconcile/block-watch.ts';
import { type FetchEdges, fetchRecords } from '../reconcile/fetch.ts';
import { AnswerCount, answersSince } from '../reconcile/stop-rules.ts';
import { differencesBetween } from './deployment.ts';
import { holdBatch } from './held-claim.ts';
import { type Clock, pause } from './pause.ts';

export interface WorkerEdges {
  queue: BatchTaker;
  runs: Pick<RunStore, 'get' | 'addRequests'>;
  items: FetchedItems;
  /**
   * A client that may send this many requests (null: no bound), and its count of them. `confirm` is called before each request,
   * after the wait for its slot; if it throws, nothing is sent.
   */
  openClient: (maxRequests: number | null, confirm: () => Promise<void>) => BatchClient;
  limiterState: FetchEdges['limiterState'];
  now: FetchEdges['now'];
  /** Monotonic, ms. */
  clock: Clock;
  concurrency: number;
  deployment: Deployment;
  signal: AbortSignal;
  /** Called once per batch with its end, after the queue has recorded it. */
  ended: (how: BatchEnd) => void;
  log: Pick<Log, 'info' | 'warn'>;
}

export interface BatchClient {
  client: FetchEdges['client'];
  requote: FetchEdges['requote'];
  sent: () => number;
  spent: () => boolean;
  close: () => Promise<void>;
}

const IDLE_MS = 500;
/** Most runs whose answer counts are kept. */
const RUNS_KEPT = 8;
/** How long an unreachable database is retried; claims lapse meanwhile and are taken up again. */
const OUTAGE_MS = 60_000;
/** Answers that cannot be stored are requests wasted, so the pause before each retry doubles, up to this. */
const LONGEST_PAUSE_MS = 8_000;
/** Batches at once: while one waits for its last slow answers, the other uses the slots. */
const AT_ONCE = 2;

/**
 * Works until the signal; then finishes and stores what is in flight, and gives the batch back.
 * @throws ServiceUnavailableError where the Service cannot be used from this address; the batch is given back.
 * DatabaseUnavailableError after a minute of it. Any other error at once: a retry would fail again.
 */
export async function workOnBatches(edges: WorkerEdges): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([edges.signal, ending.signal]);
  const counts = runCounts();
  const watch = new BlockWatch();
  const turn = async (): Promise<void> => {
    const claim = await edges.queue.claim();
    if (claim === null) await pause(edges.clock, IDLE_MS, signal);
    else await workOn(claim, counts, watch, { ...edges, signal });
  };
  const lane = async (): Promise<void> => {
    // Since the last turn without an error: a claim may succeed while nothing can be stored.
    let outage: { since: number; pauseMs: number } | null = null;
    while (!signal.aborted) {
      try {
        await turn();
        outage = null;
      } catch (error) {
        outage ??= { since: edges.clock.now(), pauseMs: IDLE_MS };
        if (!(error instanceof DatabaseUnavailableError) || edges.clock.now() - outage.since > OUTAGE_MS) throw error;
        edges.log.warn(`${error.message}; trying again`);
        await pause(edges.clock, outage.pauseMs, signal);
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

/** Answer counts of each run on this worker, and how much of them has been reported to the coordinator. */
function runCounts() {
  const byRun = new Map<string, { answers: AnswerCount; reported: AnswerFigures }>();
  const entry = (runId: string) => {
    const known = byRun.get(runId);
    if (known !== undefined) return known;
    const [oldest] = byRun.keys();
    if (byRun.size >= RUNS_KEPT && oldest !== undefined) byRun.delete(oldest);
    const answers = new AnswerCount();
    const fresh = { answers, reported: answers.figures() };
    byRun.set(runId, fresh);
    return fresh;
  };
  return {
    of: (runId: string): AnswerCount => entry(runId).answers,
    /** Counts since the last call. */
    news: (runId: string): AnswerFigures => {
      const own = entry(runId);
      const before = own.reported;
      own.reported = own.answers.figures();
      return answersSince(before, own.reported);
    },
  };
}

type RunCounts = ReturnType<typeof runCounts>;

function kindOf(error: unknown): BatchProblem['kind'] {
  if (error instanceof RefutedSettingError) return 'refuted-setting';
  return error instanceof ServiceUnavailableError ? 'service-unavailable' : 'other';
}

const STOPPED: BatchProblem = { kind: 'stopped', message: 'the worker was stopped' };
const NO_ANSWERS = new AnswerCount().figures();

async function workOn(claim: HeldBatch, counts: RunCounts, watch: BlockWatch, edges: WorkerEdges): Promise<void> {
  const { batch } = claim;
  const run = await edges.runs.get(batch.runId);
  // The run was aborted, or is being judged by now.
  if (run === null || run.state !== 'fetching') return endAs('done', () => claim.done({ answers: NO_ANSWERS }), edges);
  const differences = differencesBetween(batch.deployment ?? {}, edges.deployment);
  if (differences.length > 0) {
    const what = `This worker is set up differently from the coordinator of ${batch.runId}: ${differences.join(', ')}`;
    const remedy = 'give every machine of a run the same settings and the same version, then start the worker again';
    return afterFailure(claim, new UsageError(what, { remedy }), false, edges);
  }
  const { clock, signal, queue } = edges;
  const held = holdBatch(claim, { clock, signal, claimMs: queue.claimMs });
  const opened = edges.openClient(batch.maxRequests, () => held.confirm());
  const answers = counts.of(batch.runId);
  let counted = 0;
  try {
    await fetchRecords(run, batch.fence, {
      items: {
        next: (runId, after, limit) => edges.items.next(runId, Math.max(after, batch.after), limit, batch.upTo),
        save: async (runId, fence, items) => {
          const sent = opened.sent();
          const stale = await edges.items.save(runId, fence, items, sent - counted);
          counted = sent;
          return stale;
        },
      },
      client: opened.client,
      limiterState: edges.limiterState,
      now: edges.now,
      concurrency: edges.concurrency,
      stop: { reason: () => held.reason() ?? (opened.spent() ? 'max-requests' : null), signal: held.signal },
      progress: () => undefined,
      heartbeat: async () => undefined,
      requote: (of, state) => opened.requote(of, state),
      answers,
      watch,
    });
    await countRest(batch, opened.sent() - counted, edges);
    const reason = held.reason();
    if (reason === 'lapsed') edges.ended('lapsed');
    else if (reason === 'signal') await endAs('given-back', () => claim.giveBack(STOPPED), edges);
    else await endAs('done', () => claim.done({ answers: counts.news(batch.runId) }), edges);
    edges.log.info({ run: batch.runId, after: batch.after, upTo: batch.upTo, requests: opened.sent() }, 'batch');
  } catch (error) {
    await countRest(batch, opened.sent() - counted, edges);
    await afterFailure(claim, error, held.reason() === 'lapsed', edges);
  } finally {
    held.letGo();
    await opened.close();
  }
}

/**
 * Requests that brought nothing to be saved, such as refusals that were not believed; counted before the batch ends,
 * as the run may be judged after it. A run that has continued without this batch accepts no count, and an outage is
 * reported by the work itself.
 */
async function countRest(
  { runId, fence }: HeldBatch['batch'],
  requests: number,
  { runs, log }: WorkerEdges,
): Promise<void> {
  if (requests === 0) return;
  try {
    await runs.addRequests(runId, fence, requests);
  } catch (error) {
    log.warn(`${requests} requests of ${runId} are not counted: ${error instanceof Error ? error.message : 'unknown'}`);
  }
}

async function afterFailure(claim: HeldBatch, error: unknown, hasLapsed: boolean, edges: WorkerEdges): Promise<void> {
  // The run has continued without this batch: there is nothing left to fetch for it.
  if (error instanceof LeaseLostError || error instanceof RunStateError)
    return endAs(hasLapsed ? 'lapsed' : 'done', () => claim.done({ answers: NO_ANSWERS }), edges);
  const problem: BatchProblem = { kind: kindOf(error), message: error instanceof Error ? error.message : 'unknown' };
  const { after, upTo, runId } = claim.batch;
  edges.log.warn(`batch ${after}–${upTo} of ${runId} given back: ${problem.message}`);
  await endAs(hasLapsed ? 'lapsed' : 'given-back', () => claim.giveBack(problem), edges);
  throw error;
}

/** Counted after the queue has recorded it: a batch whose end was not recorded is fetched again. */
async function endAs(how: BatchEnd, record: () => Promise<void>, { ended }: WorkerEdges): Promise<void> {
  await record();
  ended(how);
}
