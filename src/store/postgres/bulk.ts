/**
 * Writes many rows in one statement: each column is one array parameter, so the number of parameters does not grow with
 * the rows (the protocol allows 65,535) and the server plans one short statement for a batch of any size.
 */
import type pg from 'pg';
import type { Row } from '../cells.ts';

/** Rows in one statement: enough to make the round trip negligible, few enough to bound the size of a message. */
const CHUNK = 2_000;

export interface BulkStatement {
  sql: string;
  parameters: readonly unknown[];
}

export function* chunksOf(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += CHUNK) yield rows.slice(start, start + CHUNK);
}

/** The rows as one array per column. */
function turned(rows: readonly Row[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null));
}

function unnested(types: readonly string[]): string {
  return `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`;
}

const names = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ');

/** Inserts in the order of the rows, so that generated keys rise with them. `returning` names the key. */
export function insertStatement(
  table: string,
  columns: readonly string[],
  types: readonly string[],
  rows: readonly Row[],
  options: { skipKnown: boolean; returning: string | null },
): BulkStatement {
  const sql =
    `insert into "${table}" (${names(columns)}) select ${names(columns)} ` +
    `from ${unnested(types)} with ordinality as given (${names(columns)}, "row number") order by "row number"` +
    (options.skipKnown ? ' on conflict do nothing' : '') +
    (options.returning === null ? '' : ` returning "${options.returning}"`);
  return { sql, parameters: turned(rows, columns.length) };
}

/** Each row has the cells of `keys` first, then those of `columns`; `types` has the type of each cell, in the same order. */
export function updateStatement(
  table: string,
  keys: readonly string[],
  columns: readonly string[],
  types: readonly string[],
  rows: readonly Row[],
): BulkStatement {
  const sets = columns.map((column) => `"${column}" = given."${column}"`).join(', ');
  const same = keys.map((key) => `target."${key}" = given."${key}"`).join(' and ');
  const all = [...keys, ...columns];
  const sql = `update "${table}" as target set ${sets} from ${unnested(types)} as given (${names(all)}) where ${same}`;
  return { sql, parameters: turned(rows, all.length) };
}

/** Column name → type name, such as `bigint`. */
type ColumnKinds = ReadonlyMap<string, string>;

/**
 * Reads the column types of a table when it is first written to, and again when a column is not known: migrations add
 * tables and columns and never change a type.
 */
export class ColumnCatalogue {
  readonly #tables = new Map<string, ColumnKinds>();

  /** The types of these columns, in order; null where the table has to be read first. */
  known(table: string, columns: readonly string[]): readonly string[] | null {
    const kinds = this.#tables.get(table);
    const types = columns.flatMap((column) => kinds?.get(column) ?? []);
    return types.length === columns.length ? types : null;
  }

  /** The same after reading the table. @throws RangeError for a column that the table does not have. */
  async read(
    table: string,
    columns: readonly string[],
    read: (sql: string, parameters: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>,
  ): Promise<readonly string[]> {
    const rows = await read(CATALOGUE, [table]);
    const kinds = new Map(rows.map(([name, type]) => [String(name), String(type)]));
    this.#tables.set(table, kinds);
    return columns.map((column) => {
      const type = kinds.get(column);
      if (type === undefined) throw new RangeError(`table ${table} has no column ${column}`);
      return type;
    });
  }
}

/** `regclass` finds the table on the search path, as every other statement does. */
const CATALOGUE = `
  select attname::text, format_type(atttypid, null)
  from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped` satisfies pg.QueryConfig['text'];
