/** The whole application over a record server and a real database, with a wall clock that stands where the test puts it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../../config/load.ts';
import type { RawValue } from '../../../config/raw.ts';
import { nightly } from '../../../jobs/nightly.ts';
import { referenceData } from '../../../jobs/reference-data.ts';
import { type App, openApp } from '../../../src/app/app.ts';
import { businessDateOf } from '../../../src/domain/calendar.ts';
import type { Kind } from '../../../src/domain/record.ts';
import { importQuotes, importTracked } from '../../../src/intake/import.ts';
import { readQuotes } from '../../../src/intake/read-quotes.ts';
import { readTrackedFile } from '../../../src/intake/read-tracked-file.ts';
import { webhookIntake } from '../../../src/intake/webhooks/accept.ts';
import type { JobResult } from '../../../src/ports/job.ts';
import type { MonotonicClock } from '../../../src/ports/pacing.ts';
import { advance } from '../../../src/reconcile/advance.ts';
import { RULES } from '../../../src/rules/index.ts';
import { createSystemClock } from '../../../src/runner/clock.ts';
import { Releasers } from '../../../src/runner/releasers.ts';
import { parseQuoteLine } from '../../../src/service/quote-line.ts';
import { readWebhookBody } from '../../../src/service/webhook-body.ts';
import { type RecordServer, startRecordServer } from '../../support/record-server.ts';

export type Reconciled = Extract<JobResult, { outcome: 'reconciled' }>;

export interface FrozenWorld {
  server: RecordServer;
  app: App;
  out: string;
  /** Puts the clock to an instant, `2026-11-20T04:15:00Z`. */
  goTo(iso: string): void;
  /** Imports ids from CSV text, as `tieout import` does. */
  track(csv: string): Promise<void>;
  /** Imports quotes, one JSON text each. */
  quote(lines: readonly string[]): Promise<void>;
  /** Takes a webhook as `tieout serve` does, but for its signature. */
  webhook(kind: Kind, body: string): Promise<void>;
  captureReferenceData(): Promise<void>;
  night(date: string): Promise<Reconciled>;
  file(set: string, name: string): Buffer;
  close(): Promise<void>;
}

export const NOTHING_ASKED = {
  businessDate: null,
  selection: null,
  resume: false,
  maxDurationMs: null,
  maxRequests: null,
};

export async function openFrozenWorld(
  settings: Readonly<Record<string, RawValue>> = {},
  env: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
  monotonic: MonotonicClock = createSystemClock().monotonic,
): Promise<FrozenWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-frozen-'));
  const out = join(folder, 'out');
  const server = await startRecordServer();
  const releasers = new Releasers();
  let now = Date.parse('2026-11-01T00:00:00Z');
  const flags: Readonly<Record<string, RawValue>> = {
    'service.url': server.url,
    'service.rateLimits': 'off',
    'service.retries': '0',
    'service.concurrency': '1',
    'database.url': `sqlite:${join(folder, 'tieout.db')}`,
    out,
    ...settings,
  };
  const app = await openApp({
    loaded: loadSettings({
      flags: Object.entries(flags).map(([path, value]) => ({ flag: 'test', path: path.split('.'), value })),
      configFile: undefined,
      env,
      readFile: () => {
        throw Object.assign(new Error('no settings file'), { code: 'ENOENT' });
      },
      known: { rules: RULES.map(({ code }) => code) },
    }),
    clock: { monotonic, wall: { now: () => now, sleep: async () => undefined } },
    releasers,
    random: () => 0,
    signal,
  });
  const { statuses, timezone } = app.settings;
  const intake = webhookIntake({
    tracked: app.store.tracked,
    deliveries: app.store.deliveries,
    statuses,
    advance: (before, state, at) => advance(before, state, statuses, at, businessDateOf(at, timezone)),
    now: () => now,
    pause: async () => undefined,
  });
  return {
    server,
    app,
    out,
    goTo: (iso) => {
      now = Date.parse(iso);
    },
    track: async (csv) => {
      const items = readTrackedFile(bytesOf(csv), { name: 'ids.csv', format: 'csv', kind: null });
      const summary = await importTracked(items, { now: () => now, tracked: app.store.tracked });
      if (summary.rejectedCount > 0) throw new Error(JSON.stringify(summary.rejected));
    },
    quote: async (lines) => {
      const items = readQuotes(bytesOf(lines.join('\n')), 'quotes.ndjson', (text) => parseQuoteLine(text, 'Service'));
      const summary = await importQuotes(items, { now: () => now, quotes: app.store.quotes });
      if (summary.rejectedCount > 0) throw new Error(JSON.stringify(summary.rejected));
    },
    webhook: async (kind, body) => {
      const read = readWebhookBody(Buffer.from(body), kind, 'Service');
      if (!('delivered' in read)) throw new Error(JSON.stringify(read));
      const { state, ...rest } = read.delivered;
      const taken = await intake.accept({
        ...rest,
        state: state.ok ? state.value : null,
        origin: 'webhook',
        hostReference: null,
      });
      if (taken !== 'stored' && taken !== 'unreadable') throw new Error(`the webhook is ${taken}`);
    },
    captureReferenceData: async () => {
      const result = await app.run(referenceData, NOTHING_ASKED);
      if (result.outcome !== 'refreshed' || result.failed.length > 0) throw new Error(JSON.stringify(result));
    },
    night: async (businessDate) => {
      const result = await app.run(nightly, { ...NOTHING_ASKED, businessDate });
      if (result.outcome !== 'reconciled') throw new Error(`the night of ${businessDate} was ${result.outcome}`);
      return result;
    },
    file: (set, name) => readFileSync(join(out, set, name)),
    close: async () => {
      await releasers.release();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
