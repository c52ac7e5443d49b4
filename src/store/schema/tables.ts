/** All tables by name: types for Kysely, the order of a copy, and what is under the seal. */
import type { Selectable } from 'kysely';
import { BREAKS } from './breaks.ts';
import { type ColumnsOf, OWNED, ROWS, SUM, type Table } from './column.ts';
import { EVIDENCE } from './evidence.ts';
import { LIMITS } from './limits.ts';
import { PERIODS } from './periods.ts';
import { PUBLICATIONS } from './publications.ts';
import { QUOTES } from './quotes.ts';
import { RUNS } from './runs.ts';
import { TRACKING } from './tracking.ts';
import { WORK_LIST } from './work-list.ts';

/** A table comes behind those that it refers to. */
const DECLARED = {
  ...TRACKING,
  ...QUOTES,
  ...RUNS,
  ...BREAKS,
  ...PERIODS,
  ...PUBLICATIONS,
  ...LIMITS,
  ...WORK_LIST,
  ...EVIDENCE,
};

export type Tables = { [T in keyof typeof DECLARED]: ColumnsOf<(typeof DECLARED)[T]> };
export type TableName = keyof Tables;
export type ColumnOf<T extends TableName> = keyof Tables[T] & string;
/** A row as it is read. */
export type RowOf<T extends TableName> = Selectable<Tables[T]>;

export const TABLES: Readonly<Record<TableName, Table>> = DECLARED;

export const TABLE_NAMES = Object.keys(DECLARED) as readonly TableName[];

/** The tables whose rows `db status` counts, in its order. */
export const COUNTED_TABLES = [
  'tracked_records',
  'snapshots',
  'contents',
  'quotes',
  'reference_captures',
  'runs',
  'run_items',
  'breaks',
  'break_events',
] as const satisfies readonly TableName[];

export const SEALED_TABLES = TABLE_NAMES.filter((name) => TABLES[name].seal === ROWS);

type UnderSeal = Table['columns'][string]['is']['underSeal'];

const columnsUnder = (table: TableName, ...seals: UnderSeal[]) =>
  Object.entries(TABLES[table].columns).flatMap(([name, { is }]) => (seals.includes(is.underSeal) ? [name] : []));

/** Made once: they are asked for with each row. */
const SEALED = new Map(SEALED_TABLES.map((table) => [table, columnsUnder(table, 'always', 'whenSet')]));

/** The columns under the seal, in its order. @throws Error for a table whose rows are not sealed one by one */
export function sealedColumns(table: TableName): readonly string[] {
  const columns = SEALED.get(table);
  if (columns === undefined) throw new Error(`rows of ${table} are not sealed one by one`);
  return columns;
}

/** One keyed sum over the rows of a table. */
export interface Sum {
  name: string;
  table: TableName;
  /** Of its columns among the summed ones of the table; the key first where it is sealed, because two rows could change places without it. */
  places: readonly number[];
  /** Came with a later version than the first sum: it is missing until the rows of before are summed. */
  isLater: boolean;
}

function sumsIn(table: TableName) {
  const { seal, key } = TABLES[table];
  const sealed = columnsUnder(table, 'always', 'summed');
  const named = key.filter((name) => sealed.includes(name));
  const first = columnsUnder(table, ...(seal === SUM ? (['always', 'summed'] as const) : (['summed'] as const)));
  const apart = columnsUnder(table, 'summedApart');
  const columns = [...new Set([...named, ...first, ...apart])];
  const sums = [
    { name: table, own: first, isLater: false },
    { name: `days of ${table}`, own: apart, isLater: true },
  ].flatMap(({ own, ...sum }): Sum[] => {
    const places = [...new Set([...named, ...own])].map((name) => columns.indexOf(name));
    return own.length === 0 ? [] : [{ ...sum, table, places }];
  });
  return { columns, sums };
}

const SUMMED = new Map(TABLE_NAMES.map((table) => [table, sumsIn(table)]));

export const sumsOver = (table: TableName): readonly Sum[] => SUMMED.get(table)?.sums ?? [];

export const SUMS = TABLE_NAMES.flatMap(sumsOver);

export const SUMMED_TABLES = TABLE_NAMES.filter((table) => sumsOver(table).length > 0);

export const summedColumns = <T extends TableName>(table: T) =>
  (SUMMED.get(table)?.columns ?? []) as readonly string[] as readonly ColumnOf<T>[];

/** Columns under the seal of the run or the statement that the rows of this table are of. */
export function ownedColumns<T extends TableName>(table: T): readonly ColumnOf<T>[] {
  if (TABLES[table].seal !== OWNED) throw new Error(`rows of ${table} have a seal of their own`);
  return columnsUnder(table, 'always') as readonly string[] as readonly ColumnOf<T>[];
}
