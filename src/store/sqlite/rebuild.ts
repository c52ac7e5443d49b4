/** Changes that SQLite's ALTER TABLE does not support. */
import { sql } from 'kysely';
import type { MigratedDatabase } from '../column-types.ts';

interface Made {
  name: string;
  sql: string;
}

/**
 * Lets a column be null. Tables that refer to this one are made again too: dropping a table counts as deleting the rows that they
 * refer to. Within the transaction of the caller.
 */
export async function makeNullable(
  db: MigratedDatabase,
  table: string,
  column: string,
  children: readonly string[],
): Promise<void> {
  const old = [table, ...children];
  const indexes: string[] = [];
  for (const name of old) {
    const { rows } = await sql<Made>`select name, sql from sqlite_schema where tbl_name = ${name} and sql is not null
      and type in ('table', 'index') order by type desc`.execute(db);
    const [made, ...rest] = rows;
    if (made === undefined) throw new Error(`there is no table ${name}`);
    indexes.push(...rest.map((each) => each.sql));
    const definition = made.sql
      .replace(new RegExp(`^create table "?${name}"?`, 'i'), `create table ${newName(name)}`)
      .replaceAll(new RegExp(`references "?${table}"?(?!\\w)`, 'gi'), `references ${newName(table)}`);
    const wanted = name === table ? withoutNotNull(definition, column) : definition;
    await sql.raw(wanted).execute(db);
    await sql`insert into ${sql.table(newName(name))} select * from ${sql.table(name)}`.execute(db);
  }
  for (const name of [...old].reverse()) await sql`drop table ${sql.table(name)}`.execute(db);
  // References follow the new name.
  for (const name of old) await sql`alter table ${sql.table(newName(name))} rename to ${sql.id(name)}`.execute(db);
  for (const index of indexes) await sql.raw(index).execute(db);
}

/**
 * Neither the rows nor the tables that refer to them change, so the definition is edited as text, as SQLite describes for such
 * changes (https://www.sqlite.org/lang_altertable.html, section 7), and the indexes are built anew. Within the transaction of
 * the caller, with a writable schema.
 */
export async function reorderUnique(
  db: MigratedDatabase,
  table: string,
  from: readonly string[],
  to: readonly string[],
): Promise<void> {
  const old = `unique (${from.join(', ')})`;
  const { numAffectedRows } = await sql`
    update sqlite_schema set sql = replace(sql, ${old}, ${`unique (${to.join(', ')})`})
    where type = 'table' and name = ${table} and instr(sql, ${old}) > 0`.execute(db);
  if (numAffectedRows !== 1n) throw new Error(`${table} has no ${old}`);
  // A new version of the schema makes every connection read the definitions again.
  const { rows } = await sql<{ schema_version: number }>`pragma schema_version`.execute(db);
  await sql.raw(`pragma schema_version = ${Number(rows[0]?.schema_version) + 1}`).execute(db);
  await sql`pragma writable_schema = reset`.execute(db);
  await sql`reindex ${sql.table(table)}`.execute(db);
}

const newName = (name: string) => `${name}_made_again`;

function withoutNotNull(definition: string, column: string): string {
  const changed = definition.replace(new RegExp(`(\\b${column} \\w+) not null`), '$1');
  if (changed === definition) throw new Error(`${column} is null already`);
  return changed;
}
