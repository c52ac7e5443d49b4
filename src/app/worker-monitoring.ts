/** What a worker answers to those who watch it, where workers.metrics has a port. */

import type { BatchResult } from '../intake/server/contract.ts';
import type { BatchQueue } from '../ports/queue.ts';
import type { App } from './app.ts';
import { figuresOf, readinessOf } from './monitoring.ts';

export interface Watched {
  /** `http://127.0.0.1:9464`. */
  readonly url: string;
  /** One more batch, and what became of it. */
  count(result: BatchResult): void;
  close(): Promise<void>;
}

/** Null where it is off. @throws ListenError */
export async function answerWatchers(app: App, queue: Pick<BatchQueue, 'figures'>): Promise<Watched | null> {
  const { host, port } = app.settings.workers.metrics;
  if (port === 'off') return null;
  // The server costs a worker that nobody asks a third of its start.
  const [{ startUpkeepServer }, { workerMetrics }] = await Promise.all([
    import('../intake/server/upkeep.ts'),
    import('../intake/server/metrics.ts'),
  ]);
  const figures = figuresOf(app, () => queue.figures());
  const metrics = workerMetrics(figures, (problem) => app.log.error(`metrics: ${problem}`));
  const server = await startUpkeepServer({
    host,
    port,
    setting: 'workers.metrics',
    isReady: readinessOf(app),
    metrics,
    log: app.log,
  });
  return { url: server.url, count: (result) => metrics.count(result), close: () => server.close() };
}
