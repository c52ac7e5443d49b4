/** The types of columns, as the server has them: lists of cells are sent as one typed array per column. */
import type pg from 'pg';

/** Column name → type name, such as `bigint`. */
export type ColumnKinds = ReadonlyMap<string, string>;

/**
 * Looks a table up when it is first written to. Types never change afterwards: a migration of ours adds tables and columns,
 * and a column that is not known yet makes the table be read again.
 */
export class ColumnCatalogue {
  readonly #tables = new Map<string, ColumnKinds>();

  /** The types of these columns, in order. @throws RangeError for a column that the table does not have. */
  async typesOf(
    table: string,
    columns: readonly string[],
    read: (sql: string, parameters: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>,
  ): Promise<readonly string[]> {
    let kinds = this.#tables.get(table);
    if (kinds === undefined || !columns.every((column) => kinds?.has(column))) {
      const rows = await read(CATALOGUE, [table]);
      kinds = new Map(rows.map(([name, type]) => [String(name), String(type)]));
      this.#tables.set(table, kinds);
    }
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
