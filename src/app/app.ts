/**
 * Turns settings into a wired application. Everything that is opened here is closed by the caller's releasers; clients and
 * queues are opened when they are needed.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import stringify from 'fast-json-stable-stringify';
import type { LoadedSettings } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import type { Job, JobResult } from '../ports/job.ts';
import type { Log } from '../ports/log.ts';
import type { CircuitChange } from '../ports/pacing.ts';
import { WrongClockError } from '../ports/service-errors.ts';
import { freezeTerms, type RunTerms, termsHash } from '../rules/terms.ts';
import { type RunLedger, runJob } from '../runner/run-job.ts';
import { createLimiter } from '../service/pacing/limiter.ts';
import { meterLimiter } from '../service/pacing/metered.ts';
import { inWords, ServerTime } from '../service/server-time.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import { JUDGING_CACHE_KIB, openStore } from '../store/open.ts';
import { requireSealer } from '../store/sealing.ts';
import { type KeyOrigin, sealerOfDatabase } from '../store/sealing-key.ts';
import { loadPriceList } from './prices.ts';
import { codeVersion } from './version.ts';
import {
  type AppOptions,
  deliveryTermsOf,
  egressOf,
  limitsOf,
  otherEgressesSay,
  outFolderOf,
  ownHolder,
  type RunOptions,
  ServiceNotConfiguredError,
  type Wiring,
} from './wiring.ts';

const MINUTE = 60_000;

const SILENT_LOG: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface App extends Omit<Wiring, 'options' | 'creations'> {
  /**
   * Where the sealing key is; `made` where this process has just made the file. A database on a server may have none: then
   * reports, runs and breaks can be read, and everything that needs a view token throws MissingKeyError.
   */
  readonly key: KeyOrigin;
  readonly terms: RunTerms;
  /** Ids of the keys of the sealed values in the database. */
  sealedWith: readonly string[];
  /** Calls back where the Service begins to refuse this address, and where it serves it again. */
  onCircuit(listener: (change: CircuitChange) => void): void;
  /** To be called before work that needs view tokens. @throws MissingKeyError */
  requireKey(): void;
  /** SHA-256 of all settings as described, secrets masked. */
  configHash(): string;
  /**
   * Runs a job under its lock.
   * @throws MissingKeyError, ServiceNotConfiguredError, UnavailableError, LockHeldError, NothingToResumeError,
   * DateFinishedError, and what the job throws
   */
  run(job: Job, options: RunOptions): Promise<JobResult>;
}

/** For work on stored data: it sends no request and needs no key. */
export type AppData = Pick<App, 'settings' | 'store' | 'clock'>;

function databaseFor({ loaded, mayMake = true, log }: AppOptions): string {
  const { url } = loaded.settings.database;
  const address = parseDatabaseUrl(url);
  if (mayMake || address.engine !== 'sqlite' || existsSync(address.file)) return url;
  log?.warn(`there is no database at ${address.file} yet`);
  return 'sqlite::memory:';
}

/** Opens the database and wires the rest around it. @throws DatabaseUnavailableError */
export async function openApp(options: AppOptions): Promise<App> {
  const { settings } = options.loaded;
  const url = databaseFor(options);
  const mayMakeKey = options.judgesOnly !== true && url === settings.database.url;
  let { sealer, key } = sealerOfDatabase(url, settings.secretKey, { make: false });
  const { store, upkeep, sealedWith } = await openStore({
    url,
    sealer,
    makeSealer: () => {
      ({ sealer, key } = sealerOfDatabase(url, settings.secretKey, { make: mayMakeKey }));
      if (key.made) options.log?.warn('made a key file beside the database; back it up apart from the database');
      return sealer;
    },
    monotonic: options.clock.monotonic,
    cacheKib: options.judgesOnly ? JUDGING_CACHE_KIB : undefined,
    warn: (problem) => options.log?.warn(problem),
  });
  options.releasers.push('database', () => store.close());
  const { clock } = options;
  const circuitListeners = new Set<(change: CircuitChange) => void>();
  // Counts all requests of this process.
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
      onCircuit: (change) => {
        logCircuit(options.log ?? SILENT_LOG, egressOf(settings), change);
        for (const listener of circuitListeners) listener(change);
      },
    }),
    null,
  );
  const wiring: Wiring = {
    options,
    settings,
    store,
    upkeep,
    clock,
    limiter,
    random: options.random,
    log: options.log ?? SILENT_LOG,
    serverTime: new ServerTime(() => clock.wall.now()),
    creations: new Map(),
  };
  const terms = termsOf(settings);
  const { options: _options, creations: _creations, ...shared } = wiring;
  return {
    ...shared,
    key,
    sealedWith,
    onCircuit: (listener) => void circuitListeners.add(listener),
    terms,
    configHash: () => configurationHash(options.loaded),
    requireKey: () => void requireSealer(sealer, sealedWith),
    run: async (job, runOptions) => {
      // Both checked before a run is written into the ledger that could not fetch a single record.
      if (settings.service.url === null) throw new ServiceNotConfiguredError();
      requireSealer(sealer, sealedWith);
      await requireLedgerClock(wiring);
      // Loaded by commands that run a job: with them come the clients of the Service and of chains, and the publication.
      const [outFolder, { jobEdges }] = await Promise.all([import('./out-folder.ts'), import('./job-edges.ts')]);
      if (job.withoutOut !== true) await ownFolder(wiring, outFolder, runOptions.adopt === true);
      await tellOtherEgresses(wiring);
      const ledger = ledgerOf(wiring, terms, (run) => outFolder.placedSet(settings.out, run));
      const result = await runJob(job, runOptions, ledger, (held) => jobEdges(wiring, terms, runOptions, held));
      return delivered(wiring, result);
    },
  };
}

