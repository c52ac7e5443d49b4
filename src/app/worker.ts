/** The wiring of runs that several machines fetch: the queue between the coordinator and `tieout worker`. */

import type { Settings } from '../../config/settings.ts';
import { requote } from '../capture/requote.ts';
import { EXIT, TieoutError } from '../domain/errors.ts';
import type { Limiter } from '../ports/pacing.ts';
import type { BatchQueue } from '../ports/queue.ts';
import { Releasers } from '../runner/releasers.ts';
import { meterLimiter } from '../service/pacing/metered.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import { countedTaker } from '../workers/counted.ts';
import { type BatchClient, workOnBatches } from '../workers/fetch-batch.ts';
import type { App } from './app.ts';
import type { AppLog } from './wiring.ts';
import { answerWatchers } from './worker-monitoring.ts';

/** Thrown where workers are wanted and the database is a file on one machine. Exit code 2. */
export class WorkersNeedPostgresError extends TieoutError {
  override readonly name = 'WorkersNeedPostgresError';
  override readonly exitCode = EXIT.usage;
  constructor() {
    super(
      'Workers share a run through PostgreSQL, and database.url is a SQLite file. Set database.url to postgres://…, or workers.enabled to false: one process over SQLite needs no workers.',
    );
  }
}

/** Statements of the queue are short; a claim that is not renewed for longer than this may be another's. */
const QUEUE_ANSWER_MS = 20_000;

/** @throws WorkersNeedPostgresError, DatabaseUnavailableError */
export async function openQueue({ database, workers }: Settings, log: AppLog): Promise<BatchQueue> {
  const address = parseDatabaseUrl(database.url);
  if (address.engine !== 'postgres') throw new WorkersNeedPostgresError();
  const [{ openPgBossQueue }, { translateError }, { boundConnections }] = await Promise.all([
    import('../workers/pg-boss-queue.ts'),
    import('../store/postgres/translate-error.ts'),
    import('../store/postgres/bounded-connections.ts'),
  ]);
  return openPgBossQueue({
    url: address.url,
    heartbeatMs: workers.heartbeat,
    onError: ({ message }) => log.warn(`queue: ${message}`),
    translate: (error) => translateError(error, address.location),
    connections: boundConnections(QUEUE_ANSWER_MS),
  });
}

/**
 * Works until the signal, then finishes what is in flight.
 * @throws WorkersNeedPostgresError, ServiceNotConfiguredError, MissingKeyError; ServiceUnavailableError where this worker
 * can do nothing for anybody
 */
export async function startWorking(app: App, signal: AbortSignal): Promise<void> {
  const { store, settings, clock, limiter, log } = app;
  app.requireKey();
  // Before anything is claimed: without an address of the Service nothing can be fetched.
  const releasers = new Releasers();
  try {
    const clients = new ClientPool(app);
    releasers.push('clients', () => clients.close());
    const queue = await openQueue(settings, log);
    releasers.push('queue', () => queue.close());
    const watched = await answerWatchers(app, queue);
    if (watched !== null) {
      releasers.push('metrics', () => watched.close());
      log.info({ url: watched.url }, 'health and metrics');
    }
    await workOnBatches({
      queue: watched === null ? queue : countedTaker(queue, watched.count),
      runs: store.runs,
      items: store.items,
      openClient: (maxRequests, confirm) => clients.take(maxRequests, confirm),
      limiterState: () => limiter.state(),
      now: () => clock.wall.now(),
      clock: clock.monotonic,
      concurrency: settings.service.concurrency,
      signal,
      log,
    });
  } catch (error) {
    await releasers.release(error);
    throw error;
  }
  await releasers.release();
}

/** Connections outlive batches: a batch without a budget of its own takes a client that another one has left. */
class ClientPool {
  private readonly app: App;
  private readonly all: { close: () => Promise<void> }[] = [];
  private readonly idle: ReturnType<ClientPool['open']>[] = [];

  constructor(app: App) {
    this.app = app;
    this.idle.push(this.open(null));
  }

  take(maxRequests: number | null, confirm: () => Promise<void>): BatchClient {
    const taken = (maxRequests === null ? this.idle.pop() : undefined) ?? this.open(maxRequests);
    const { client, metered, gate } = taken;
    gate.confirm = confirm;
    const before = metered.sent();
    const { store, clock } = this.app;
    return {
      client,
      requote: (run, state) => requote(run, state, { client, quotes: store.quotes, now: () => clock.wall.now() }),
      sent: () => metered.sent() - before,
      spent: () => metered.spent(),
      close: async () => {
        if (maxRequests === null) this.idle.push(taken);
        else await client.close();
      },
    };
  }

  async close(): Promise<void> {
    for (const { close } of this.all) await close();
  }

  private open(maxRequests: number | null) {
    const metered = meterLimiter(this.app.limiter, maxRequests);
    const gate: { confirm: () => Promise<void> } = { confirm: async () => undefined };
    const client = this.app.client(confirmed(metered, () => gate.confirm()));
    this.all.push(client);
    return { client, metered, gate };
  }
}

/** Asks once more when the slot is there: the wait for it may have been longer than a claim lasts. */
function confirmed(limiter: Limiter, confirm: () => Promise<void>): Limiter {
  return {
    acquire: async (options) => {
      await limiter.acquire(options);
      await confirm();
    },
    report: (answer) => limiter.report(answer),
    state: () => limiter.state(),
  };
}
