/** Alerts and dashboard: everything that they name exists in what `tieout serve` and `tieout worker` really answer. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { startMonitor, type WorkerMonitor } from '../../src/app/worker.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { Figures, IntakeResult } from '../../src/intake/server/contract.ts';
import { webhookMetrics, workerMetrics } from '../../src/intake/server/metrics.ts';
import { aReceiver, type Receiver } from '../intake/webhooks/a-receiver.ts';
import { dashboardOf, expressions, rules, selectionsOf } from './expressions.ts';

/** Every figure there can be, so that every series with all of its labels is on the page. */
const EVERYTHING: Figures = {
  now: 2_000,
  jobs: JOBS.map(({ name }) => ({
    job: name,
    lastSuccessAt: 1_000,
    newest: {
      finishedAt: 1_000,
      requestsSent: 1,
      sources: [{ name: 'inbox', read: 2, accepted: 1, rejected: 1, failed: 0, problems: [] }],
      verdicts: { matched: 1, pending: 1, break: 1, unverified: 1, quarantined: 1, waived: 1 },
    },
  })),
  openBreaks: { info: 1, low: 1, medium: 1, high: 1, critical: 1 },
  moneyAtStake: [{ currency: 'EUR', bearer: 'user', total: Decimal.parse('12.5') }],
  queue: { waiting: 1, active: 1, failed: 1, oldestWaitingMs: 1 },
  egress: 'office',
  circuit: { open: false, trips: 0 },
  windows: [{ requests: 100, perMs: 60_000, used: 0 }],
  requestsSent: 1,
  learnedFrom: { fetch: 1, webhook: 1, event: 1, import: 1 },
  awaitingRecheck: 1,
  free: new Map([
    ['database', 1],
    ['out', 1],
  ]),
  lastNight: 1,
  clockAheadMs: 1,
};
const RESULTS: readonly IntakeResult[] = [
  'stored',
  'repeated',
  'unauthorized',
  'malformed',
  'unsupported',
  'too-large',
  'limited',
  'failed',
];

/** Labels and values by metric, as they stand on a page. */
function seriesOf(page: string): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const line of page.split('\n').filter((each) => each.startsWith('tieout_'))) {
    const [, metric = '', labels = ''] = /^([a-z_]+)(?:\{(.*)\})? /.exec(line) ?? [];
    const known = found.get(metric) ?? new Map<string, Set<string>>();
    found.set(metric, known);
    for (const [, name = '', value = ''] of labels.matchAll(/([a-z_]+)="([^"]*)"/g)) {
      known.set(name, (known.get(name) ?? new Set()).add(value));
    }
  }
  return found;
}

const namesOf = (page: string) => [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);

let receiver: Receiver;
let worker: WorkerMonitor | null;
/** Names of all metrics of a running receiver and a running worker. */
let real: string[];
let series: ReturnType<typeof seriesOf>;
beforeAll(async () => {
  receiver = await aReceiver({}, { 'workers.metrics.port': '0' });
  worker = await startMonitor(receiver.app, {
    figures: async () => ({ waiting: 0, active: 0, failed: 0, oldestWaitingMs: null }),
  });
  const pages = [(await receiver.get('/metrics')).text, await (await fetch(`${worker?.url}/metrics`)).text()];
  real = [...new Set(pages.flatMap(namesOf))];
  const served = webhookMetrics(
    async () => EVERYTHING,
    () => undefined,
  );
  for (const kind of ['purchase', 'sale', 'event', 'quote'] as const)
    for (const result of RESULTS) served.count(kind, result);
  const working = workerMetrics(
    async () => EVERYTHING,
    () => undefined,
  );
  series = seriesOf(`${await served.text()}\n${await working.text()}`);
});
afterAll(async () => {
  await worker?.close();
  await receiver.close();
});

describe.each(expressions())('$where', ({ expr }) => {
  it('asks for metrics that exist, by labels and values that they have', () => {
    const asked = selectionsOf(expr);
    expect(asked.length).toBeGreaterThan(0);
    for (const { metric, labels } of asked) {
      expect(real).toContain(metric);
      for (const [label, values] of Object.entries(labels)) {
        const known = [...(series.get(metric)?.get(label) ?? [])];
        for (const value of values.split('|')) expect(known, `${metric}{${label}}`).toContain(value);
      }
    }
  });

  it('groups by labels that are there', () => {
    const known = new Set(['instance', ...[...series.values()].flatMap((labels) => [...labels.keys()])]);
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
    for (const label of grouped) expect(known).toContain(label);
    // Prometheus has a `job` of its own, which is the scrape's.
    expect(expr).not.toMatch(/[{,(] *job\b/);
  });
});

describe('the alerts', () => {
  it('cover what can go wrong', () => {
    expect(rules().map(({ alert, labels }) => `${alert} ${labels.severity}`)).toEqual([
      'TieoutNoCompleteNight critical',
      'TieoutNeverACompleteNight critical',
      'TieoutNoProcessAnswers critical',
      'TieoutDatabaseNotReady critical',
      'TieoutCircuitOpen warning',
      'TieoutCircuitKeepsOpening critical',
      'TieoutQueueStuck critical',
      'TieoutBatchesGivenUp warning',
      'TieoutBatchesLapse warning',
      'TieoutCriticalBreaks warning',
      'TieoutUnverifiedShare warning',
      'TieoutWebhooksMissed warning',
      'TieoutWebhooksRefused warning',
      'TieoutDiskNearlyFull critical',
      'TieoutClockWrong warning',
    ]);
  });

  it.each(rules())('$alert is explained in the guide for operating', ({ alert }) => {
    const page = readFileSync(new URL('../../docs/how-to/operating.md', import.meta.url), 'utf8');
    const section = page.slice(page.indexOf('\n## Several machines'));
    expect(section).toContain(`**${alert}**`);
  });
});

/** Debian's package `prometheus` has it. */
const PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
it.runIf(PROMTOOL)("Prometheus' own tests of the alerts pass", () => {
  const file = fileURLToPath(new URL('../../docs/deploy/monitoring/alerts.test.yaml', import.meta.url));
  const { status, stderr, stdout } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  expect([status, stdout + stderr]).toEqual([0, expect.anything()]);
});

describe('the dashboard', () => {
  it('shows every metric', () => {
    const shown = new Set(expressions().flatMap(({ expr }) => selectionsOf(expr).map(({ metric }) => metric)));
    expect(real.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has panels with ids of their own that do not lie on each other', () => {
    const { panels, templating } = dashboardOf();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    const [{ name } = { name: '' }] = templating.list;
    for (const { datasource } of panels) expect(datasource.uid).toBe(`\${${name}}`);
  });
});
