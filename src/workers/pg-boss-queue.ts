/** The queue of batches: pg-boss in the same PostgreSQL, with its retries, heartbeats and dead-letter queue. */
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import {
  BATCH_PROBLEMS,
  type BatchDone,
  type BatchProblem,
  type BatchQueue,
  type FetchBatch,
  type HeldBatch,
} from '../ports/queue.ts';
import type { AnswerFigures } from '../ports/settled.ts';
import { countBatches, QUEUE, QUEUE_SCHEMA } from './figures.ts';

const DEAD = 'tieout-fetch-dead';
/** pg-boss allows no shorter heartbeat. */
const SHORTEST_HEARTBEAT_S = 10;
/** A batch may wait out several hour-long blocks, so it does not expire; the heartbeat detects that its worker is gone. */
const LONGEST_BATCH_S = 23 * 3600;
/** Fetching is idempotent, so a retry is cheap; a batch that failed this often will always fail. */
const RETRIES = 20;
const KEEP_DONE_S = 86_400;
const INSERT = 500;

interface PgBossQueueOptions {
  /** `postgres://…`, with its password; never shown. */
  url: string;
  /** How long a worker may be silent before its claims lapse, ms; at least ten seconds. */
  heartbeatMs: number;
  /** Errors of pg-boss in the background, for example a lost connection that it retries. */
  onError: (error: Error) => void;
  /** Turns an error of the driver into one of the store. */
  translate: (error: unknown) => unknown;
  /** Settings that bound the waits of its connections, and their end: see bounded-connections.ts of the store. */
  connections: { settings: object; end(close: () => Promise<void>): Promise<void> };
}

/** @throws what `translate` returns, if the database cannot be reached or the schema cannot be made; so do all methods */
export async function openPgBossQueue(options: PgBossQueueOptions): Promise<BatchQueue> {
  try {
    return translated(await openQueue(options), options.translate);
  } catch (error) {
    throw options.translate(error);
  }
}

async function openQueue(options: PgBossQueueOptions): Promise<BatchQueue> {
  const { url, heartbeatMs, onError, connections } = options;
  const heartbeatSeconds = Math.max(SHORTEST_HEARTBEAT_S, Math.ceil(heartbeatMs / 1000));
  const boss = new PgBoss({
    ...connections.settings,
    connectionString: url,
    schema: QUEUE_SCHEMA,
    application_name: 'tieout queue',
    max: 3,
    // Tieout schedules by its own ledger of runs, which every engine has.
    schedule: false,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    queueCacheIntervalSeconds: 60,
    monitorVacuum: false,
  });
  boss.on('error', onError);
  const close = () => connections.end(() => boss.stop({ graceful: false, close: true }));
  try {
    await boss.start();
    return queueOn(boss, await makeQueues(boss, heartbeatSeconds), options, close);
  } catch (error) {
    // Open connections would keep the process alive.
    await close().catch(() => undefined);
    throw error;
  }
}

/** @returns after how long a claim that is not renewed lapses, ms */
async function makeQueues(boss: PgBoss, heartbeatSeconds: number): Promise<number> {
  await boss.createQueue(DEAD, { deleteAfterSeconds: KEEP_DONE_S });
  const policy = {
    heartbeatSeconds,
    expireInSeconds: LONGEST_BATCH_S,
    retryLimit: RETRIES,
    deleteAfterSeconds: KEEP_DONE_S,
    deadLetter: DEAD,
  };
  await boss.createQueue(QUEUE, policy);
  await boss.updateQueue(QUEUE, policy);
  return heartbeatSeconds * 1000;
}

type BatchJob = JobWithMetadata<FetchBatch>;

