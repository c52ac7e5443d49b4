/** What an engine calls the types of columns, and how it changes a column: all that the declarations of tables know of engines. */
import type { RawBuilder } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A database whose tables may be those of an earlier version. */
export type MigratedDatabase = Parameters<Migration['up']>[0];

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
  /** How a computed column is kept where one is added to a table: an index on it holds its value in either case. */
  computed: RawBuilder<unknown>;
  /** Sets storage parameters of a table; null where there are none. */
  storage(table: string, parameters: string): RawBuilder<unknown> | null;
  /** Text after the closing bracket of a table. */
  end: RawBuilder<unknown>;
  /** The same, where the table is to lie in the order of its primary key. */
  clustered: RawBuilder<unknown>;
  /** Lets a column be null. In the transaction of an upgrade. */
  makeNullable: (db: MigratedDatabase, table: string, column: string) => Promise<void>;
  /** Changes the order of the columns of a unique constraint, and so of its index. In the transaction of an upgrade. */
  reorderUnique: (db: MigratedDatabase, table: string, from: readonly string[], to: readonly string[]) => Promise<void>;
}
