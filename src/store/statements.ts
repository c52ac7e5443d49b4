/** Parts of statements that every table needs: rows by their cells, a statement built once, and a range in report order. */
import { type Compilable, type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { EARLIEST } from '../domain/plausible-date.ts';
import type { Kind, RecordPosition } from '../domain/record.ts';
import type { Columns } from './schema/column.ts';
import { type ObjectOf, readerOf } from './schema/places.ts';
import type { ColumnOf, RowOf, TableName, Tables } from './schema/tables.ts';

/** Cells that a row has (one of a list), none for every row, or another condition. */
export type Where<T extends TableName> =
  | { readonly [C in keyof RowOf<T>]?: RowOf<T>[C] | readonly RowOf<T>[C][] }
  | Expression<unknown>;

export function isTrue<T extends TableName>(where: Where<T>): Expression<unknown> {
  if ('toOperationNode' in where) return where;
  const cells = Object.entries(where).map(([column, cell]) => {
    if (Array.isArray(cell)) return sql`${sql.ref(column)} in (${sql.join(cell)})`;
    return cell === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${cell}`;
  });
  return cells.length === 0 ? sql`1 = 1` : sql.join(cells, sql` and `);
}

/** Without the cells that are not asked for. */
export function given<C extends object>(cells: C): C {
  return Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== undefined)) as C;
}

type Order<T extends TableName> = ColumnOf<T> | `${ColumnOf<T>} desc` | { limit: number };

/** @param order columns, and how many rows at most */
export async function findRows<T extends TableName, C extends keyof RowOf<T> & string>(
  db: Kysely<Tables>,
  table: T,
  where: Where<T>,
  columns: readonly C[],
  ...order: readonly Order<T>[]
): Promise<readonly Pick<RowOf<T>, C>[]> {
  const by = order
    .filter((each) => typeof each === 'string')
    .map((each) => {
      const [column = '', direction = ''] = each.split(' ');
      return sql`${sql.ref(column)} ${sql.raw(direction)}`;
    });
  const limits = order.flatMap((each) => (typeof each === 'string' ? [] : sql`limit ${sql.lit(each.limit)}`));
  const query = sql<Pick<RowOf<T>, C>>`select ${sql.join(columns.map((name) => sql.ref(name)))} from ${sql.table(table)}
    where ${isTrue(where)} ${by.length === 0 ? sql`` : sql`order by ${sql.join(by)}`} ${limits[0] ?? sql``}`;
  return (await query.execute(db)).rows;
}

/** Rows as objects of the domain, by a part of the declaration of their table. */
export async function findObjects<T extends TableName, C extends Columns>(
  db: Kysely<Tables>,
  table: T,
  part: keyof C extends keyof RowOf<T> ? C : never,
  where: Where<T>,
  ...order: readonly Order<T>[]
): Promise<readonly ObjectOf<C>[]> {
  const names = Object.keys(part) as (keyof RowOf<T> & string)[];
  const rows = await findRows(db, table, where, names, ...order);
  return (rows as never[]).map(readerOf<C>(part));
}

/** The first of them. */
export async function findRow<T extends TableName, C extends keyof RowOf<T> & string>(
  db: Kysely<Tables>,
  table: T,
  where: Where<T>,
  columns: readonly C[],
  ...order: readonly Order<T>[]
): Promise<Pick<RowOf<T>, C> | undefined> {
  return (await findRows(db, table, where, columns, ...order, { limit: 1 }))[0];
}

/**
 * A statement that is built once, because Kysely takes longer to build a wide statement than SQLite takes to run it.
 * Its parameters are given at each use, in the order of its text.
 * @param query built with any values in their places.
 * @throws RangeError, at use, for another number of parameters than the statement has.
 */
export function template(query: Compilable): (parameters: readonly unknown[]) => Compilable {
  const compiled = query.compile();
  const wanted = compiled.parameters.length;
  return (parameters) => {
    if (parameters.length !== wanted)
      throw new RangeError(`the statement takes ${wanted} parameters, not ${parameters.length}`);
    return { compile: () => ({ ...compiled, parameters }) };
  };
}

/**
 * A parameter whose value the planner does not use. SQLite prepares a statement anew each time a parameter is bound
 * that its planner used: a limit, or a value that a column of an index or of the order equals. That took an eighth of
 * a millisecond of each page of a replay.
 */
const text = (parameter: string) => sql<string>`cast(${parameter} as text)`;
export const wholeNumber = (parameter: number) => sql<number>`cast(${parameter} as bigint)`;

type Condition = RawBuilder<SqlBool>;

/**
 * A range of report order (kind, record id): after `after` (excluded) or from `from` (included), up to `to` (included);
 * null leaves that end open. PostgreSQL estimates a row comparison by its first column, which half of all records
 * share, and would scan the whole table for one page. Where both ends have one kind, as all pages but one do, only ids
 * are compared.
 * @param table alias of the table with the columns.
 */
export function reportRange(
  table: string,
  first: { after: RecordPosition | null } | { from: RecordPosition },
  to: RecordPosition | null,
): Condition {
  const kind = sql.ref(`${table}.kind`);
  const recordId = sql.ref(`${table}.record_id`);
  const [start, operator] = 'from' in first ? [first.from, sql`>=`] : [first.after, sql`>`];
  if (start !== null && to !== null && start.kind === to.kind)
    return sql<SqlBool>`(${kind} = ${text(to.kind)} and ${recordId} ${operator} ${start.recordId} and ${recordId} <= ${to.recordId})`;
  const conditions: Condition[] = [];
  if (start !== null)
    conditions.push(sql<SqlBool>`(${kind}, ${recordId}) ${operator} (${start.kind}, ${start.recordId})`);
  if (to !== null) conditions.push(sql<SqlBool>`(${kind}, ${recordId}) <= (${to.kind}, ${to.recordId})`);
  return conditions.length === 0 ? sql<SqlBool>`(1 = 1)` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

type Beginning = Parameters<typeof reportRange>[1];

/**
 * A statement over such a range, built once for each form of the range.
 * @returns its statement for a range; `before` and `after` are the parameters around those of the range.
 */
export function reportRangeTemplate(
  table: string,
  build: (range: Condition) => Compilable,
): (first: Beginning, to: RecordPosition | null, before: readonly unknown[], after?: readonly unknown[]) => Compilable {
  const built = new Map<string, ReturnType<typeof template>>();
  return (first, to, before, after = []) => {
    const start = 'from' in first ? first.from : first.after;
    const isOfOneKind = start !== null && to !== null && start.kind === to.kind;
    const form = `${'from' in first} ${start === null} ${to === null} ${isOfOneKind}`;
    const statement = built.get(form) ?? template(build(reportRange(table, first, to)));
    built.set(form, statement);
    const ends = isOfOneKind
      ? [start.kind, start.recordId, to.recordId]
      : [start, to].flatMap((end) => (end === null ? [] : [end.kind, end.recordId]));
    return statement([...before, ...ends, ...after]);
  };
}

/** Rows that refer to this record. */
export const ofRecord = (kind: Kind, recordId: string) => sql<SqlBool>`
  record_key in (select record_key from tracked_records where kind = ${kind} and record_id = ${recordId})`;

/** The highest key of a table; 0 where it is empty. */
export async function newestKey<T extends TableName>(db: Kysely<Tables>, table: T, key: ColumnOf<T>): Promise<number> {
  const newest = sql<{ key: number | null }>`select max(${sql.ref(key)}) as key from ${sql.table(table)}`;
  return (await newest.execute(db)).rows[0]?.key ?? 0;
}

/** How far rows under a watermark are all there: keys only grow, so a watermark that was reached once is not looked up again. */
export function closedKeys<T extends TableName>(db: Kysely<Tables>, table: T, key: ColumnOf<T>) {
  let newest = 0;
  return async (watermark: number): Promise<number> => {
    if (newest < watermark) newest = await newestKey(db, table, key);
    return Math.min(watermark, newest);
  };
}

export async function countRows<T extends TableName>(
  db: Kysely<Tables>,
  table: T,
  where: Where<T> = sql`1 = 1`,
): Promise<number> {
  const count = sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where ${isTrue(where)}`;
  return (await count.execute(db)).rows[0]?.n ?? 0;
}

/** Constants of the domain as a list of literals; literals, unlike parameters, let an engine use a partial index. */
export function literals(values: readonly string[]): RawBuilder<unknown> {
  return sql.join(values.map((value) => sql.lit(value)));
}

/** The numbers of the blocks of contents, each with an index of its hashes; to be cross joined with `contents`. */
export const BLOCKS = sql`(with recursive blocks(number) as (
  select 0 union all select number + 1 from blocks where number < (select max(content_key) / 1024 from contents)
) select number from blocks) as block`;

const DAY_MS = 86_400_000;

/**
 * The date by which a record `t` of tracked_records belongs to a month: the application's date, else that of its
 * newest readable body, else the time of tracking. An impossible date does not count, because its record would be in
 * no month that is ever closed.
 */
export const COUNTED_DATE = sql<number>`coalesce(${plausible('told_created_at')}, ${plausible('body_created_at')}, t.tracked_at)`;

function plausible(column: string) {
  const date = sql.ref(`t.${column}`);
  return sql`case when ${date} between ${sql.lit(EARLIEST)} and t.tracked_at + ${sql.lit(DAY_MS)} then ${date} end`;
}
