/** Runs a job in a wired application: the main line with its real edges around it. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import stringify from 'fast-json-stable-stringify';
import type { LoadedSettings } from '../../config/load.ts';
import { REPORTS } from '../../reports/index.ts';
import { captureOnCreated } from '../capture/capture-on-created.ts';
import { captureReferenceData } from '../capture/reference-data.ts';
import { requote } from '../capture/requote.ts';
import type { Run } from '../domain/run.ts';
import { importSource } from '../intake/sources.ts';
import { periodRange } from '../periods/month.ts';
import type { Job, JobResult } from '../ports/job.ts';
import type { BatchQueue } from '../ports/queue.ts';
import type { Reconciled } from '../ports/settled.ts';
import type { Fence, Store } from '../ports/store/store.ts';
import type { SetDocument } from '../publish/documents.ts';
import { loadDocuments, tableFormats } from '../publish/load-documents.ts';
import { openReportSet } from '../publish/report-set.ts';
import { signerFor } from '../publish/sign.ts';
import { type Edges, reconcile } from '../reconcile/reconcile.ts';
import { unpublished } from '../reconcile/unpublished.ts';
import { createRuleSet, rulesInForce } from '../rules/rule-set.ts';
import { freezeTerms, type RunTerms, termsHash, thawTerms } from '../rules/terms.ts';
import { startDeadline } from '../runner/deadline.ts';
import { holderOf, isDeadHolder } from '../runner/holder.ts';
import { type JobOptions, runJob } from '../runner/run-job.ts';
import { type MeteredLimiter, meterLimiter, stoppable } from '../service/pacing/metered.ts';
import { CODE_VERSION } from './version.ts';
import { openClient, ServiceNotConfiguredError, type Wiring } from './wiring.ts';

export interface RunOptions extends JobOptions {
  maxDurationMs: number | null;
  maxRequests: number | null;
}

/** SHA-256 of all settings as described, secrets masked: changes whenever a setting does. */
export function configurationHash(loaded: LoadedSettings): string {
  const settings = loaded.describe().map(({ path, value }) => [path, value]);
  return createHash('sha256').update(stringify(settings)).digest('hex');
}

/** @throws ServiceNotConfiguredError, LockHeldError, ServiceUnavailableError, PublicationError */
export async function runOne(wiring: Wiring, terms: RunTerms, job: Job, runOptions: RunOptions): Promise<JobResult> {
  const { options, settings, store, clock, limiter } = wiring;
  // Before a run is written into the ledger that could do nothing.
  if (settings.service.url === null) throw new ServiceNotConfiguredError();
  const frozen = freezeTerms(terms);
  const metered = meterLimiter(limiter, runOptions.maxRequests);
  const host = hostname();
  return runJob(job, runOptions, {
    leases: store.leases,
    runs: store.runs,
    frame: {
      timezone: settings.timezone,
      terms: frozen,
      rulesHash: termsHash(frozen),
      configHash: configurationHash(options.loaded),
      codeVersion: CODE_VERSION,
    },
    now: () => clock.wall.now(),
    holder: holderOf(host, process.pid),
    isDead: (holder) => isDeadHolder(host, holder),
    leaseMs: settings.database.lease.ttl,
    requestsSent: () => metered.sent(),
    reconcile: (run, fence, heartbeat, publish) =>
      mainLine(wiring, runOptions, metered, run, fence, heartbeat, publish),
    deliveriesWaiting: () => store.deliveries.waiting(),
    captureQuotes: () => captureQuotes(wiring, terms, metered),
    readSources: () => readSources(wiring),
    refreshReferenceData: () => refresh(wiring, metered),
  });
}

/** @param history the out folder whose earlier runs a page compares with. @throws ChartLibraryMissingError */
export function documentsFor(formats: readonly string[], history: string): Promise<SetDocument[]> {
  return loadDocuments({ formats, history, views: async () => (await import('../../reports/html/index.ts')).VIEWS });
}

