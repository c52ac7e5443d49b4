/**
 * Changes of definitions that SQLite's ALTER TABLE does not support, and by which neither the rows nor the tables that refer to them
 * change: the text is edited, as SQLite describes for such changes (https://www.sqlite.org/lang_altertable.html, section 7). Within the
 * transaction of the caller, with a writable schema.
 */
import { sql } from 'kysely';
import type { MigratedDatabase } from '../column-types.ts';

/** Lets a column be null. */
export function makeNullable(db: MigratedDatabase, table: string, column: string): Promise<void> {
  return edit(db, table, new RegExp(`(\\b${column} \\w+) not null`), '$1');
}

export function reorderUnique(db: MigratedDatabase, table: string, from: readonly string[], to: readonly string[]) {
  return edit(db, table, `unique (${from.join(', ')})`, `unique (${to.join(', ')})`);
}

async function edit(db: MigratedDatabase, table: string, was: string | RegExp, is: string): Promise<void> {
  const made = await sql<{
    sql: string;
  }>`select sql from sqlite_schema where type = 'table' and name = ${table}`.execute(db);
  const definition = made.rows[0]?.sql ?? '';
  const changed = definition.replace(was, is);
  if (changed === definition) throw new Error(`${table} has no ${String(was)}`);
  await sql`update sqlite_schema set sql = ${changed} where type = 'table' and name = ${table}`.execute(db);
  // A new version of the schema makes every connection read the definitions again.
  const { rows } = await sql<{ schema_version: number }>`pragma schema_version`.execute(db);
  await sql.raw(`pragma schema_version = ${Number(rows[0]?.schema_version) + 1}`).execute(db);
  await sql`pragma writable_schema = reset`.execute(db);
  await sql`reindex ${sql.table(table)}`.execute(db);
}
