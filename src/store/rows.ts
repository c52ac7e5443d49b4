/** Adds, changes and deletes rows of one table. Their seals and sums follow, as the declaration of the table says. */
import { type Expression, sql } from 'kysely';
import { cellsIn } from './cells.ts';
import type { WriteTransaction } from './engine.ts';
import {
  type RowOf,
  SEALED_TABLES,
  SUMMED_TABLES,
  sealedColumns,
  summedColumns,
  type TableName,
} from './schema/tables.ts';
import { addSeals, changeSealed } from './sealed-rows.ts';
import { isTrue, type Where } from './statements.ts';
import { changeSummed, summedCells, sumRows } from './summed-rows.ts';
import { insertForKeys, insertRows, keyOf, type NewRow } from './write-rows.ts';

async function seal(tx: WriteTransaction, table: TableName, rows: readonly object[]): Promise<void> {
  if (SEALED_TABLES.includes(table)) await addSeals(tx, table, cellsIn(sealedColumns(table), rows));
  if (SUMMED_TABLES.includes(table)) await sumRows(tx, [{ table, is: summedCells(table, rows) }]);
}

export async function addRows<T extends TableName>(tx: WriteTransaction, table: T, rows: readonly NewRow<T>[]) {
  await insertRows(tx, table, rows);
  await seal(tx, table, rows);
}

/** Returns the generated keys, in order. */
export async function addForKeys<T extends TableName>(
  tx: WriteTransaction,
  table: T,
  rows: readonly NewRow<T>[],
): Promise<readonly number[]> {
  const keys = await insertForKeys(tx, table, rows);
  const keyed = rows.map((row, index) => ({ ...row, [keyOf(table)]: keys[index] }));
  await seal(tx, table, keyed);
  return keys;
}

/** `change` is of these rows alone; `where` holds for the same rows before and after, as a condition on their keys does. */
export function changeRows<T>(
  tx: WriteTransaction,
  table: TableName,
  where: Expression<unknown>,
  change: () => Promise<T>,
): Promise<T> {
  const summed = () => (SUMMED_TABLES.includes(table) ? changeSummed(tx, table, where, change) : change());
  return SEALED_TABLES.includes(table) ? changeSealed(tx, table, where, summed) : summed();
}

/** Returns how many rows it changed. @param further what the rows must fulfil as well, and may no more afterwards */
export async function setRows<T extends TableName>(
  tx: WriteTransaction,
  table: T,
  where: Where<T>,
  cells: Partial<RowOf<T>>,
  further: Where<T> = sql`1 = 1`,
): Promise<number> {
  const sets = Object.entries(cells).map(([column, cell]) => sql`${sql.ref(column)} = ${cell}`);
  const update = sql`update ${sql.table(table)} set ${sql.join(sets)} where (${isTrue(where)}) and ${isTrue(further)}`;
  const { numAffectedRows } = await changeRows(tx, table, isTrue(where), () => update.execute(tx.db));
  return Number(numAffectedRows ?? 0n);
}

/** Returns how many rows there were. */
export async function deleteRows<T extends TableName>(
  tx: WriteTransaction,
  table: T,
  where: Where<T>,
): Promise<number> {
  const condition = isTrue(where);
  const all = sql`delete from ${sql.table(table)} where ${condition}`;
  if (SUMMED_TABLES.includes(table) && !SEALED_TABLES.includes(table)) {
    // Its own rows, and no look at them before and after.
    const returned = sql`${all} returning ${sql.join(summedColumns(table).map((column) => sql.ref(column)))}`;
    const was = await tx.rows({ compile: () => returned.compile(tx.db) });
    await sumRows(tx, [{ table, was }]);
    return was.length;
  }
  const { numAffectedRows } = await changeRows(tx, table, condition, () => all.execute(tx.db));
  return Number(numAffectedRows ?? 0n);
}
