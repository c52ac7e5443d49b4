/**
 * Keyed seals of single rows. A table's seals are a multiset of digests beside it (`sealed_rows`), and their number and sum
 * (`seal-sums.ts`) are under a seal of their own: a changed or added row has no digest there, a deleted one leaves its own, and
 * a row deleted or put back with its seal breaks the sum. Written in the transaction of the rows; a process without the sealing key cannot seal.
 */
import { type Expression, sql } from 'kysely';
import type { Row } from './cells.ts';
import { cellTexts } from './content-digest.ts';
import type { Reader, WriteTransaction } from './engine.ts';
import { sealedColumns, TABLES, type TableName } from './schema/tables.ts';
import { heldCount, movedBy, sealOfCount, sumOfSeals } from './seal-sums.ts';
import { requireSealer, type Sealer } from './sealing.ts';
import { noteSealingKey, sealingKeysInUse } from './sealing-key.ts';
import { findRow, findRows } from './statements.ts';
import { insertRows, updateRows } from './write-rows.ts';

/** Rows looked at in one statement. */
export const PAGE = 1_000;
/** Rows found again by their keys in one statement. */
const CHANGED = 200;

export type Where = Expression<unknown>;

/**
 * Changes or deletes rows of a sealed table: their seals follow them. A row that had no valid seal before gets none, so that
 * a change by other means is not covered up.
 */
export async function changeSealed<T>(
  tx: WriteTransaction,
  table: TableName,
  where: Where,
  change: () => Promise<T>,
): Promise<T> {
  if (tx.sealer === null) return change();
  const { key } = TABLES[table];
  const found = await read(tx, table, [...key, ...sealedColumns(table)], where);
  const result = await change();
  const after = new Map<string, Row>();
  for (let at = 0; at < found.length; at += CHANGED) {
    const isOne = found.slice(at, at + CHANGED).map((row) => {
      const cells = key.map((column, i) => sql`${sql.ref(column)} = ${row[i]}`);
      return sql`(${sql.join(cells, sql` and `)})`;
    });
    for (const row of await read(tx, table, [...key, ...sealedColumns(table)], sql.join(isOne, sql` or `)))
      after.set(nameOf(row, key.length), row.slice(key.length));
  }
  const pairs = found.map((row) => ({ was: row.slice(key.length), is: after.get(nameOf(row, key.length)) ?? null }));
  const before = pairs.map(({ was }) => was);
  const held = await takeSeals(tx, table, before);
  const kept = pairs.flatMap(({ is }, index) => (is !== null && held[index] === true ? [is] : []));
  await addSeals(tx, table, kept);
  return result;
}

const nameOf = (row: Row, length: number) => JSON.stringify(cellTexts(row.slice(0, length)));

export function read(tx: Reader, table: TableName, columns: readonly string[], where: Where) {
  const query = sql`select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)} where ${where}`;
  return tx.rows({ compile: () => query.compile(tx.db) });
}

function digestOf(sealer: Sealer, keyId: string, table: TableName, cells: Row): string {
  const { columns } = TABLES[table];
  const names = sealedColumns(table);
  const sealed = cells.filter((cell, i) => cell !== null || columns[names[i] ?? '']?.is.underSeal !== 'whenSet');
  const digest = sealer.fingerprint(JSON.stringify(['row', table, ...cellTexts(sealed)]), keyId);
  return Buffer.from(digest).toString('base64url');
}

/** Set by the migration that brought the seals, until `db migrate` or `db reseal` with the key has sealed what was there. */
export const OLDER = 'rows older than seals';

/** The same for one table, whose seals came with a later migration. */
export const olderRowsOf = (table: TableName): string => `${OLDER} of ${table}`;

/** @param table null: of any */
export async function hasOlderRows(tx: Reader, table: TableName | null): Promise<boolean> {
  const which = table === null ? sql`name like ${`${OLDER}%`}` : sql`name in (${OLDER}, ${olderRowsOf(table)})`;
  return (await read(tx, 'row_seals', ['name'], which)).length > 0;
}

/** Adds a seal for each row; equal rows share one with a higher number. */
export async function addSeals(tx: WriteTransaction, table: TableName, rows: readonly Row[]): Promise<void> {
  const { sealer } = tx;
  if (sealer === null || rows.length === 0 || (await hasOlderRows(tx, table))) return;
  const numbers = new Map<string, number>();
  for (const cells of rows) {
    const digest = digestOf(sealer, sealer.keyId, table, cells);
    numbers.set(digest, (numbers.get(digest) ?? 0) + 1);
  }
  await moveSeals(tx, table, numbers);
}

