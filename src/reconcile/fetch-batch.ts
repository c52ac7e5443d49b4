/**
 * A worker: takes batches of whichever run there is and fetches them, one after the other, with the very code that a run
 * in one process uses. See docs/decisions/0010-many-machines.md.
 */
import type { BatchProblem, BatchTaker, Claim } from '../queue/contract.ts';
import type { ItemStore, RunStore } from '../store/contract.ts';
import type { AnswerFigures } from './contract.ts';
import { type FetchEdges, fetchRecords, type StopCondition } from './fetch.ts';
import { AnswerCount } from './stop-rules.ts';
import { thawTerms } from './terms.ts';

export interface WorkerEdges {
  queue: BatchTaker;
  runs: Pick<RunStore, 'get' | 'addRequests'>;
  items: Pick<ItemStore, 'next' | 'save'>;
  /** A client that may send so many requests (null: no bound), and what it has sent. */
  openClient: (maxRequests: number | null) => BatchClient;
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
/** A claim is renewed this often, and sooner where it would lapse sooner. */
const RENEW_MS = 2_500;
/** A database that is being restarted is waited for; claims lapse meanwhile, and are taken up again. */
const OUTAGE_MS = 60_000;
/** Two at once: while the slow answers of one are waited for, the slots are the other's. */
const AT_ONCE = 2;

/**
 * Works until the signal; what is in flight is finished and stored, and the batch given back.
 * @throws ServiceUnavailableError where this worker can do nothing for anybody: its batch is given back.
 */
export async function workOnBatches(edges: WorkerEdges): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([edges.signal, ending.signal]);
  const counts = new RunCounts();
  let reachableAt = edges.clock.now();
  const turn = async (): Promise<void> => {
    const claim = await edges.queue.claim();
    reachableAt = edges.clock.now();
    if (claim === null) await idle(edges, signal);
    else await workOn(claim, counts, { ...edges, signal });
  };
  const lane = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await turn();
      } catch (error) {
        if (isUseless(error) || edges.clock.now() - reachableAt > OUTAGE_MS) throw error;
        edges.log.warn(`the database did not answer (${inWords(error)}); trying again`);
        await idle(edges, signal);
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

async function workOn(claim: Claim, counts: RunCounts, edges: WorkerEdges): Promise<void> {
  const { batch } = claim;
  const run = await edges.runs.get(batch.runId);
  // Given up, or judged by now: there is nothing to be done for it any more.
  if (run === null || run.state !== 'fetching') return claim.done({ answers: new AnswerCount().figures() });
  const held = new HeldClaim(claim, edges);
  const opened = edges.openClient(batch.maxRequests);
  const answers = counts.of(batch.runId);
  try {
    await fetchRecords(run, batch.fence, {
      items: {
        next: (runId, after, limit) => edges.items.next(runId, Math.max(after, batch.after), limit, batch.upTo),
        save: (runId, fence, items) => edges.items.save(runId, fence, items),
      },
      client: {
        fetchRecord: async (ref, how) => {
          await held.confirm();
          return opened.client.fetchRecord(ref, how);
        },
      },
      limiterState: edges.limiterState,
      now: edges.now,
      concurrency: edges.concurrency,
      statuses: thawTerms(run.terms).statuses,
      stop: { reason: () => held.reason() ?? (opened.spent() ? 'max-requests' : null), signal: held.signal },
      progress: () => undefined,
      heartbeat: async () => undefined,
      requote: (of, state) => opened.requote(of, state),
      answers,
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

/** Errors after which another batch would go no better. */
const USELESS: ReadonlySet<string> = new Set(['ServiceUnavailableError', 'TlsError']);

async function afterFailure(claim: Claim, error: unknown, edges: WorkerEdges): Promise<void> {
  const problem: BatchProblem =
    error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: 'unknown' };
  // The run has another coordinator by now, who has sent batches of his own.
  if (problem.name === 'LeaseLostError') return claim.done({ answers: new AnswerCount().figures() });
  edges.log.warn(
    `batch ${claim.batch.after}–${claim.batch.upTo} of ${claim.batch.runId} given back: ${problem.message}`,
  );
  await claim.giveBack(problem);
  if (isUseless(error)) throw error;
}

/** Keeps a claim, and stops the work where it has lapsed: a worker that was asleep must not send what another sends. */
class HeldClaim {
  private readonly claim: Claim;
  private readonly edges: WorkerEdges;
  private readonly over = new AbortController();
  private lapsed = false;
  private renewedAt: number;
  private renewing: Promise<void> | null = null;

  constructor(claim: Claim, edges: WorkerEdges) {
    this.claim = claim;
    this.edges = edges;
    this.renewedAt = edges.clock.now();
    void this.keep();
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.edges.signal, this.over.signal]);
  }

  reason(): 'signal' | 'lapsed' | null {
    if (this.lapsed) return 'lapsed';
    return this.edges.signal.aborted ? 'signal' : null;
  }

  /** Before each request: a pause of this process may have been longer than the claim. */
  async confirm(): Promise<void> {
    if (this.edges.clock.now() - this.renewedAt < this.edges.queue.claimMs / 2) return;
    await this.renew();
    if (this.lapsed) throw new DOMException('The batch is another worker’s by now', 'AbortError');
  }

  letGo(): void {
    this.over.abort();
  }

  private async keep(): Promise<void> {
    const { clock, queue } = this.edges;
    while (!this.over.signal.aborted) {
      try {
        await clock.sleep(Math.min(RENEW_MS, queue.claimMs / 4), this.over.signal);
      } catch {
        return;
      }
      await this.renew();
    }
  }

  private renew(): Promise<void> {
    this.renewing ??= this.ask().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async ask(): Promise<void> {
    const at = this.edges.clock.now();
    try {
      if (await this.claim.renew()) {
        this.renewedAt = at;
        return;
      }
    } catch {
      // The database is away: the claim counts for as long as it was last granted, and no longer.
      if (at - this.renewedAt < this.edges.queue.claimMs) return;
    }
    this.lapsed = true;
    this.over.abort();
  }
}

function isUseless(error: unknown): boolean {
  return error instanceof Error && USELESS.has(error.name);
}

function inWords(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'no reason given';
}

async function idle({ clock }: WorkerEdges, signal: StopCondition['signal']): Promise<void> {
  try {
    await clock.sleep(IDLE_MS, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
