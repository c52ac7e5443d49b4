/** What `/metrics` shows, in the text format of Prometheus. One registry per server, nothing global. */
import { Counter, Gauge, Registry } from '@prometheus-io/client';
import type { DeliveryResult, Door, Figures } from './contract.ts';

export interface ServerMetrics {
  readonly contentType: string;
  /** One more delivery at a door, and what became of it. */
  count(door: Door, result: DeliveryResult): void;
  /** Everything as text; reads the figures of the store now. */
  text(): Promise<string>;
}

export function createMetrics(figures: () => Promise<Figures>): ServerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const deliveries = new Counter({
    name: 'tieout_deliveries_total',
    help: 'Webhooks, events and quotes that came in, by what became of them',
    labelNames: ['kind', 'result'] as const,
    registers,
  });
  const show = gaugesOf(registers);
  let sentBefore = 0;
  const sent = new Counter({
    name: 'tieout_requests_sent_total',
    help: 'Requests that this process sent to the Service',
    registers,
  });
  return {
    contentType: registry.contentType,
    count: (kind, result) => deliveries.inc({ kind, result }),
    text: async () => {
      const seen = await figures();
      show(seen);
      sent.inc(Math.max(0, seen.requestsSent - sentBefore));
      sentBefore = seen.requestsSent;
      return registry.metrics();
    },
  };
}

/** Gauges are set anew at each look: a job that has never run has no figure, rather than a zero. */
function gaugesOf(registers: Registry[]): (figures: Figures) => void {
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Gauge<T>({ name, help, labelNames: [...labelNames], registers });
  const success = gauge('tieout_run_last_success_timestamp_seconds', 'End of the newest complete run', ['job']);
  const age = gauge('tieout_run_age_seconds', 'Time since the end of the newest complete run', ['job']);
  const records = gauge('tieout_run_records', 'Records of the newest judged run, by verdict', ['job', 'verdict']);
  const requests = gauge('tieout_run_requests', 'Requests that the newest judged run sent', ['job']);
  const open = gauge('tieout_circuit_open', '1 while the Service must not be asked', []);
  const trips = gauge('tieout_circuit_trips', 'Openings of the circuit in a row', []);
  const used = gauge('tieout_limit_used_requests', 'Requests booked in the window of each limit', ['per_seconds']);
  const allowed = gauge('tieout_limit_allowed_requests', 'Requests that each limit allows', ['per_seconds']);
  const learned = gauge('tieout_status_changes', 'Status changes on record, by where each was first learned from', [
    'learned_from',
  ]);
  const waiting = gauge('tieout_records_awaiting_recheck', 'Records delivered and not asked for since', []);
  const labelled = [success, age, records, requests, used, allowed, learned];
  return (figures) => {
    for (const each of labelled) each.reset();
    for (const { job, lastSuccessAt, newest } of figures.jobs) {
      if (lastSuccessAt !== null) {
        success.set({ job }, lastSuccessAt / 1000);
        age.set({ job }, (figures.now - lastSuccessAt) / 1000);
      }
      if (newest === null) continue;
      requests.set({ job }, newest.requestsSent);
      for (const [verdict, count] of Object.entries(newest.verdicts)) records.set({ job, verdict }, count);
    }
    open.set(figures.circuit.open ? 1 : 0);
    trips.set(figures.circuit.trips);
    for (const { requests: most, perMs, used: taken } of figures.windows) {
      used.set({ per_seconds: perMs / 1000 }, taken);
      allowed.set({ per_seconds: perMs / 1000 }, most);
    }
    for (const [origin, count] of Object.entries(figures.learnedFrom)) learned.set({ learned_from: origin }, count);
    waiting.set(figures.awaitingRecheck);
  };
}