/** After the lease is released: a slow target keeps no other run waiting. */
async function delivered(wiring: Wiring, result: JobResult): Promise<JobResult> {
  if (result.outcome !== 'reconciled' || result.folder === '' || wiring.settings.deliver.length === 0) return result;
  const { deliverSet } = await import('./deliver.ts');
  const deliveries = await deliverSet(wiring, result.folder);
  const notDelivered = deliveries.flatMap(({ target, problem }) => (problem === null ? [] : [`${target}: ${problem}`]));
  return notDelivered.length === 0 ? result : { ...result, notDelivered };
}

/** A warning where the name is the default one, as two names are then a mistake. */
async function tellOtherEgresses({ limiter, log, settings }: Wiring): Promise<void> {
  const others = otherEgressesSay(await limiter.state());
  if (others === null) return;
  if (settings.service.egress === null && !settings.workers.enabled) log.warn(others);
  else log.info({ egress: egressOf(settings) }, others);
}

const CIRCUIT_WORDS = {
  opened: 'circuit opened',
  waiting: 'waiting for the allowance',
  closed: 'circuit closed',
} as const;

function logCircuit(log: Log, egress: string, { type, until, trips, reason }: CircuitChange): void {
  const pause = until === null ? '' : ` until ${new Date(until).toISOString()}`;
  if (type === 'opened') log.warn(`${CIRCUIT_WORDS[type]}${pause} (${egress}, ${trips} in a row): ${reason}`);
  else log.info({ egress, reason }, `${CIRCUIT_WORDS[type]}${pause}`);
}

/** @throws WrongClockError where the ledger has a run of a later day. */
async function requireLedgerClock({ store, clock, log }: Wiring): Promise<void> {
  const newest = await store.runs.newestInstant();
  const behind = newest === null ? 0 : newest.at - clock.wall.now();
  if (newest === null || behind <= MINUTE * 5) return;
  const what = `the clock of this machine is ${inWords(-behind)} the end of ${newest.runId}`;
  if (behind <= MINUTE * 60 * 24) return log.warn(what);
  throw new WrongClockError(
    `${what}, so nothing was written`,
    'set the clock; where the clock is right now and was wrong then, run `tieout db heal-clock`',
  );
}

/** @throws UnavailableError where another database publishes to the out folder, and it is not to be adopted. */
async function ownFolder(
  { settings, store, log }: Wiring,
  { adoptFolder, requireOwnFolder }: typeof import('./out-folder.ts'),
  adopt: boolean,
): Promise<void> {
  const folder = outFolderOf({ settings, store });
  if (!adopt) return requireOwnFolder(folder);
  const adopted = await adoptFolder(folder);
  log.warn(`adopted ${settings.out} with ${adopted.length} published sets`);
}

/** What decides verdicts, as configured now. @throws PriceListError */
export function termsOf(settings: Settings): RunTerms {
  return {
    timezone: settings.timezone,
    statuses: settings.statuses,
    tolerances: settings.tolerances,
    rules: settings.rules,
    binding: { price: settings.quotes.price, networkFee: settings.quotes.networkFee },
    window: { before: settings.quotes.matchWindow, after: settings.quotes.matchWindowAfter },
    identifierName: settings.service.identifierName,
    feeCeilings: settings.feeCeilings,
    renamedAssets: settings.renamedAssets,
    deliveries: deliveryTermsOf(settings),
    prices: settings.prices.list === null ? null : loadPriceList(settings.prices.list),
  };
}

function ledgerOf(
  { options, settings, store, clock }: Wiring,
  terms: RunTerms,
  placed: RunLedger['placed'],
): RunLedger {
  const frozen = freezeTerms(terms);
  return {
    leases: store.leases,
    runs: store.runs,
    frame: {
      timezone: settings.timezone,
      terms: frozen,
      rulesHash: termsHash(frozen),
      configHash: configurationHash(options.loaded),
      codeVersion: codeVersion(),
    },
    now: () => clock.wall.now(),
    ...ownHolder(),
    leaseMs: settings.database.lease.ttl,
    placed,
  };
}

/** SHA-256 of all settings as described, secrets masked. */
function configurationHash(loaded: LoadedSettings): string {
  const settings = loaded.describe().map(({ path, value }) => [path, value]);
  return createHash('sha256').update(stringify(settings)).digest('hex');
}
