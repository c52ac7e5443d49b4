/** How an engine spells the column types that the migrations need; migrations are otherwise the same for every engine. */
import type { RawBuilder } from 'kysely';

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