function queueOn(
  boss: PgBoss,
  claimMs: number,
  { translate }: PgBossQueueOptions,
  close: () => Promise<void>,
): BatchQueue {
  const jobsOf = (run: object): Promise<BatchJob[]> => boss.findJobs<FetchBatch>(QUEUE, { data: run });
  return {
    claimMs,
    send: async (batches) => {
      for (let at = 0; at < batches.length; at += INSERT) {
        const part = batches.slice(at, at + INSERT);
        // Earlier positions first, across runs. Of a share of a budget it is unknown how much a worker has spent: no retry.
        const jobs = part.map((data) => {
          const once = data.maxRequests === null ? {} : { retryLimit: 0 };
          return { data, priority: -data.after, ...once };
        });
        await boss.insert(QUEUE, jobs);
      }
    },
    standing: async ({ runId, fence }) => {
      const [jobs, dead] = await Promise.all([
        jobsOf({ runId, fence }),
        boss.findJobs<FetchBatch>(DEAD, { data: { runId, fence } }),
      ]);
      const retried = jobs.filter(({ state }) => state === 'retry');
      return {
        waiting: jobs.filter(({ state }) => state === 'created').length + retried.length,
        active: jobs.filter(({ state }) => state === 'active').length,
        problems: [...retried.map(({ output }) => output), ...dead.map(({ sourceOutput }) => sourceOutput)].flatMap(
          (output) => problemOf(output),
        ),
      };
    },
    results: async ({ runId, fence }) =>
      (await jobsOf({ runId, fence }))
        .filter(({ state }) => state === 'completed')
        .map(({ output }) => output)
        .filter(isDone),
    withdraw: async (runId) => {
      const jobs = await jobsOf({ runId });
      const ids = (states: readonly string[]) => jobs.filter(({ state }) => states.includes(state)).map(({ id }) => id);
      const [waiting, active] = [ids(['created', 'retry']), ids(['active'])];
      if (waiting.length > 0) await boss.deleteJob(QUEUE, waiting);
      if (active.length > 0) await boss.cancel(QUEUE, active);
    },
    claim: async () => {
      for (;;) {
        const [job] = await boss.fetch<FetchBatch>(QUEUE, { includeMetadata: true });
        if (job === undefined) return null;
        if (isBatch(job.data)) return translated(claimOf(boss, job), translate);
        // Of another hand: given back, it would end every worker in turn.
        await boss.complete(QUEUE, { id: job.id, retryCount: job.retryCount });
      }
    },
    // The cached counts of pg-boss are up to a minute old: a night's queue may have been emptied by then.
    figures: () => countBatches((text, values) => boss.getDb().executeSql(text, values)),
    close,
  };
}

function claimOf(boss: PgBoss, { id, retryCount, data }: BatchJob): HeldBatch {
  // Identifies the attempt, not the job: after the claim has lapsed, these calls do not touch the job of another worker.
  const attempt = { id, retryCount };
  return {
    batch: data,
    renew: async () => affected(await boss.touch(QUEUE, attempt)) > 0,
    done: async (result) => void (await boss.complete(QUEUE, attempt, result)),
    giveBack: async (problem) => void (await boss.fail(QUEUE, attempt, problem)),
  };
}

/** The same object, with the errors of its methods translated. */
function translated<T extends object>(object: T, translate: (error: unknown) => unknown): T {
  const methods = Object.entries(object).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const method = async (...given: unknown[]) => {
      try {
        return await value(...given);
      } catch (error) {
        throw translate(error);
      }
    };
    return [name, method];
  });
  return Object.fromEntries(methods) as T;
}

function affected(response: object): number {
  return 'affected' in response && typeof response.affected === 'number' ? response.affected : 0;
}

function isBatch(data: FetchBatch | null): boolean {
  const { runId, fence, after, upTo, maxRequests } = data ?? ({} as Partial<FetchBatch>);
  return (
    [runId, fence?.name].every((text) => typeof text === 'string') &&
    [fence?.token, after, upTo, maxRequests ?? 0].every(Number.isSafeInteger)
  );
}

/** A report without its figures counts for nothing: what was verified is read from the store. */
function isDone(output: object | null): output is BatchDone {
  const { otherName, lastProblem, ...counts } = (output as Partial<BatchDone> | null)?.answers ?? {};
  const { readable, denied, mismatched, unanswered, absent, missing, other, named, misnamed }: Partial<AnswerFigures> =
    counts;
  return (
    [readable, denied, mismatched, unanswered, absent, missing, other, named, misnamed].every(
      (n) => Number.isSafeInteger(n) && Number(n) >= 0,
    ) && [otherName, lastProblem].every((text) => typeof text === 'string')
  );
}

/** Empty where the output is pg-boss's own: of a job whose worker missed its heartbeat. */
function problemOf(output: object | null): BatchProblem[] {
  if (output === null || !('kind' in output) || !('message' in output)) return [];
  const kind = BATCH_PROBLEMS.find((each) => each === output.kind);
  return kind === undefined ? [] : [{ kind, message: String(output.message) }];
}
