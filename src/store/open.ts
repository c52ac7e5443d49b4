/** The way into the store. */
import { bookingLog } from './bookings.ts';
import { breakStore } from './breaks.ts';
import type { Store, Upkeep } from './contract.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { deliveryStore } from './deliveries.ts';
import type { Engine } from './engine.ts';
import { itemStore } from './items.ts';
import { leaseStore } from './leases.ts';
import { migrate, requireCurrentSchema, schemaState } from './migrate.ts';
import { quoteStore } from './quotes.ts';
import { referenceStore } from './reference.ts';
import { runStore } from './runs.ts';
import { requireKeysInUse } from './sealer-use.ts';
import type { Sealer } from './sealing.ts';
import { openSqliteEngine } from './sqlite/engine.ts';
import { trackedStore } from './tracked.ts';
import { upkeepOf } from './upkeep.ts';

export interface OpenOptions {
  /** `sqlite:PATH` or `sqlite::memory:`. */
  url: string;
  /** Null where no token is needed (reports, lists): what needs one throws MissingKeyError. */
  sealer: Sealer | null;
}

function storeOf(engine: Engine, sealer: Sealer | null): Store {
  return {
    engine: engine.name,
    tracked: trackedStore(engine, sealer),
    quotes: quoteStore(engine),
    reference: referenceStore(engine),
    runs: runStore(engine),
    items: itemStore(engine, sealer),
    deliveries: deliveryStore(engine, sealer),
    breaks: breakStore(engine),
    bookings: bookingLog(engine),
    leases: leaseStore(engine),
    close: () => engine.close(),
  };
}

/**
 * Opens a database whose schema is up to date. One that is missing or empty is made: private (0600, its folder 0700), with
 * the whole schema. An older one is not changed behind its owner's back.
 * @throws DatabaseUrlError, DatabaseUnavailableError, SchemaOutdatedError, SchemaNewerError, WrongKeyError
 */
export async function openStore(options: OpenOptions): Promise<{ store: Store; upkeep: Upkeep }> {
  const { sealer } = options;
  const engine = await openSqliteEngine(parseDatabaseUrl(options.url).file, { create: true });
  try {
    if ((await schemaState(engine)).applied.length === 0) await migrate(engine);
    await requireCurrentSchema(engine);
    if (sealer !== null) await requireKeysInUse(engine, sealer);
    return { store: storeOf(engine, sealer), upkeep: upkeepOf(engine, sealer) };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Opens a database of any age for `tieout db …`; a missing one is made only where `create` says so (`db migrate`).
 * @throws DatabaseUrlError, DatabaseUnavailableError
 */
export async function openUpkeep(options: OpenOptions & { create: boolean }): Promise<Upkeep> {
  const engine = await openSqliteEngine(parseDatabaseUrl(options.url).file, { create: options.create });
  return upkeepOf(engine, options.sealer);
}
