/**
 * The capabilities in which database engines differ; everything else is common SQL, written with Kysely. A further
 * engine implements this interface and nothing else.
 */
import type { Compilable, Expression, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely';
import type { Row } from './cells.ts';
import type { ColumnTypes } from './column-types.ts';
import type { TableName, Tables } from './schema/tables.ts';
import type { Sealer } from './sealing.ts';

/** An engine or a transaction. */
export interface Reader {
  /** Reads rows as arrays. */
  rows(query: Compilable): Promise<readonly Row[]>;
  readonly db: Kysely<Tables>;
  /** Null where no key was given: rows then get no seal. */
  readonly sealer: Sealer | null;
  /** Maps each row as it is read, so that wide rows are collected early. `read` must not use the database. */
  each<T>(query: Compilable, read: (row: Row) => T): Promise<T[]>;
  /** `column in (…)` with the list, of any length, as one parameter. */
  inList(column: string, values: readonly (string | number)[]): Expression<SqlBool>;
}

/** Rows come in as arrays, in the order of `columns`; `write-rows.ts` makes them of rows with names. */
export interface WriteTransaction extends Reader {
  readonly db: Transaction<Tables>;
  /** Inserts rows; with `skipKnown`, rows that a unique index has already are skipped. */
  insertMany(
    table: string,
    columns: readonly string[],
    rows: readonly Row[],
    options?: { skipKnown: boolean },
  ): Promise<void>;
  /** Inserts rows and returns their generated keys, in order. */
  insertForKeys(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly Row[],
  ): Promise<readonly number[]>;
  /** Keys for rows to be inserted with them, rising; keys that are not used are never given again. */
  reserveKeys(table: string, key: string, count: number): Promise<readonly number[]>;
  /**
   * Locks rows against other transactions under `writeShared`, in the order of the keys, so that no two of them wait
   * for each other. Later reads see the commits of the earlier transaction.
   */
  lockRows(table: string, key: string, keys: readonly number[] | readonly string[]): Promise<void>;
  /** A statement that changes rows. */
  run(statement: Compilable): Promise<void>;
  /** For statements whose results are not needed: the commit is sent right behind them, and fails where one of them fails. */
  send(statements: readonly Promise<unknown>[]): void;
  /** Sets `columns` of the rows that `keys` name; each row has the cells of `keys` first, then those of `columns`. */
  updateMany(table: string, keys: readonly string[], columns: readonly string[], rows: readonly Row[]): Promise<void>;
}

export interface Engine extends Reader {
  /** Given once it is known with which keys the values of the database are sealed. */
  sealer: Sealer | null;
  readonly name: 'sqlite' | 'postgres';
  /** For messages: a path, or a server without its credentials. */
  readonly location: string;
  readonly types: ColumnTypes;
  readonly words: WordIndex;
  /**
   * Rows in any order. PostgreSQL may collect them by bitmap, the only way to read the index of words, which statements that read
   * in an order must not.
   */
  unordered(query: Compilable): Promise<readonly Row[]>;
  /**
   * One write transaction. It takes the write lock at its beginning, against this and all other processes, so its reads
   * stay valid until it commits and keys become visible in rising order. Durable on disk when it resolves. `work` must
   * not use `db` of the engine, only that of the transaction.
   * @throws DatabaseUnavailableError
   */
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * The same beside other transactions of this kind: it excludes all other writers, and they exclude it, but two of
   * these may run at once. Only for saves (docs/decisions/0024-saves-side-by-side.md): they lock the rows that they
   * share with `lockRows`, and their keys become visible in any order.
   * @throws DatabaseUnavailableError
   */
  writeShared<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * The same with the lock `name` instead of the common write lock, for tables that only writers under this name write.
   * An engine with a single lock takes that one. So the rate limiter does not wait while a run is planned.
   * @throws DatabaseUnavailableError
   */
  writeAs<T>(name: string, work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * A column whose index is not to be taken, where the engine plans without knowing how often values occur and would sort a
   * million rows to spare reading fifty.
   */
  unindexed(column: string): RawBuilder<unknown>;
  /**
   * For `from`: the elements of a JSON array, as `w`, joined with the rows of tables, each looked up by an index in this order:
   * an engine that estimates the list as long would read the tables from end to end.
   * @param tables each with what its rows must fulfil, which may name `w` and the tables before it
   * @param fields of `w`: what is taken out of an element (`value`), once and not for each row that it is compared with.
   */
  lookUps(
    json: string,
    fields: RawBuilder<unknown>,
    tables: readonly { table: TableName; as: string; on: RawBuilder<unknown> }[],
  ): RawBuilder<unknown>;
  /** Makes generated keys continue after the highest one in the table, after rows were inserted with given keys. */
  continueKeys(tx: WriteTransaction, table: TableName, key: string): Promise<void>;
  /** Gives the planner statistics of a table that was filled just now, where it plans by them. */
  analyze(tx: WriteTransaction, table: TableName): Promise<void>;
  /**
   * The database's own clock, as expressions: ms since 1970, and a text that is another one after each of its starts. Null where the
   * database has the clock of this machine. Leases and bookings of several machines are held by it.
   */
  readonly clock: { now: RawBuilder<number>; started: RawBuilder<string> } | null;
  /** All tables, those of other programs too, with their columns but for computed ones; empty for a new database. */
  tables(): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Whether a writer has been waiting for its lock longer than a healthy one holds it: nothing can then be stored at
   * present.
   */
  isBlocked(): Promise<boolean>;
  /** `ok`, or the failures that the engine's integrity check reports. */
  integrity(): Promise<string>;
  /** What acts on the rows beside Tieout, which makes none: triggers, rules, policies that hide rows. */
  actors(): Promise<readonly string[]>;
  /** Writes a consistent copy to a new file. @throws BackupExistsError, UsageError where the database is no file */
  copyTo(path: string): Promise<void>;
  close(): Promise<void>;
}

/** The table `break_words`: which breaks have a word. Each engine has a full-text index of its own. */
export interface WordIndex {
  /** Statements that make it. */
  readonly make: readonly RawBuilder<unknown>[];
  /** Indexes the rows (key, text) of a query; keys that are known get the new text. */
  add(rows: RawBuilder<unknown>): RawBuilder<unknown>;
  /**
   * A query of the keys that have every word; with `begun`, the last one is a prefix. A word has letters and digits
   * only.
   */
  keysWith(words: readonly string[], last: 'whole' | 'begun'): RawBuilder<unknown>;
  /**
   * The same for one key and its text, with the last word as a prefix, for a scan with many matches, which does not
   * list their keys first.
   */
  has(words: readonly string[], key: RawBuilder<unknown>, text: RawBuilder<unknown>): RawBuilder<SqlBool>;
}
