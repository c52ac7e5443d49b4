/**
 * Fetching: a cursor feeds the records of a run to a bounded number of requests in flight, and their answers are stored in
 * batches. p-limit bounds concurrency; the limiter behind the client bounds the rate.
 */

import pLimit from 'p-limit';
import { isAbort } from '../domain/errors.ts';
import { type Run, wantsRequotes } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { LimiterState } from '../ports/pacing.ts';
import type { ServiceClient } from '../ports/service.ts';
import { RequestBudgetError, ServiceUnavailableError } from '../ports/service-errors.ts';
import type { Fence, FetchedItems, PlannedItem } from '../ports/store/store.ts';
import { thawTerms } from '../rules/terms.ts';
import { BlockWatch } from './block-watch.ts';
import { type BatchEdges, fetchedAnswers, isDoubtful } from './fetched-answers.ts';
import { AnswerCount } from './stop-rules.ts';

/** Items read ahead. */
const PAGE = 200;

export interface FetchEdges extends Pick<BatchEdges, 'now' | 'progress' | 'heartbeat'> {
  items: FetchedItems;
  client: Pick<ServiceClient, 'fetchRecord'>;
  /** The circuit, to tell an outage from a pause. */
  limiterState: () => Promise<LimiterState>;
  concurrency: number;
  stop: StopCondition;
  /** Shared by several calls for one run; the caller then checks the counts at the end of the run. */
  answers?: AnswerCount;
  /** Shared by several calls at once through one address. */
  watch?: BlockWatch;
  /** Asks for a fresh quote for a record and stores it; for runs that want it. */
  requote: (run: Run, state: RecordState) => Promise<void>;
}

/** Asked between batches: whether fetching ends before all that is due was asked for. */
export interface StopCondition {
  /** The reason to stop now, or null to continue. */
  reason(): string | null;
  /** Aborts waits for a slot; requests in flight are finished. */
  readonly signal: AbortSignal;
}

/** Whether the error only means that no more requests may be sent: a signal, or the run's own budget is spent. */
export const isStop = (error: unknown): boolean => isAbort(error) || error instanceof RequestBudgetError;

/**
 * Fetches every item of the run that has no observation yet. Ends early, without error, on a stop condition; the caller defers
 * the rest, or a resumed run fetches it.
 * @throws ServiceUnavailableError where the answers are not about the records.
 */
export async function fetchRecords(run: Run, fence: Fence, edges: FetchEdges): Promise<void> {
  const limit = pLimit(edges.concurrency);
  const answers = edges.answers ?? new AnswerCount();
  const watch = edges.watch ?? new BlockWatch();
  const { statuses } = thawTerms(run.terms);
  const batch = fetchedAnswers(run, fence, { ...edges, statuses }, answers, watch);
  const failure: { error?: unknown } = {};
  const stopped = () => failure.error !== undefined || edges.stop.reason() !== null;
  const isWhole = () => failure.error === undefined && !isInterrupted(edges.stop);
  const inFlight = requestsInFlight(edges.concurrency * 2);
  /** The first error ends the fetch: no more requests are sent, and those in flight are awaited. */
  const noteFailure = (error: unknown) => {
    if (!isStop(error)) failure.error ??= error;
  };

  const fetchOne = async (item: PlannedItem, refusalExpected: boolean): Promise<void> => {
    if (stopped()) return;
    const { kind, id, token } = item;
    const turn = watch.begin();
    const how = { pace: 'paced', signal: edges.stop.signal, refusalExpected } as const;
    const result = await edges.client.fetchRecord({ kind, id, token }, how);
    answers.note(result, refusalExpected, item.dueClass === 'open-break');
    if (result.outcome === 'verified' && wantsRequotes(run.selection)) await edges.requote(run, result.state);
    batch.add({ item, result, turn });
    answers.check(false);
    if (answers.hopeless) await giveUpIfBlocked(edges);
  };

  const feed = async (isSecondAsking: boolean): Promise<void> => {
    let position = 0;
    while (!stopped()) {
      const page = await edges.items.next(run.runId, position, PAGE);
      if (page.length === 0) return;
      for (const item of page) {
        position = item.position;
        await inFlight.room();
        if (stopped()) return;
        inFlight.start(limit(() => fetchOne(item, isSecondAsking || item.refusedBefore)).catch(noteFailure));
        if (batch.isDue(edges.now())) await batch.save();
      }
    }
  };
  const askForAll = async (isSecondAsking: boolean): Promise<void> => {
    await feed(isSecondAsking).catch(noteFailure);
    await inFlight.idle();
  };

  /** A record that is refused twice, while the address is served before and after, has a dead token. The rest is deferred. */
  const askOnceMore = async (): Promise<void> => {
    if (!(await isServed(edges, watch))) return;
    batch.askAgain();
    await askForAll(true);
    await batch.saveLast(isWhole() && (await isServed(edges, watch)));
  };

  try {
    await askForAll(false);
    if (isWhole()) failure.error = verdictAtTheEnd(edges, answers);
    await batch.saveLast(isWhole());
    if (failure.error === undefined && batch.isAnyLeft() && edges.stop.reason() === null)
      await askOnceMore().catch(noteFailure);
  } finally {
    batch.close();
  }
  if (failure.error !== undefined) throw failure.error;
}

