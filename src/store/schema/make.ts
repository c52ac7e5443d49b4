/** The statements that make the tables of the declarations, for every engine. */
import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from '../column-types.ts';
import { TABLES, type TableName } from './tables.ts';

type Statement = RawBuilder<unknown>;

/** The definition of a column, as `create table` and `alter table` have it. */
export function columnDefinition(t: ColumnTypes, table: TableName, name: string): Statement {
  const column = TABLES[table].columns[name];
  if (column === undefined) throw new RangeError(`table ${table} has no column ${name}`);
  return sql`${sql.ref(name)} ${t[column.is.type]} ${sql.raw(column.is.constraint)}`;
}

/** Of a column that the database computes; null where the table has none. */
export function computedDefinition(t: ColumnTypes, table: TableName): Statement | null {
  const { computed } = TABLES[table];
  if (computed === undefined) return null;
  return sql`${sql.ref(computed.column)} ${t.integer} generated always as (${sql.raw(computed.as)}) ${t.computed}`;
}

/** The table without its indexes. */
export function tableStatement(t: ColumnTypes, table: TableName): Statement {
  const { columns, key, isGenerated, unique = [], check, clustered } = TABLES[table];
  const list = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  const definitions = [
    ...Object.keys(columns).map((name) => columnDefinition(t, table, name)),
    computedDefinition(t, table),
    isGenerated ? null : sql`primary key (${list(key)})`,
    ...unique.map((names) => sql`unique (${list(names)})`),
    check === undefined ? null : sql`check (${sql.raw(check)})`,
  ].filter((each) => each !== null);
  return sql`create table ${sql.table(table)} (${sql.join(definitions)}) ${clustered === true ? t.clustered : t.end}`;
}

/** Null where there is nothing to set, or the engine has no such parameters. */
export function storageStatement(t: ColumnTypes, table: TableName): Statement | null {
  const { storage } = TABLES[table];
  return storage === undefined ? null : t.storage(table, storage);
}

export function indexSql(table: TableName): readonly Statement[] {
  return (TABLES[table].indexes ?? []).map((index) => {
    const [name = ''] = index.split(' ');
    return sql`create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(index.slice(name.length))}`;
  });
}
