/**
 * Turns settings into a wired application: the only file that knows every edge. Whoever opens something here hands its
 * release to the caller's releasers; nothing is opened before it is asked for.
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import stringify from 'fast-json-stable-stringify';
import type { LoadedSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { REPORTS } from '../reports/index.ts';
import type { Run } from './domain/run.ts';
import { importSource } from './intake/sources.ts';
import type { SetDocument } from './publish/documents.ts';
import { loadDocuments, tableFormats } from './publish/load-documents.ts';
import { openReportSet } from './publish/report-set.ts';
import { captureOnCreated } from './reconcile/capture-on-created.ts';
import type { Reconciled } from './reconcile/contract.ts';
import { type Edges, reconcile } from './reconcile/reconcile.ts';
import { captureReferenceData } from './reconcile/reference-data.ts';
import { requote } from './reconcile/requote.ts';
import { freezeTerms, type RunTerms, termsHash, thawTerms } from './reconcile/terms.ts';
import { unpublished } from './reconcile/unpublished.ts';
import { createRuleSet, type RuleSet } from './rules/rule-set.ts';
import type { SystemClock } from './runner/clock.ts';
import { startDeadline } from './runner/deadline.ts';
import { holderOf, isDeadHolder } from './runner/holder.ts';
import type { Job, JobResult } from './runner/job.ts';
import type { Releasers } from './runner/releasers.ts';
import { type JobOptions, runJob } from './runner/run-job.ts';
import { createServiceClient } from './service/client.ts';
import type { Limiter, RateLimit, ServiceClient } from './service/contract.ts';
import { createLimiter } from './service/pacing/limiter.ts';
import { type MeteredLimiter, meterLimiter, stoppable } from './service/pacing/metered.ts';
import type { Fence, Store, Upkeep } from './store/contract.ts';
import { parseDatabaseUrl } from './store/database-url.ts';
import { keyFileBeside, readOrMakeKeyFile } from './store/key-file.ts';
import { openStore } from './store/open.ts';
import { createSealer, type Sealer } from './store/sealing.ts';
import { CODE_VERSION } from './version.ts';

export interface AppOptions {
  loaded: LoadedSettings;
  clock: SystemClock;
  /** Whatever is opened is pushed here. */
  releasers: Releasers;
  /** In [0, 1): spreads retries. */
  random: () => number;
  /** Aborts on SIGTERM and SIGINT. */
  signal: AbortSignal;
  /** Told how many records of a run were observed so far. */
  onProgress?: ((observed: number, population: number) => void) | undefined;
  log?: AppLog | undefined;
}

/** The part of a pino logger that is used. */
export interface AppLog {
  info: (facts: object, message: string) => void;
  warn: (message: string) => void;
  error: (message: string) => void;
}

const SILENT_LOG: AppLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface RunOptions extends JobOptions {
  maxDurationMs: number | null;
  maxRequests: number | null;
}

export interface App {
  readonly settings: Settings;
  readonly clock: SystemClock;
  readonly store: Store;
  readonly upkeep: Upkeep;
  /** Where the sealing key is; `made` where this process has just made the file. */
  readonly key: { source: 'environment' | 'file'; made: boolean };
  readonly limiter: MeteredLimiter;
  readonly log: AppLog;
  readonly terms: RunTerms;
  /** @throws ServiceNotConfiguredError */
  client(limiter?: Limiter): ServiceClient;
  run(job: Job, options: RunOptions): Promise<JobResult>;
}

/** Thrown where a command needs the Service and no address is configured. Exit code 2. */
export class ServiceNotConfiguredError extends Error {
  override readonly name = 'ServiceNotConfiguredError';
  constructor() {
    super(
      'No Service is configured. Set service.url in the settings file, or TIEOUT_SERVICE_URL, to the base that ends in /api.',
    );
  }
}