/** Control requests before the address is taken to be blocked. */
const CONTROLS = 2;

/**
 * Fetches an answered record again, which waits for the circuit's probe where the address got no answers. @returns
 * false where the address is still refused, or the run has to stop. @throws ServiceUnavailableError, instead, in a part
 * of a run: another address may succeed.
 */
async function isServed({ client, stop, answers }: FetchEdges, watch: BlockWatch): Promise<boolean> {
  const control = watch.servedLast;
  if (control === null) return true;
  const { kind, id, token } = control;
  for (let asked = 0; asked < CONTROLS; asked++) {
    if (stop.reason() !== null) return false;
    if (!isDoubtful(await client.fetchRecord({ kind, id, token }, { pace: 'paced', signal: stop.signal }))) return true;
  }
  if (answers === undefined) return false;
  throw new ServiceUnavailableError(
    'The Service began to refuse this address in the middle of a batch, and refuses it still, for a record too that it answered for before',
    { remedy: 'find out whether this address is blocked, then run again with --resume' },
  );
}

/** The run will be resumed, or the batch fetched by another worker: records in doubt will be fetched again. */
function isInterrupted(stop: StopCondition): boolean {
  const reason = stop.reason();
  return reason === 'signal' || reason === 'lapsed';
}

/** Undefined where the answers are about the records. In a part of a run, counts are checked only if no answer proves the address. */
function verdictAtTheEnd({ answers: shared, stop }: FetchEdges, answers: AnswerCount): unknown {
  if (shared !== undefined && answers.proven) return undefined;
  try {
    answers.check(true, stop.reason() === null);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Bounds the requests queued and in flight, so that the cursor advances no faster than answers come. */
function requestsInFlight(most: number) {
  let running = 0;
  let changed = () => {};
  // A race of all that is in flight would cost as many steps as there are, for each request.
  const fewerThan = async (count: number): Promise<void> => {
    while (running >= count)
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
  };
  return {
    /** @param work notes its own failure, and never rejects */
    start(work: Promise<void>): void {
      running++;
      void work.then(() => {
        running--;
        changed();
      });
    },
    room: () => fewerThan(most),
    idle: () => fewerThan(1),
  };
}

/** A circuit that opened before any record was read means a refusal, not a pause: waiting does not help. */
async function giveUpIfBlocked(edges: FetchEdges): Promise<void> {
  const { circuit } = await edges.limiterState();
  if (!circuit.open) return;
  const until =
    circuit.until === null ? '' : `. The address stays silent until ${new Date(circuit.until).toISOString()}`;
  throw new ServiceUnavailableError(
    `The Service refused this address before any record could be read (${circuit.reason ?? 'no reason given'}). Nothing was judged${until}`,
    { remedy: 'check service.url and the tokens' },
  );
}
