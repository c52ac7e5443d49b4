/**
 * Turns settings into a wired application. This file, with `wiring.ts` and `run-app.ts` beside it, knows every edge. Whoever opens something here hands its
 * release to the caller's releasers; nothing is opened before it is asked for.
 */
import type { Settings } from '../../config/settings.ts';
import type { Job, JobResult } from '../ports/job.ts';
import type { Limiter } from '../ports/pacing.ts';
import type { ServiceClient } from '../ports/service.ts';
import type { Store, Upkeep } from '../ports/store/store.ts';
import type { RunTerms } from '../rules/terms.ts';
import type { SystemClock } from '../runner/clock.ts';
import { createLimiter } from '../service/pacing/limiter.ts';
import { type MeteredLimiter, meterLimiter } from '../service/pacing/metered.ts';
import { openStore } from '../store/open.ts';
import { requireSealer } from '../store/sealing.ts';
import { type KeyOrigin, sealerOfDatabase } from '../store/sealing-key.ts';
import { configurationHash, type RunOptions, runOne } from './run.ts';
import { type AppLog, type AppOptions, egressOf, limitsOf, openClient, type Wiring } from './wiring.ts';

const SILENT_LOG: AppLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface App {
  readonly settings: Settings;
  readonly clock: SystemClock;
  readonly store: Store;
  readonly upkeep: Upkeep;
  /**
   * Where the sealing key is; `made` where this process has just made the file. There is none where the database is on a
   * server and nobody gave one: enough to read reports, runs and breaks, and nothing that needs a view token.
   */
  readonly key: KeyOrigin;
  readonly limiter: MeteredLimiter;
  readonly log: AppLog;
  readonly terms: RunTerms;
  /** @throws ServiceNotConfiguredError */
  client(limiter?: Limiter): ServiceClient;
  /** Before work that needs view tokens, rather than in its middle. @throws MissingKeyError */
  requireKey(): void;
  /** SHA-256 of all settings as described, secrets masked. */
  configHash(): string;
  /** @throws MissingKeyError, and whatever the job does */
  run(job: Job, options: RunOptions): Promise<JobResult>;
}

/** Opens the database and wires the rest around it; closing the app closes whatever it opened. */
export async function openApp(options: AppOptions): Promise<App> {
  const { settings } = options.loaded;
  const { sealer, key } = sealerOfDatabase(settings.database.url, settings.secretKey, { make: true });
  if (key.made) options.log?.warn('made a key file beside the database; back it up apart from the database');
  const { store, upkeep } = await openStore({ url: settings.database.url, sealer, monotonic: options.clock.monotonic });
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
  const wiring: Wiring = {
    options,
    settings,
    store,
    clock,
    limiter,
    log: options.log ?? SILENT_LOG,
    refusedQuotes: new Set(),
  };
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
    configHash: () => configurationHash(options.loaded),
    requireKey: () => void requireSealer(sealer),
    run: async (job, runOptions) => {
      // A run without a key would be written into the ledger and then stop at its first record.
      requireSealer(sealer);
      return runOne(wiring, terms, job, runOptions);
    },
  };
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
