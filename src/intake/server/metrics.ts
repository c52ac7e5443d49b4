/** `/metrics` in the text format of Prometheus. One registry per server, nothing global. */
import { Counter, Registry } from '@prometheus-io/client';
import type { BatchEnd } from '../../ports/queue.ts';
import type { Figures, IntakeEndpoint, IntakeResult } from './contract.ts';
import { gaugesOf } from './gauges.ts';

export type MetricsPage = ReturnType<typeof pageOf>;
export type WebhookMetrics = ReturnType<typeof webhookMetrics>;

type ReadFigures = () => Promise<Figures>;
/** Called with the reason where the figures cannot be read. */
type Warn = (problem: string) => void;

/** The page of `tieout serve`. */
export function webhookMetrics(figures: ReadFigures, warn: Warn) {
  const registry = new Registry();
  const deliveries = new Counter({
    name: 'tieout_deliveries_total',
    help: 'Webhooks, events and quotes that came in, by what became of them',
    labelNames: ['kind', 'result'] as const,
    registers: [registry],
  });
  const count = (kind: IntakeEndpoint, result: IntakeResult) => deliveries.inc({ kind, result });
  return { ...pageOf(registry, figures, warn), count };
}

const BATCH_RESULTS: readonly BatchEnd[] = ['done', 'given-back', 'lapsed'];

/** The page of `tieout worker`. */
export function workerMetrics(figures: ReadFigures, warn: Warn) {
  const registry = new Registry();
  const batches = new Counter({
    name: 'tieout_worker_batches_total',
    help: 'Batches that this worker took, by what became of them',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  // Series start at 0: a rate over a series that begins with its first event misses that event.
  for (const result of BATCH_RESULTS) batches.inc({ result }, 0);
  return { ...pageOf(registry, figures, warn), count: (result: BatchEnd) => batches.inc({ result }) };
}

function pageOf(registry: Registry, figures: ReadFigures, warn: Warn) {
  const gauges = gaugesOf([registry]);
  let sentBefore = 0;
  const sent = new Counter({
    name: 'tieout_requests_sent_total',
    help: 'Requests that this process sent to the Service',
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    /** Everything as text; reads the figures of the store now. */
    text: async () => {
      try {
        const seen = await figures();
        gauges.show(seen);
        sent.inc(Math.max(0, seen.requestsSent - sentBefore));
        sentBefore = seen.requestsSent;
      } catch (error) {
        // Alerts need the page, so it is served without the unknown figures.
        gauges.showNothing();
        warn(error instanceof Error ? error.message : 'the figures could not be read');
      }
      return registry.metrics();
    },
  };
}
