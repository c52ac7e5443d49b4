/** The way into the store. */

import { UsageError } from '../domain/errors.ts';
import type { BookingLog, MonotonicClock } from '../ports/pacing.ts';
import type { Store, Upkeep } from '../ports/store/store.ts';
import { accessStore } from './access.ts';
import type { Warn } from './bodies.ts';
import { bookingLog } from './bookings.ts';
import { breakStore } from './breaks.ts';
import { claimStore } from './claims.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { webhookStore } from './deliveries.ts';
import type { Engine } from './engine.ts';
import { evidenceStore, moveStore } from './evidence.ts';
import { historyStore } from './history.ts';
import { itemStore } from './items.ts';
import { leaseStore } from './leases.ts';
import { periodStore } from './periods.ts';
import { publicationStore } from './publications.ts';
import { quoteStore } from './quotes.ts';
import { referenceStore } from './reference.ts';
import { runStore } from './runs.ts';
import { migrate, requireCurrentSchema, schemaState } from './schema/upgrade.ts';
import type { Sealer } from './sealing.ts';
import { requireKeysInUse, sealingKeysInUse } from './sealing-key.ts';
import { trackedStore } from './tracked.ts';
import { upkeepOf } from './upkeep.ts';
import { workListStore } from './work-list/store.ts';

/** For connections that only judge: the inner pages of a million records fit. */
export const JUDGING_CACHE_KIB = 4096;

interface OpenOptions {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. */
  url: string;
  /** Null for commands that need no token (reports, lists); methods that need one then throw MissingKeyError. */
  sealer: Sealer | null;
  /** Makes a key where none is given. Only asked where no value is sealed yet: a new key would unseal nothing. */
  makeSealer?: () => Sealer | null;
  /**
   * The monotonic clock of the limiter. Given for a database on a server, which several machines may share: the log of
   * bookings is then kept in the server's time and converted.
   */
  monotonic?: MonotonicClock;
  /** Size of SQLite's page cache. */
  cacheKib?: number | undefined;
  /** Takes a message about rows that were changed outside Tieout and were read again from their bodies. */
  warn?: Warn;
}

interface OpenedStore {
  store: Store;
  upkeep: Upkeep;
  sealedWith: readonly string[];
}

async function bookingsOf(engine: Engine, clock: MonotonicClock | undefined): Promise<BookingLog> {
  if (engine.clock === null || clock === undefined) return bookingLog(engine);
  return (await import('./shared-bookings.ts')).sharedBookingLog(engine, engine.clock, clock);
}

function storeOf(engine: Engine, warn: Warn, bookings: BookingLog): Store {
  return {
    engine: engine.name,
    tracked: trackedStore(engine),
    quotes: quoteStore(engine),
    reference: referenceStore(engine),
    runs: runStore(engine),
    items: itemStore(engine, warn),
    history: historyStore(engine),
    deliveries: webhookStore(engine, warn),
    breaks: breakStore(engine),
    workList: workListStore(engine),
    claims: claimStore(engine),
    access: accessStore(engine),
    evidence: evidenceStore(engine),
    moves: moveStore(engine),
    periods: periodStore(engine),
    bookings,
    leases: leaseStore(engine),
    publications: publicationStore(engine),
    isBlocked: () => engine.isBlocked(),
    close: () => engine.close(),
  };
}

/**
 * The engine that an address names; only its own driver is loaded. A missing file is made where `create` is true; a
 * database on a server must exist.
 * @throws DatabaseUrlError, DatabaseUnavailableError
 */
export async function openEngine(
  url: string,
  options: { create: boolean; patient?: boolean; cacheKib?: number | undefined },
): Promise<Engine> {
  const address = parseDatabaseUrl(url);
  switch (address.engine) {
    case 'sqlite':
      return (await import('./sqlite/engine.ts')).openSqliteEngine(address.file, options);
    case 'postgres':
      return (await import('./postgres/engine.ts')).openPostgresEngine(address, options);
  }
}

/**
 * Opens a database whose schema is up to date. A missing or empty one gets the whole schema; a new file is private
 * (0600, its folder 0700). An older schema is an error: only `tieout db migrate` changes it.
 * @returns `sealedWith`: ids of the keys of its sealed values.
 * @throws DatabaseUrlError, DatabaseUnavailableError, SchemaOutdatedError, SchemaNewerError, WrongKeyError
 */
export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const engine = await openEngine(options.url, { create: true, cacheKib: options.cacheKib });
  try {
    return await storeOn(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** The same over an engine that is open. @throws SchemaOutdatedError, SchemaNewerError, WrongKeyError; UsageError as `makeSealer` */
export async function storeOn(engine: Engine, options: OpenOptions): Promise<OpenedStore> {
  if ((await schemaState(engine)).applied.length === 0) await migrate(engine);
  await requireCurrentSchema(engine);
  const sealedWith = await sealingKeysInUse(engine);
  const sealer = options.sealer ?? makeSealer(options, sealedWith);
  if (sealer !== null) await requireKeysInUse(engine, sealer);
  engine.sealer = sealer;
  const bookings = await bookingsOf(engine, options.monotonic);
  return {
    store: storeOf(engine, options.warn ?? (() => undefined), bookings),
    upkeep: upkeepOf(engine),
    sealedWith,
  };
}

/**
 * The key file of a SQLite file may be gone, and values be sealed with its key. No other key is made then: it could unseal none of them.
 * @throws UsageError
 */
function makeSealer({ url, makeSealer: make }: OpenOptions, sealedWith: readonly string[]): Sealer | null {
  if (make === undefined || sealedWith.length === 0) return make?.() ?? null;
  const { keyFile } = parseDatabaseUrl(url);
  if (keyFile === null) return null;
  const ids = sealedWith.join(', ');
  throw new UsageError(`the key file ${keyFile} is missing, and view tokens are sealed with its key ${ids}`, {
    remedy:
      `restore ${keyFile} from its backup, or set TIEOUT_SECRET_KEY to the key with id ${ids}; no new key is ` +
      'made, because it could not open what is sealed',
  });
}

/**
 * Opens a database with any schema version for `tieout db …`; makes a missing one only where `create` is true (`db
 * migrate`).
 * @throws DatabaseUrlError, DatabaseUnavailableError
 */
export async function openUpkeep(options: OpenOptions & { create: boolean }): Promise<Upkeep> {
  const engine = await openEngine(options.url, { create: options.create, patient: true });
  engine.sealer = options.sealer;
  return upkeepOf(engine);
}
