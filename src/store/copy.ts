/**
 * Copies a whole database to another engine, rows unchanged, with keys, watermarks and seals, so that every run
 * replays there to the same bytes. The target is written in one transaction, which commits only when every table read
 * back from it has the hash of the source's table.
 */

import { createHash, type Hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { UnavailableError, UsageError } from '../domain/errors.ts';
import type { Cell, Row } from './cells.ts';
import type { Engine, Reader, WriteTransaction } from './engine.ts';
import { wordsOf } from './schema/queue-order.ts';
import { TABLE_NAMES, TABLES, type TableName } from './schema/tables.ts';
import { migrate, requireCurrentSchema, schemaState } from './schema/upgrade.ts';
import type { Sealer } from './sealing.ts';
import { requireKeysOf } from './sealing-key.ts';
import { isTrue, type Where } from './statements.ts';

/** Rows held in memory at once. */
const PAGE = 1_000;

interface CopiedTable {
  table: string;
  rows: number;
  /** Of all cells in the order of the key; the same in both databases. */
  sha256: string;
}

/** Which rows: a condition, or cells that all of them have. */
export type Condition = RawBuilder<unknown> | Readonly<Record<string, string | number>>;

/**
 * Every row of a table for which a condition holds, page by page, in the order of its key.
 * @param condition with cells of the key, a page begins behind the others: SQLite would read all rows before it again.
 */
export async function* pagesOf(
  reader: Reader,
  table: TableName,
  columns: readonly string[],
  condition: Condition = {},
): AsyncGenerator<readonly Row[]> {
  const key = TABLES[table].key.filter((column) => !Object.hasOwn(condition, column));
  const keyColumns = sql.join(key.map((column) => sql.ref(column)));
  const where = isTrue(condition as Where<TableName>);
  // Read also where it is not asked for: without it there would be no second page.
  const names = [...new Set([...columns, ...key])];
  const at = key.map((column) => names.indexOf(column));
  let after: readonly Cell[] | null = null;
  for (;;) {
    const further = after === null ? sql`` : sql`and (${keyColumns}) > (${sql.join(after)})`;
    const query = sql`select ${sql.join(names.map((column) => sql.ref(column)))} from ${sql.table(table)}
      where (${where}) ${further}
      order by ${keyColumns} limit ${PAGE}`;
    const page = await reader.rows({ compile: () => query.compile(reader.db) });
    if (page.length > 0) yield names.length === columns.length ? page : page.map((row) => row.slice(0, columns.length));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = at.map((index) => last[index] ?? null);
  }
}

async function copyTable(
  from: WriteTransaction,
  to: { engine: Engine; tx: WriteTransaction },
  table: TableName,
  columns: readonly string[],
): Promise<CopiedTable> {
  const { key, isGenerated } = TABLES[table];
  const source = await hashOf(from, table, columns, (page) => to.tx.insertMany(table, columns, page));
  if (isGenerated && source.rows > 0) await to.engine.continueKeys(to.tx, table, key[0] ?? '');
  await to.engine.analyze(to.tx, table);
  const written = await hashOf(to.tx, table, columns);
  // The rows read back from the target are not the rows written to it.
  if (written.sha256 !== source.sha256 || written.rows !== source.rows)
    throw new UnavailableError(
      `table ${table} read back from the target differs from the source, so nothing was kept`,
      {
        remedy: 'check the disk and the memory of both machines, then copy again',
      },
    );
  return { table, ...written };
}

/** @throws CopyTargetNotEmptyError, SchemaOutdatedError, SchemaNewerError, DatabaseUnavailableError */
async function requireEmpty(to: Engine): Promise<void> {
  if ((await schemaState(to)).applied.length === 0) await migrate(to);
  await requireCurrentSchema(to);
  for (const table of TABLE_NAMES) {
    const [row] = await to.rows(to.db.selectFrom(table).select(sql<number>`1`.as('one')).limit(1));
    if (row !== undefined) throw new CopyTargetNotEmptyError(to.location, table);
  }
}

/**
 * Holds the write locks of both databases while it copies. Sealed values are copied as they are, without unsealing.
 * @param to is migrated where it is new, and must be empty.
 * @param options the sealer holds the keys that the target will be opened with; null where there are none
 * @throws CopyTargetNotEmptyError, UnavailableError, MissingKeyError, WrongKeyError, SchemaOutdatedError,
 *   SchemaNewerError, DatabaseUnavailableError; the target is then as empty as before.
 */
export async function copyDatabase(
  from: Engine,
  to: Engine,
  options: { sealer: Sealer | null; onTable?: (done: CopiedTable) => void },
): Promise<readonly CopiedTable[]> {
  await requireCurrentSchema(from);
  // Otherwise the first run on the new database would fail.
  await requireKeysOf(from, options.sealer);
  await requireEmpty(to);
  const columns = await from.tables();
  return from.write((reading) =>
    to.write(async (writing) => {
      const done: CopiedTable[] = [];
      for (const table of TABLE_NAMES) {
        const copied = await copyTable(reading, { engine: to, tx: writing }, table, columns.get(table) ?? []);
        done.push(copied);
        options.onTable?.(copied);
      }
      // The index of words differs by engine, so it is made again.
      await to.words.add(wordsOf(sql`b.last_event_key > 0`)).execute(writing.db);
      return done;
    }),
  );
}

/** The target has rows: a copy never merges two databases. */
export class CopyTargetNotEmptyError extends UsageError {
  constructor(location: string, table: string) {
    super(`database ${location} is not empty (${table} has rows)`, { remedy: 'copy into a new database' });
  }
}

/** One letter per type and a length before every value, so that no two different rows are written alike. */
function addCell(hash: Hash, cell: Cell): void {
  if (cell === null) hash.update('n;');
  else if (typeof cell === 'string') hash.update(`s${Buffer.byteLength(cell)}:${cell};`);
  // A number that both engines hold exactly has the same shortest text in both.
  else if (typeof cell === 'number') hash.update(`d${cell};`);
  else hash.update(`b${cell.length}:`).update(cell).update(';');
}

/** Of the rows in their order. @param each takes every page */
async function hashOf(
  tx: WriteTransaction,
  table: TableName,
  columns: readonly string[],
  each: (page: readonly Row[]) => Promise<void> = async () => undefined,
) {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pagesOf(tx, table, columns)) {
    for (const row of page) {
      for (const cell of row) addCell(hash, cell);
      hash.update('\n');
    }
    rows += page.length;
    await each(page);
  }
  return { rows, sha256: hash.digest('hex') };
}
