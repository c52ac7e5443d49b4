/**
 * What the rest of the store asks of a database engine. Engines differ only in the named capabilities below; everything
 * else is the common SQL that Kysely writes. A second engine implements this interface and nothing more.
 */
import type { Compilable, Expression, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely';
import type { Row } from './cells.ts';
import type { Tables } from './schema/tables.ts';

export type TableName = keyof Tables & string;
export type ColumnOf<T extends TableName> = keyof Tables[T] & string;

/** A statement that reads rows as arrays. */
export interface ArrayReader {
  rows(query: Compilable): Promise<readonly Row[]>;
  /**
   * Turns each row into something else as it comes, so that wide rows die young. `read` must not use the database.
   */
  each<T>(query: Compilable, read: (row: Row) => T): Promise<T[]>;
}

export interface WriteTransaction extends ArrayReader {
  readonly db: Transaction<Tables>;
  /** Inserts rows; `skipKnown` leaves rows alone that a unique index has already. */
  insertMany<T extends TableName>(
    table: T,
    columns: readonly ColumnOf<T>[],
    rows: readonly Row[],
    options?: { skipKnown: boolean },
  ): Promise<void>;
  /** Inserts rows and returns their generated keys, in order. */
  insertForKeys<T extends TableName>(
    table: T,
    key: ColumnOf<T>,
    columns: readonly ColumnOf<T>[],
    rows: readonly Row[],
  ): Promise<readonly number[]>;
  /** Sets `columns` of the rows that `keys` name; each row has the cells of `keys` first, then those of `columns`. */
  updateMany<T extends TableName>(
    table: T,
    keys: readonly ColumnOf<T>[],
    columns: readonly ColumnOf<T>[],
    rows: readonly Row[],
  ): Promise<void>;
}

export interface Engine extends ArrayReader {
  readonly name: 'sqlite' | 'postgres';
  /** For messages: a path, or a server without its credentials. */
  readonly location: string;
  readonly db: Kysely<Tables>;
  readonly types: ColumnTypes;
  /**
   * One write transaction. It excludes every other writer from its beginning, in this process and in others, so what it
   * reads stays true until it commits, and keys become visible in rising order. Durable on disk when it resolves.
   * `work` must not use `db` of the engine, only that of the transaction.
   * @throws DatabaseUnavailableError
   */
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * The same for tables that nothing else writes: it excludes only those who write under the same name. An engine with one
   * lock takes that. Keeps the limiter of one address from waiting for a night's plan.
   * @throws DatabaseUnavailableError
   */
  writeAs<T>(name: string, work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /** `column in (…)` with the whole list as one parameter, whatever its length. */
  inList(column: string, values: readonly (string | number)[]): Expression<SqlBool>;
  /** Lets the generated keys of a table go on after the highest one in it, after rows came in with keys of their own. */
  continueKeys(tx: WriteTransaction, table: TableName, key: string): Promise<void>;
  /** Names of all tables, ours or not; none for a database that was just made. */
  tableNames(): Promise<readonly string[]>;
  /** `ok`, or what the engine's integrity check found. */
  integrity(): Promise<string>;
  /** Writes a consistent copy to a new file. @throws BackupExistsError, BackupElsewhereError */
  copyTo(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface ColumnTypes {
  /** A generated integer primary key. */
  key: RawBuilder<unknown>;
  /** The same, never reused and never falling, even after deletions: watermarks depend on it. */
  risingKey: RawBuilder<unknown>;
  /** Text that compares and sorts bytewise: ids and names. */
  id: RawBuilder<unknown>;
  text: RawBuilder<unknown>;
  /** At least 53 bits: instants in milliseconds, keys, days, counts. */
  integer: RawBuilder<unknown>;
  /** Binary floating point: monotonic times of the rate limiter, never money. */
  real: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /** What follows the closing bracket of a table. */
  end: RawBuilder<unknown>;
  /** The same, where the table is to lie in the order of its primary key. */
  clustered: RawBuilder<unknown>;
}
