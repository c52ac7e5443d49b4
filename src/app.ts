/**
 * Turns settings into a wired application. This file, with `wiring.ts` and `run-app.ts` beside it, knows every edge. Whoever opens something here hands its
 * release to the caller's releasers; nothing is opened before it is asked for.
 */
import type { Settings } from '../config/settings.ts';
import type { RunTerms } from './reconcile/terms.ts';
import { type RunOptions, runOne } from './run-app.ts';
import type { SystemClock } from './runner/clock.ts';
import type { Job, JobResult } from './runner/job.ts';
import type { Limiter, ServiceClient } from './service/contract.ts';
import { createLimiter } from './service/pacing/limiter.ts';
import { type MeteredLimiter, meterLimiter } from './service/pacing/metered.ts';
import type { Store, Upkeep } from './store/contract.ts';
import { parseDatabaseUrl } from './store/database-url.ts';
import { keyFileBeside, readOrMakeKeyFile } from './store/key-file.ts';
import { openStore } from './store/open.ts';
import { createSealer, type Sealer } from './store/sealing.ts';
import { type AppLog, type AppOptions, egressOf, limitsOf, openClient, type Wiring } from './wiring.ts';

const SILENT_LOG: AppLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

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

function openSealer(settings: Settings): { sealer: Sealer; key: App['key'] } {
  if (settings.secretKey !== null) {
    const configured = Buffer.from(settings.secretKey).toString('base64');
    return { sealer: createSealer([configured]), key: { source: 'environment', made: false } };
  }
  const { file } = parseDatabaseUrl(settings.database.url);
  const { key, made } = readOrMakeKeyFile(keyFileBeside(file));
  return { sealer: createSealer([key]), key: { source: 'file', made } };
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