/** Opens the database and wires the rest around it; closing the app closes whatever it opened. */
export async function openApp(options: AppOptions): Promise<App> {
  const { settings } = options.loaded;
  const { sealer, key } = openSealer(settings);
  if (key.made) options.log?.warn('made a key file beside the database; back it up apart from the database');
  const { store, upkeep } = await openStore({ url: settings.database.url, sealer });
  options.releasers.push('database', () => store.close());
  const { clock } = options;
  // Counted from the first request of this process on, whatever sends it.
  const limiter = meterLimiter(
    createLimiter({
      limits: limitsOf(settings),
      guardMs: settings.service.guard,
      egress: egressOf(settings),
      log: store.bookings,
      clock: clock.monotonic,
      wall: () => clock.wall.now(),
      random: options.random,
      deadlineMs: settings.service.timeout,
    }),
    null,
  );
  const wiring: Wiring = { options, settings, store, clock, limiter, refusedQuotes: new Set() };
  const terms = termsOf(settings);
  return {
    settings,
    clock,
    store,
    upkeep,
    key,
    limiter,
    log: options.log ?? SILENT_LOG,
    terms,
    client: (metered = limiter) => openClient(wiring, metered),
    run: (job, runOptions) => runOne(wiring, terms, job, runOptions),
  };
}

/** What the parts of a run share. */
interface Wiring {
  options: AppOptions;
  settings: Settings;
  store: Store;
  clock: SystemClock;
  limiter: Limiter;
  /** Quotes that the Service would not give, for as long as this process lives. */
  refusedQuotes: Set<string>;
}

export function limitsOf(settings: Settings): readonly RateLimit[] {
  return settings.service.rateLimits === 'off' ? [] : settings.service.rateLimits;
}

/** The name that processes behind one address share. */
export function egressOf(settings: Settings): string {
  return settings.service.egress ?? hostname();
}

function openSealer(settings: Settings): { sealer: Sealer; key: App['key'] } {
  if (settings.secretKey !== null) {
    const configured = Buffer.from(settings.secretKey).toString('base64');
    return { sealer: createSealer([configured]), key: { source: 'environment', made: false } };
  }
  const { file } = parseDatabaseUrl(settings.database.url);
  const { key, made } = readOrMakeKeyFile(keyFileBeside(file));
  return { sealer: createSealer([key]), key: { source: 'file', made } };
}

function openClient({ settings, clock, options }: Wiring, limiter: Limiter): ServiceClient {
  const { service } = settings;
  if (service.url === null) throw new ServiceNotConfiguredError();
  return createServiceClient({
    baseUrl: service.url,
    identifierName: service.identifierName,
    hostApiKey: service.hostApiKey,
    timeoutMs: service.timeout,
    retries: service.retries,
    concurrency: service.concurrency,
    localAddress: service.localAddress,
    salePath: service.salePath,
    limiter,
    clock: clock.wall,
    random: options.random,
  });
}

/** What decides verdicts, as configured now. */
export function termsOf(settings: Settings): RunTerms {
  return {
    statuses: settings.statuses,
    tolerances: settings.tolerances,
    rules: settings.rules,
    window: { before: settings.quotes.matchWindow, after: settings.quotes.matchWindowAfter },
    identifierName: settings.service.identifierName,
  };
}

/** Rule code → severity, or `off`: what a manifest says of the rules in force. */
export function rulesInForce(ruleSet: RuleSet): Record<string, string> {
  return {
    ...Object.fromEntries(ruleSet.rules.map(({ rule, severity }) => [rule.code, severity])),
    ...Object.fromEntries(ruleSet.off.map((code) => [code, 'off'])),
  };
}

/** SHA-256 of all settings as described, secrets masked: changes whenever a setting does. */
function configurationHash(loaded: LoadedSettings): string {
  const settings = loaded.describe().map(({ path, value }) => [path, value]);
  return createHash('sha256').update(stringify(settings)).digest('hex');
}

async function runOne(wiring: Wiring, terms: RunTerms, job: Job, runOptions: RunOptions): Promise<JobResult> {
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
  return loadDocuments({ formats, history, views: async () => (await import('../reports/html/index.ts')).VIEWS });
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
  // Before anything is fetched: a format that cannot be written is told now.
  const documents = publish ? await documentsFor(settings.reports.formats, settings.out) : [];
  using deadline = startDeadline({
    clock: clock.monotonic,
    maxDurationMs: runOptions.maxDurationMs,
    signal: options.signal,
  });
  const client = openClient(wiring, metered);
  const edges: Edges = {
    store,
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
    return await reconcile(run, fence, edges);
  } finally {
    await client.close();
  }
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