/** Removes the seal of each row; says of each whether it had one. */
export async function takeSeals(
  tx: WriteTransaction,
  table: TableName,
  rows: readonly Row[],
): Promise<readonly boolean[]> {
  const { used, held } = await compare(tx, table, rows, await keysInUse(tx));
  await moveSeals(tx, table, new Map([...used].map(([digest, n]) => [digest, -n])));
  return held;
}

/** @param by how many seals of a digest are added, or taken away */
async function moveSeals(tx: WriteTransaction, table: TableName, by: ReadonlyMap<string, number>): Promise<void> {
  if (by.size === 0) return;
  const sealer = requireSealer(tx.sealer);
  const known = await sealsOf(tx, table, [...by.keys()]);
  const changes = [...by].map(([digest, added]) => {
    const { keyId, n } = known.get(digest) ?? { keyId: sealer.keyId, n: 0 };
    return { was: { digest, keyId, n }, is: { digest, keyId, n: n + added } };
  });
  const rows = changes.map(({ is: { digest, keyId, n } }) => ({ table_name: table, digest, key_id: keyId, n }));
  const isKnown = ({ digest }: { digest: string }) => known.has(digest);
  await updateRows(tx, 'sealed_rows', rows.filter(isKnown));
  const added = rows.filter((row) => !isKnown(row));
  await insertRows(tx, 'sealed_rows', added);
  if (added.length < rows.length)
    await tx.db.deleteFrom('sealed_rows').where('table_name', '=', table).where('n', '=', 0).execute();
  const sum = [...by.values()].reduce((all, n) => all + n, 0);
  await count(tx, table, sum, movedBy(sealer, table, changes));
}

type KnownSeals = ReadonlyMap<string, { keyId: string; n: number }>;

async function sealsOf(tx: Reader, table: TableName, digests: readonly string[]): Promise<KnownSeals> {
  const isOne = sql`table_name = ${table} and ${tx.inList('digest', digests)}`;
  const rows = await findRows(tx.db, 'sealed_rows', isOne, ['digest', 'key_id', 'n']);
  return new Map(rows.map(({ digest, key_id: keyId, n }) => [digest, { keyId, n }]));
}

/** Keys that seals may be under and that are known here. */
export async function keysInUse(tx: Reader): Promise<readonly string[]> {
  const sealer = requireSealer(tx.sealer);
  const known = await sealingKeysInUse(tx);
  return [...new Set([sealer.keyId, ...known])].filter((keyId) => sealer.knows(keyId));
}

/** The seals of rows, how often each was needed, and whether each row had one. */
export async function compare(tx: Reader, table: TableName, rows: readonly Row[], keys: readonly string[]) {
  const sealer = requireSealer(tx.sealer);
  const digests = rows.map((cells) => keys.map((keyId) => digestOf(sealer, keyId, table, cells)));
  const seals = await sealsOf(tx, table, [...new Set(digests.flat())]);
  const used = new Map<string, number>();
  const held = digests.map((each) => {
    const found = each.find((digest) => (seals.get(digest)?.n ?? 0) > (used.get(digest) ?? 0));
    if (found !== undefined) used.set(found, (used.get(found) ?? 0) + 1);
    return found !== undefined;
  });
  return { seals, used, held };
}

/** The name in `row_seals` of the number of a table's seals. */
export const numberName = (table: TableName) => `rows of ${table}`;

/** Counts seals, and adds to their sum, under the seal of both. One that did not hold before does not hold afterwards. */
export async function count(tx: WriteTransaction, table: TableName, by: number, moved: bigint): Promise<void> {
  const sealer = requireSealer(tx.sealer);
  const name = numberName(table);
  const known = await findRow(tx.db, 'row_seals', { name }, ['key_id', 'digest', 'upto']);
  if (known === undefined && by === 0) return;
  if (known === undefined) {
    await noteSealingKey(tx);
    const digest = sealOfCount(sealer, sealer.keyId, table, { n: by, sum: moved });
    await tx.db.insertInto('row_seals').values({ name, key_id: sealer.keyId, digest, upto: by }).execute();
    return;
  }
  const upto = Number(known.upto ?? 0) + by;
  const held = heldCount(sealer, table, known);
  // A seal of an earlier version has no sum yet: it gets that of the seals as they now are.
  const sum = held?.sum != null ? held.sum + moved : await sumOfSeals(tx, table);
  const digest = sealOfCount(sealer, sealer.keyId, table, { n: upto, sum });
  const next = held === null ? { upto } : { key_id: sealer.keyId, digest, upto };
  await tx.db.updateTable('row_seals').set(next).where('name', '=', name).execute();
}
