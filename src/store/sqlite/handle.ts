/** One better-sqlite3 connection with its statements prepared once, with the interface that Kysely expects. */

import { type Stats, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import { DatabaseUnavailableError, type UnavailableReason } from '../../ports/store/errors.ts';
import type { Row } from '../cells.ts';
import { hasWords } from './words.ts';

/** Bound of the statement cache: more than the number of distinct statements in the store. */
const MAX_STATEMENTS = 400;
/**
 * Milliseconds that SQLite itself waits for a lock. It blocks the process, so longer waits are made of several of
 * these.
 */
const LOCK_WAIT_MS = 1_000;

/** Keeps the inner pages of a million records in memory, not the rows; measurements with more showed no gain. */
const CACHE_KIB = 16_384;

type Prepared = Database.Statement<unknown[], unknown>;

export class SqliteHandle implements SqliteDatabase {
  readonly location: string;
  readonly #db: Database.Database;
  readonly #file: Stats | null;
  readonly #statements = new Map<string, Prepared>();
  readonly #arrayStatements = new Map<string, Prepared>();

  /** @param cacheKib of the page cache. @throws DatabaseUnavailableError */
  constructor(file: string, cacheKib = CACHE_KIB) {
    this.location = file;
    this.#db = this.#guard(() => new Database(file, { timeout: LOCK_WAIT_MS }));
    this.#file = file === ':memory:' ? null : (statSync(file, { throwIfNoEntry: false }) ?? null);
    try {
      this.#configure(file === ':memory:', cacheKib);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  #configure(inMemory: boolean, cacheKib: number): void {
    // WAL: readers and one writer at a time. better-sqlite3 builds SQLite with synchronous=NORMAL for WAL, which can
    // lose the last commits at a power cut: bookings and webhooks must not be lost, so FULL.
    if (!inMemory) {
      this.#refuseForeign();
      this.pragma('journal_mode = wal');
    }
    this.pragma('synchronous = full');
    this.pragma('foreign_keys = on');
    this.pragma(`cache_size = -${cacheKib}`);
    // 64 MiB of log between checkpoints, as much as the file keeps: hashes are spread over all pages of their indexes, so that
    // each batch of a night touches many pages of the batch before, and a checkpoint writes each of them once.
    this.pragma('wal_autocheckpoint = 16000');
    // The log shrinks again after one huge transaction.
    this.pragma('journal_size_limit = 67108864');
    this.pragma('trusted_schema = off');
    this.#db.function('has_words', { deterministic: true, directOnly: true }, hasWords);
  }

  /** Runs before the switch to WAL, which would change another program's file permanently. */
  #refuseForeign(): void {
    const tables = this.arrays(`select name from sqlite_schema where type = 'table'`, []).map((row) => row[0]);
    if (tables.length > 0 && !tables.includes('kysely_migration'))
      throw new DatabaseUnavailableError(this.location, 'foreign');
  }

  /** For Kysely. Statements are shared by text; every read runs to its end. */
  prepare(sql: string): SqliteStatement {
    const statement = this.#prepared(this.#statements, sql, false);
    return {
      reader: statement.reader,
      all: (parameters) => this.#guard(() => statement.all(parameters)),
      run: (parameters) => this.#guard(() => statement.run(parameters)),
      iterate: (parameters) => statement.all(parameters).values(),
    };
  }

  arrays(sql: string, parameters: readonly unknown[]): readonly Row[] {
    const statement = this.#prepared(this.#arrayStatements, sql, true);
    return this.#guard(() => statement.all(parameters)) as Row[];
  }

  /** `read` gets each row before the next one is fetched. */
  eachArray<T>(sql: string, parameters: readonly unknown[], read: (row: Row) => T): T[] {
    const statement = this.#prepared(this.#arrayStatements, sql, true);
    const results: T[] = [];
    this.#guard(() => {
      for (const row of statement.iterate(parameters)) results.push(read(row as Row));
    });
    return results;
  }

  /** Runs one statement for each row and returns the row ids it left. */
  runEach(sql: string, rows: readonly Row[]): number[] {
    const statement = this.#prepared(this.#statements, sql, false);
    return this.#guard(() => rows.map((row) => Number(statement.run(row).lastInsertRowid)));
  }

  pragma(text: string): unknown {
    return this.#guard(() => this.#db.pragma(text, { simple: true }));
  }

  /** Lets `edit` change the definitions of tables as text; they are read again, and protected again, after it. */
  async withWritableSchema(edit: () => Promise<void>): Promise<void> {
    this.#db.unsafeMode(true);
    this.pragma('writable_schema = on');
    try {
      await edit();
    } finally {
      this.pragma('writable_schema = reset');
      this.#db.unsafeMode(false);
    }
  }

  /** @throws DatabaseUnavailableError where the path no longer leads to the file that was opened. */
  requireInPlace(): void {
    if (this.#file === null) return;
    const now = statSync(this.location, { throwIfNoEntry: false });
    if (now?.ino === this.#file.ino && now.dev === this.#file.dev) return;
    throw new DatabaseUnavailableError(this.location, 'replaced');
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  close(): void {
    if (this.#db.open) this.#db.close();
  }

  #prepared(cache: Map<string, Prepared>, sql: string, asArrays: boolean): Prepared {
    const known = cache.get(sql);
    if (known !== undefined) return known;
    const statement = this.#guard(() => this.#db.prepare<unknown[]>(sql));
    if (asArrays) statement.raw(true);
    if (cache.size >= MAX_STATEMENTS) cache.clear();
    cache.set(sql, statement);
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translateError(error, this.location);
    }
  }
}

/**
 * Attempts to take the write lock. Each blocks for at most the handle's lock wait, then yields to the event loop;
 * together they last longer than the largest single transaction, which plans a run of a million records.
 */
const LOCK_ATTEMPTS = 90;
const PAUSE_MS = 15;

/**
 * A deferred transaction that reads before it writes fails when another process wrote in between, and no waiting helps.
 * Begun immediately, it either has the lock for good or waits for it.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #handle: SqliteHandle;

  constructor(handle: SqliteHandle) {
    super({ database: handle });
    this.#handle = handle;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'));
        return;
      } catch (error) {
        const busy = error instanceof DatabaseUnavailableError && error.reason === 'busy';
        if (!busy || attempt >= LOCK_ATTEMPTS) throw error;
        await pause(PAUSE_MS);
      }
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back by itself when the disk is full; a second rollback would fail and hide that cause.
    if (this.#handle.inTransaction) await super.rollbackTransaction(connection);
  }
}

export function sqliteDialect(handle: SqliteHandle): Dialect {
  return Object.assign(new SqliteDialect({ database: handle }), { createDriver: () => new ImmediateDriver(handle) });
}

/** By the beginning of SQLite's result code, so that extended codes (SQLITE_IOERR_FSYNC) are covered. */
const REASONS: readonly (readonly [string, UnavailableReason])[] = [
  ['SQLITE_CANTOPEN', 'cannot-open'],
  ['SQLITE_PERM', 'cannot-open'],
  ['SQLITE_AUTH', 'cannot-open'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_NOTADB', 'not-a-database'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_FULL', 'full'],
  // The shared-memory file could not be enlarged, which is the first failure on a full disk.
  ['SQLITE_IOERR_SHMSIZE', 'full'],
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_IOERR', 'io'],
  ['SQLITE_PROTOCOL', 'io'],
];

/** Errors of the program (a violated constraint, a wrong statement) are returned as they are. */
export function translateError(error: unknown, location: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const reason = REASONS.find(([code]) => error.code.startsWith(code))?.[1];
  return reason === undefined ? error : new DatabaseUnavailableError(location, reason, error);
}
