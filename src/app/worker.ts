/** Composes `tieout worker`: it fetches batches of the runs of other machines, from its own address. */
import { requote } from '../capture/requote.ts';
import type { Limiter } from '../ports/pacing.ts';
import type { BatchEnd, BatchQueue } from '../ports/queue.ts';
import { withReleasers } from '../runner/releasers.ts';
import { meterLimiter } from '../service/pacing/metered.ts';
import { type BatchClient, workOnBatches } from '../workers/fetch-batch.ts';
import type { App } from './app.ts';
import { withCheckedClock } from './main-line.ts';
import { figuresOf, readinessOf } from './monitoring.ts';
import { openClient } from './open-client.ts';
import { deploymentOfSettings, openQueue } from './queue.ts';

/**
 * Works until the signal, then finishes what is in flight.
 * @throws UsageError (a SQLite file), ServiceNotConfiguredError, MissingKeyError; ServiceUnavailableError where the Service
 * cannot be used from this address
 */
export async function startWorking(app: App, signal: AbortSignal): Promise<void> {
  const { store, settings, clock, limiter, log } = app;
  app.requireKey();
  await withReleasers(async (releasers) => {
    // Opened before the first claim: it throws where no Service is configured.
    const clients = clientPool(app);
    releasers.push('clients', () => clients.close());
    const queue = await openQueue(settings, log);
    releasers.push('queue', () => queue.close());
    const watched = await startMonitor(app, queue);
    if (watched !== null) {
      releasers.push('metrics', () => watched.close());
      log.info({ url: watched.url }, 'health and metrics');
    }
    await workOnBatches({
      queue,
      ended: (result) => watched?.count(result),
      runs: store.runs,
      items: withCheckedClock(app.serverTime, store.items),
      openClient: (maxRequests, confirm) => clients.take(maxRequests, confirm),
      limiterState: () => limiter.state(),
      now: () => clock.wall.now(),
      clock: clock.monotonic,
      concurrency: settings.service.concurrency,
      deployment: deploymentOfSettings(settings),
      signal,
      log,
    });
  });
}

/** Reuses clients, and so their connections, across batches. A batch with a budget of its own gets its own client. */
function clientPool(app: App) {
  const all: { close: () => Promise<void> }[] = [];
  const open = (maxRequests: number | null) => {
    const metered = meterLimiter(app.limiter, maxRequests);
    const gate: { confirm: () => Promise<void> } = { confirm: async () => undefined };
    const client = openClient(
      app,
      confirmed(metered, () => gate.confirm()),
    );
    all.push(client);
    return { client, metered, gate };
  };
  const idle = [open(null)];
  return {
    take(maxRequests: number | null, confirm: () => Promise<void>): BatchClient {
      const taken = (maxRequests === null ? idle.pop() : undefined) ?? open(maxRequests);
      const { client, metered, gate } = taken;
      gate.confirm = confirm;
      const before = metered.sent();
      const { store, clock } = app;
      return {
        client,
        requote: (run, state) => requote(run, state, { client, quotes: store.quotes, now: () => clock.wall.now() }),
        sent: () => metered.sent() - before,
        spent: () => metered.spent(),
        close: async () => {
          if (maxRequests === null) idle.push(taken);
          else await client.close();
        },
      };
    },
    async close(): Promise<void> {
      for (const { close } of all) await close();
    },
  };
}

/** Confirms the claim after the wait for a slot, which may take longer than a claim lasts. */
function confirmed(limiter: Limiter, confirm: () => Promise<void>): Limiter {
  const acquire: Limiter['acquire'] = async (options) => {
    await limiter.acquire(options);
    await confirm();
  };
  return { ...limiter, acquire };
}

export type WorkerMonitor = NonNullable<Awaited<ReturnType<typeof startMonitor>>>;

/**
 * Health and metrics of a worker, or of the coordinator; null where the setting has no port.
 * @param queue null where the process has none
 * @throws ListenError
 */
export async function startMonitor(
  app: App,
  queue: Pick<BatchQueue, 'figures'> | null,
  of: 'workers' | 'schedule' = 'workers',
) {
  const { host, port } = app.settings[of].metrics;
  if (port === 'off') return null;
  // Loaded only with a port: the server would take a third of a worker's start-up time.
  const [{ startUpkeepServer }, { workerMetrics }] = await Promise.all([
    import('../intake/server/upkeep.ts'),
    import('../intake/server/metrics.ts'),
  ]);
  const figures = figuresOf(app, async () => queue?.figures() ?? null);
  const metrics = workerMetrics(figures, (problem) => app.log.error(`metrics: ${problem}`));
  const server = await startUpkeepServer({
    host,
    port,
    setting: `${of}.metrics`,
    isReady: readinessOf(app),
    metrics,
    log: app.log,
  });
  return { url: server.url, count: (result: BatchEnd) => metrics.count(result), close: () => server.close() };
}
