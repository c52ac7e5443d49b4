/** Kysely's SQLite dialect with transactions that take the write lock at once, waiting for it without blocking. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';
import { DatabaseUnavailableError } from '../../ports/store/errors.ts';
import type { SqliteHandle } from './handle.ts';

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

class TransactionalAdapter extends SqliteAdapter {
  /** SQLite's DDL is transactional, though Kysely assumes otherwise: migrations apply all or none. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export function sqliteDialect(handle: SqliteHandle): Dialect {
  const plain = new SqliteDialect({ database: handle });
  return {
    createDriver: (): Driver => new ImmediateDriver(handle),
    createQueryCompiler: () => plain.createQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => plain.createIntrospector(db),
  };
}
