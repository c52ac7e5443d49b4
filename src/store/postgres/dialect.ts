/** Kysely's PostgreSQL dialect over our own connections, with transactions that begin with a lock. */
import { createHash } from 'node:crypto';
import type { DatabaseConnection, Dialect, Driver, Kysely } from 'kysely';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type pg from 'pg';
import { PostgresConnection } from './connection.ts';
import { translateError } from './translate-error.ts';

/** As long as the embedded store waits: longer than the largest single transaction, planning a night of a million. */
const LOCK_WAIT = '90s';
/**
 * A machine that vanished in the middle of a transaction holds its lock until the server misses it. No transaction of ours
 * pauses for longer than a batch takes to be made.
 */
const IDLE_LIMIT = '60s';

/** Advisory locks are numbers; a name of ours becomes one of 2^64, so a clash with another program is not to be expected. */
function lockNumber(name: string): string {
  return createHash('sha256').update(`tieout ${name}`).digest().readBigInt64BE(0).toString();
}

/**
 * READ COMMITTED, and nothing stronger: each statement then sees what was committed before *it* began, so all that comes
 * after the lock see everything that its earlier holders did. A snapshot for the whole transaction would be taken before
 * the lock was waited for. A server that is set to answer before a commit is on disk is told otherwise.
 */
function beginText(lock: string): string {
  return (
    `begin isolation level read committed read write; set local lock_timeout = '${LOCK_WAIT}'; ` +
    `set local idle_in_transaction_session_timeout = '${IDLE_LIMIT}'; ` +
    `select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') in ('off', 'local'); ` +
    `select pg_advisory_xact_lock(hashtextextended(current_schema(), 0) # ${lockNumber(lock)}::bigint)`
  );
}

/** Excludes every writer of the store but those of bookings, which have locks of their own. */
const WRITERS = 'writers';

/**
 * Pages are read in the order of an index, and a page ends early. Of a run that began since the last ANALYZE the planner
 * knows nothing, takes it for ten rows, and would gather and sort all the rest of it for every page. Without bitmaps it reads
 * the index in its order, which is right whatever it knows. And a page at random is taken to cost little more than the next
 * one, as it does in memory and on every disk of today; at the server's default of four it would rather read millions of
 * records that are done with than find the few that are due. Only hints: a connection without them is slower, not wrong.
 */
const PLANNER_HINT = 'set enable_bitmapscan = off; set random_page_cost = 1.1';

class LockingDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #location: string;
  readonly #hinted = new WeakSet<pg.PoolClient>();

  constructor(pool: pg.Pool, location: string) {
    this.#pool = pool;
    this.#location = location;
  }

  async init(): Promise<void> {
    // The pool connects when it is first asked to.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    let connection: PostgresConnection | null = null;
    try {
      const client = await this.#pool.connect();
      connection = new PostgresConnection(client, this.#location);
      if (!this.#hinted.has(client)) {
        await connection.run(PLANNER_HINT);
        this.#hinted.add(client);
      }
      return connection;
    } catch (error) {
      connection?.release();
      throw translateError(error, this.#location);
    }
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const own = connection as PostgresConnection;
    const lock = own.nextLock ?? WRITERS;
    own.nextLock = null;
    try {
      await own.run(beginText(lock));
    } catch (error) {
      // Begun, but without its lock: Kysely does not roll back what it thinks never began.
      await own.rollback();
      throw error;
    }
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).rollback();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as PostgresConnection).release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

/** Kysely looks for its migration table in all schemas at once; another installation's, beside ours, is not ours. */
class OneSchemaIntrospector extends PostgresIntrospector {
  readonly #schema: string;

  // biome-ignore lint/suspicious/noExplicitAny: Kysely's own signature.
  constructor(db: Kysely<any>, schema: string) {
    super(db);
    this.#schema = schema;
  }

  override async getTables(...options: Parameters<PostgresIntrospector['getTables']>) {
    return (await super.getTables(...options)).filter((table) => table.schema === this.#schema);
  }
}

/** @param schema the one that `search_path` begins with. */
export function postgresDialect(pool: pg.Pool, location: string, schema: string): Dialect {
  return {
    createDriver: () => new LockingDriver(pool, location),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new OneSchemaIntrospector(db, schema),
  };
}
