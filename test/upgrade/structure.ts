/** What a database has: the tables with their columns, keys and indexes, one line each, however they were made. */
import { sql } from 'kysely';
import type { Engine } from '../../src/store/engine.ts';

const SQLITE = sql<{ line: string }>`
  select t.name || '.' || c.name || ' ' || c.type || case c."notnull" + c.pk when 0 then '' else ' not null' end
    || coalesce(' default ' || c.dflt_value, '') || ' key ' || c.pk || ' hidden ' || c.hidden as line
  from pragma_table_list as t join pragma_table_xinfo(t.name) as c where t.schema = 'main'
  union all
  select t.name || ' strict ' || t.strict || ' without rowid ' || t.wr from pragma_table_list as t
  where t.schema = 'main' and t.type = 'table'
  union all
  select t.name || ' refers by ' || f."from" || ' to ' || f."table" from pragma_table_list as t
  join pragma_foreign_key_list(t.name) as f where t.schema = 'main'
  union all
  select t.name || ' unique ' || (select group_concat(name) from pragma_index_info(i.name)) from pragma_table_list as t
  join pragma_index_list(t.name) as i where t.schema = 'main' and i.origin <> 'c'
  union all
  select sql from sqlite_schema where type = 'index' and sql is not null`;

const POSTGRES = sql<{ line: string }>`
  select c.table_name || '.' || c.column_name || ' ' || c.data_type || ' ' || c.is_nullable || coalesce(' default ' || c.column_default, '')
    || coalesce(' ' || c.collation_name, '') || ' ' || c.is_identity || ' ' || c.is_generated || coalesce(c.generation_expression, '') as line
  from information_schema.columns as c where c.table_schema = current_schema()
  union all
  select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
  where connamespace = current_schema()::regnamespace and contype <> 'n'
  union all
  select indexdef from pg_indexes where schemaname = current_schema()
  union all
  select relname || ' ' || reloptions::text from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and reloptions is not null`;

/** Names of constraints and of Kysely's own tables are left out. */
export async function structureOf(engine: Engine): Promise<readonly string[]> {
  const { rows } = await (engine.name === 'sqlite' ? SQLITE : POSTGRES).execute(engine.db);
  return rows
    .map(({ line }) => line.replaceAll('"', '').replaceAll(/\s+/g, ' ').toLowerCase())
    .map((line) => line.replace(/^create unique index \w+/, 'create unique index'))
    .filter((line) => !/kysely|sqlite_|break_words/.test(line))
    .sort();
}
