/** Changes that SQLite's ALTER TABLE does not support: the table is made again with its rows and its indexes. */
import { sql } from 'kysely';
import type { MigratedDatabase } from '../engine.ts';

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

const newName = (name: string) => `${name}_made_again`;

function withoutNotNull(definition: string, column: string): string {
  const changed = definition.replace(new RegExp(`(\\b${column} \\w+) not null`), '$1');
  if (changed === definition) throw new Error(`${column} is null already`);
  return changed;
}
