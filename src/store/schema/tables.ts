/** All tables by name: types for Kysely, the order of a copy, and what is under the seal. */
import type { Selectable } from 'kysely';
import { BREAKS } from './breaks.ts';
import { type ColumnsOf, ROWS, type Table } from './column.ts';
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

/** The tables whose rows are sealed one by one. */
export const SEALED_TABLES = TABLE_NAMES.filter((name) => TABLES[name].seal === ROWS);

/** The columns under the seal, in its order. @throws Error for a table whose rows are not sealed one by one */
export function sealedColumns(table: TableName): readonly string[] {
  const { seal, columns } = TABLES[table];
  if (seal !== ROWS) throw new Error(`rows of ${table} are not sealed one by one`);
  return Object.keys(columns).filter((name) => columns[name]?.underSeal !== 'never');
}
