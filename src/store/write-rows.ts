/** Writes rows by the names of their columns: a column that is missing, added or misplaced does not compile. */
import type { Insertable } from 'kysely';
import type { Cell, Row } from './cells.ts';
import type { WriteTransaction } from './engine.ts';
import { type RowOf, TABLES, type TableName, type Tables } from './schema/tables.ts';

/** Columns that are left out are null, or have their default. All rows of one call have the same columns. */
export type NewRow<T extends TableName> = Insertable<Tables[T]>;

/** @param first columns that come before the others */
function named(rows: readonly object[], first: readonly string[] = []) {
  const given = Object.keys(rows[0] ?? {});
  const columns = [...first, ...given.filter((column) => !first.includes(column))];
  const cells = rows.map((row): Row => {
    const values = row as Readonly<Record<string, Cell | undefined>>;
    if (Object.keys(values).length !== columns.length) throw new RangeError('rows of one table have different columns');
    return columns.map((column) => {
      const value = values[column];
      if (value === undefined) throw new RangeError(`a row has no ${column}`);
      return value;
    });
  });
  return { columns, cells };
}

/** @param options `skipKnown`: rows that a unique index has already are skipped */
export async function insertRows<T extends TableName>(
  tx: WriteTransaction,
  table: T,
  rows: readonly NewRow<T>[],
  options?: { skipKnown: boolean },
): Promise<void> {
  const { columns, cells } = named(rows);
  if (rows.length > 0) await tx.insertMany(table, columns, cells, options);
}

/** Returns the generated keys, in order. */
export async function insertForKeys<T extends TableName>(
  tx: WriteTransaction,
  table: T,
  rows: readonly NewRow<T>[],
): Promise<readonly number[]> {
  const { columns, cells } = named(rows);
  return rows.length === 0 ? [] : tx.insertForKeys(table, keyOf(table), columns, cells);
}

/** Sets the other columns of the rows with these primary keys. */
export async function updateRows<T extends TableName>(
  tx: WriteTransaction,
  table: T,
  rows: readonly Partial<RowOf<T>>[],
): Promise<void> {
  const { key } = TABLES[table];
  const { columns, cells } = named(rows, key);
  if (rows.length > 0) await tx.updateMany(table, key, columns.slice(key.length), cells);
}

/** The column of a generated key. */
export const keyOf = (table: TableName): string => TABLES[table].key[0] ?? '';
