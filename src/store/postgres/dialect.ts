/** Kysely's PostgreSQL dialect over our own connections, with transactions that begin with a lock. */
import { createHash } from 'node:crypto';
import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type pg from 'pg';
import { type Beginning, PostgresConnection } from './connection.ts';
import { translateError } from './translate-error.ts';

/** As long as SQLite's wait: longer than the largest single transaction, which plans a run of a million records. */
const LOCK_WAIT = '90s';
/**
 * A process that is stopped or cut off in the middle of a transaction holds its lock until this time-out; everything that is
 * computed in a transaction of the store takes milliseconds.
 */
const IDLE_LIMIT = '5s';
/** While a copy reads a whole table of one database, the transaction on the other one is idle. */
const PATIENT_IDLE_LIMIT = '30min';

/** Advisory locks are 64-bit numbers; a hash of the name makes a clash with another program improbable. */
function lockNumber(name: string): string {
  return createHash('sha256').update(`tieout ${name}`).digest().readBigInt64BE(0).toString();
}

/** Each schema has locks of its own. */
function lockKey(lock: string): string {
  return `hashtextextended(current_schema(), 0) # ${lockNumber(lock)}::bigint`;
}

/**
 * READ COMMITTED and nothing stronger: each statement sees the commits from before *it* began, so every statement
 * after the lock sees all commits of the lock's earlier holders. A snapshot for the whole transaction would be taken
 * before the wait for the lock. `synchronous_commit` is turned on where the server has it off.
 */
function beginText({ lock, isShared }: Beginning, idleLimit: string): string {
  return (
    `begin isolation level read committed read write; set local lock_timeout = '${LOCK_WAIT}'; ` +
    `set local idle_in_transaction_session_timeout = '${idleLimit}'; ` +
    `select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') in ('off', 'local'); ` +
    `select pg_advisory_xact_lock${isShared ? '_shared' : ''}(${lockKey(lock)})`
  );
}

/** The lock of every writer except bookings, which have a lock per egress. Saves share it. */
export const WRITERS = 'writers';

/** No healthy writer but the plan of a large run holds the lock this long. */
const BLOCKED_AFTER = '2500 milliseconds';

/** Whether a session has been waiting for the writers' lock for too long. Takes no lock, so it does not wait itself. */
export const BLOCKED_WRITERS = `
  select exists (select 1 from pg_locks where locktype = 'advisory' and not granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = (${lockKey(WRITERS)})
    and waitstart < clock_timestamp() - interval '${BLOCKED_AFTER}') as blocked`;

/**
 * Pages of rows are read in index order with a limit. For a run that began after the last ANALYZE the planner has no
 * statistics, estimates ten rows, and would collect and sort the whole rest of the run for every page. Without bitmap
 * scans it reads the index in order, which is right with any statistics. `random_page_cost` 1.1 suits memory and
 * solid-state disks; with the default of 4 the planner prefers a scan of millions of retired records to an index lookup
 * of the few that are due. These are hints: a connection without them is slower, not wrong.
 */
export const PLANNER_HINT = 'set enable_bitmapscan = off; set random_page_cost = 1.1';

/**
 * A statement that this process no longer waits for must not go on in the server: it ends when the wait ends, and where the
 * process has died or was interrupted, within two seconds of it.
 */
function sessionText(answerMs: number): string {
  return `${PLANNER_HINT}; set statement_timeout = ${answerMs}; set client_connection_check_interval = '2s'`;
}

/** How long this process waits for the server. */
interface Waits {
  /** For the answer to one statement. */
  answerMs: number;
  isPatient: boolean;
}

export function postgresDialect(pool: pg.Pool, location: string, waits: Waits): Dialect {
  const hinted = new WeakSet<pg.PoolClient>();
  const own = (connection: DatabaseConnection) => connection as PostgresConnection;
  const driver: Driver = {
    // The pool connects on first use.
    init: async () => undefined,
    acquireConnection: async () => {
      let connection: PostgresConnection | null = null;
      try {
        const client = await pool.connect();
        connection = new PostgresConnection(client, location);
        if (!hinted.has(client)) {
          await connection.run(sessionText(waits.answerMs));
          hinted.add(client);
        }
        return connection;
      } catch (error) {
        connection?.release();
        throw translateError(error, location);
      }
    },
    beginTransaction: async (connection) => {
      const beginning = own(connection).next ?? { lock: WRITERS, isShared: false };
      own(connection).next = null;
      // Its failure is that of the first statement, or of the commit: Kysely then rolls back.
      own(connection).begin(beginText(beginning, waits.isPatient ? PATIENT_IDLE_LIMIT : IDLE_LIMIT));
    },
    commitTransaction: (connection) => own(connection).commit(),
    rollbackTransaction: (connection) => own(connection).rollback(),
    releaseConnection: async (connection) => own(connection).release(),
    destroy: () => pool.end(),
  };
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}
