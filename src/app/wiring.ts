/** What the parts of the application share, and the edges that more than one of them opens. */
import { hostname } from 'node:os';
import type { LoadedSettings } from '../../config/load.ts';
import { maskUrl } from '../../config/mask.ts';
import type { Settings } from '../../config/settings.ts';
import type { CaptureEdges } from '../capture/capture-on-created.ts';
import type { DeliveryTerms } from '../domain/delivery.ts';
import { UsageError } from '../domain/errors.ts';
import type { Log } from '../ports/log.ts';
import type { LimiterState, RateLimit } from '../ports/pacing.ts';
import type { Pruned, Store, Upkeep } from '../ports/store/store.ts';
import type { SystemClock } from '../runner/clock.ts';
import { holderOf, isDeadHolder, processSpaceOf } from '../runner/holder.ts';
import type { Releasers } from '../runner/releasers.ts';
import type { JobOptions } from '../runner/run-job.ts';
import type { MeteredLimiter } from '../service/pacing/metered.ts';
import type { ServerTime } from '../service/server-time.ts';

export interface AppOptions {
  loaded: LoadedSettings;
  clock: SystemClock;
  /** Everything that is opened is pushed here. */
  releasers: Releasers;
  /** In [0, 1): spreads retries. */
  random: () => number;
  /** Aborts on SIGTERM and SIGINT. */
  signal: AbortSignal;
  /** Opens the database with the page cache of a judging thread. */
  judgesOnly?: boolean | undefined;
  /** False for a command that stores nothing where nothing is: without a database file it has an empty database, and leaves none. */
  mayMake?: boolean | undefined;
  /** Receives how many records of a run were observed so far. */
  onProgress?: ((observed: number, population: number) => void) | undefined;
  log?: Log | undefined;
}

/** Thrown where a command needs the Service and no address is configured. Exit code 2. */
export class ServiceNotConfiguredError extends UsageError {
  constructor() {
    super('No Service is configured', {
      remedy: 'set service.url in the settings file, or TIEOUT_SERVICE_URL, to the base that ends in /api',
    });
  }
}

/** Limits of one run, beside what its job is to do. */
export interface RunOptions extends JobOptions {
  /** Null: no end. */
  maxDurationMs: number | null;
  /** Null: no bound. */
  maxRequests: number | null;
  /** Take over the out folder of another database. */
  adopt?: boolean;
}

/** Of a job that does all that there is to do. */
export const WHOLE_JOB: RunOptions = {
  businessDate: null,
  selection: null,
  resume: false,
  maxDurationMs: null,
  maxRequests: null,
};

/** What the parts of the application share. */
export interface Wiring {
  options: AppOptions;
  settings: Settings;
  store: Store;
  upkeep: Upkeep;
  clock: SystemClock;
  limiter: MeteredLimiter;
  /** In [0, 1): spreads retries. */
  random: () => number;
  log: Log;
  serverTime: ServerTime;
  /** What this process has read and found of new records; they are not looked for again. */
  creations: CaptureEdges['creations'];
}

export function limitsOf(settings: Settings): readonly RateLimit[] {
  return settings.service.rateLimits === 'off' ? [] : settings.service.rateLimits;
}

/** This process as the holder of leases and of unfinished publications, and whether another holder is certainly gone. */
export function ownHolder(): { holder: string; isDead: (holder: string) => boolean } {
  const space = processSpaceOf(hostname());
  return { holder: holderOf(space, process.pid), isDead: (other) => isDeadHolder(space, other) };
}

/** Where the sets of a night go, and what a message calls this database: `database.url` without a password. */
export function outFolderOf({ settings, store }: Pick<Wiring, 'settings' | 'store'>) {
  const { out, database } = settings;
  const { holder } = ownHolder();
  return { out, database: maskUrl(database.url), suffix: holder, publications: store.publications };
}

/**
 * The name that processes behind one address share. Without a setting it is one for the database: containers of one address
 * have host names of their own, and each would spend the allowance again.
 */
export function egressOf(settings: Settings): string {
  return settings.service.egress ?? 'default';
}

/** Says which other names booked within a day; null where there are none. */
export function otherEgressesSay({ otherEgresses }: LimiterState): string | null {
  if (otherEgresses.length === 0) return null;
  return (
    `other names booked requests within a day: ${otherEgresses.join(', ')}; each name has an allowance of its own, so each must ` +
    'stand for another address (service.egress)'
  );
}

/** Applies the retention of the settings to the database. @param dryRun counts, and deletes nothing. */
export function pruneNow(
  { settings, clock, upkeep }: Pick<Wiring, 'settings' | 'clock' | 'upkeep'>,
  dryRun: boolean,
): Promise<Pruned> {
  const { snapshots, events } = settings.retention;
  const now = clock.wall.now();
  const before = {
    snapshots: snapshots === null ? null : now - snapshots,
    events: events === null ? null : now - events,
  };
  return upkeep.prune(before, dryRun);
}

/** The settings of deliveries. Null without chains: then nothing is asked, and the rules on deliveries do not apply. */
export function deliveryTermsOf({ evidence }: Settings): DeliveryTerms | null {
  if (evidence.chains.length === 0) return null;
  return {
    chains: evidence.chains.map(({ chain }) => chain),
    within: Object.fromEntries([...evidence.deliveredWithin].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