async function mainLine(
  wiring: Wiring,
  runOptions: RunOptions,
  metered: MeteredLimiter,
  run: Run,
  fence: Fence,
  heartbeat: () => Promise<void>,
  publish: boolean,
): Promise<Reconciled> {
  const { options, settings, store, clock } = wiring;
  // Before anything is fetched: a format that cannot be written is told now, and so is a key that cannot sign.
  const documents = publish ? await documentsFor(settings.reports.formats, settings.out) : [];
  const signer = publish ? signerFor(settings) : null;
  using deadline = startDeadline({
    clock: clock.monotonic,
    maxDurationMs: runOptions.maxDurationMs,
    signal: options.signal,
  });
  const client = openClient(wiring, metered);
  const queue = settings.workers.enabled ? await (await import('./worker.ts')).openQueue(settings, wiring.log) : null;
  const edges: Edges = {
    store,
    ...(queue === null ? {} : { byWorkers: byWorkers(wiring, runOptions, queue) }),
    due: settings.due,
    requestsSent: () => metered.sent(),
    progress: (observed, population) => options.onProgress?.(observed, population),
    openReports: async (judged) => {
      if (!publish) return unpublished();
      return openReportSet(judged, {
        out: settings.out,
        reports: REPORTS,
        profile: settings.reports.profile,
        decimals: settings.reports.decimals,
        formats: tableFormats(settings.reports.formats),
        documents,
        rules: rulesInForce(createRuleSet(thawTerms(judged.terms).rules)),
        signer,
        suffix: holderOf(hostname(), process.pid),
        isGone: (who) => isDeadHolder(hostname(), who),
      });
    },
    fetch: {
      client,
      limiterState: () => metered.state(),
      now: () => clock.wall.now(),
      concurrency: settings.service.concurrency,
      stop: { reason: () => deadline.reason() ?? (metered.spent() ? 'max-requests' : null), signal: deadline.signal },
      heartbeat,
      requote: (judged, state) => requote(judged, state, { client, quotes: store.quotes, now: () => clock.wall.now() }),
    },
  };
  try {
    return await withPriorPeriods(await reconcile(run, fence, edges), store);
  } finally {
    await client.close();
    await queue?.close();
  }
}

function byWorkers({ settings, clock }: Wiring, { maxRequests }: RunOptions, queue: BatchQueue): Edges['byWorkers'] {
  return {
    queue,
    maxRequests,
    clock: clock.monotonic,
    batchSize: settings.workers.batch,
    patienceMs: settings.workers.patience,
  };
}

/** How many records of closed months the run found something on: the next close will tell them as prior periods'. */
async function withPriorPeriods(result: Reconciled, { periods }: Store): Promise<Reconciled> {
  if (result.outcome === 'stopped') return result;
  const closed = await periods.list();
  const [first, last] = [closed[0], closed.at(-1)];
  if (first === undefined || last === undefined) return result;
  const months = {
    from: periodRange(first.period, first.timezone).from,
    to: periodRange(last.period, last.timezone).to,
  };
  const priorPeriod = await periods.touched(result.run.runId, months);
  return { ...result, tally: { ...result.tally, priorPeriod } };
}

async function refresh(wiring: Wiring, metered: MeteredLimiter): Promise<JobResult> {
  const client = openClient(wiring, metered);
  try {
    const { captured, failed } = await captureReferenceData(client, wiring.store, () => wiring.clock.wall.now());
    return { outcome: 'refreshed', captured, failed, requests: metered.sent() };
  } finally {
    await client.close();
  }
}

async function captureQuotes(wiring: Wiring, terms: RunTerms, metered: MeteredLimiter): Promise<JobResult> {
  const { options, store, clock, refusedQuotes } = wiring;
  // A stop must not wait for a slot that may be minutes away.
  const client = openClient(wiring, stoppable(metered, options.signal));
  try {
    const counts = await captureOnCreated({
      deliveries: store.deliveries,
      quotes: store.quotes,
      client,
      now: () => clock.wall.now(),
      window: terms.window,
      tolerances: terms.tolerances,
      refused: refusedQuotes,
    });
    return { outcome: 'quoted', counts, requests: metered.sent() };
  } finally {
    await client.close();
  }
}

/** Imports what every configured source has; what could not be read is told and logged, and stops nothing. */
async function readSources({ settings, store, clock, options }: Wiring): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const source of settings.sources) {
    const report = await importSource(source, {
      tracked: store.tracked,
      now: () => clock.wall.now(),
      signal: options.signal,
    });
    for (const part of report.parts) {
      if (part.outcome === 'failed') {
        failures.push(part.error.message);
        options.log?.error(part.error.message);
      } else {
        const { added, updated, unchanged, conflictCount, rejectedCount } = part.summary;
        options.log?.info(
          { source: part.name, added, updated, unchanged, conflictCount, rejectedCount },
          'source read',
        );
        for (const { line, reason } of part.summary.rejected) options.log?.warn(`${part.name}:${line}: ${reason}`);
      }
    }
  }
  return failures;
}
