/** The database's own id, the sets that it published or adopted in out folders, and runs that were made under a wrong clock. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function publications(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table database_ids (
        one ${t.integer} primary key check (one = 1),
        database_id ${t.text} not null
      ) ${t.end}`.execute(db);

      await sql`create table publications (
        publication_key ${t.risingKey},
        folder_id ${t.id} not null,
        path ${t.id} not null,
        state ${t.text} not null,
        manifest_sha256 ${t.text},
        lease ${t.text},
        token ${t.integer},
        job ${t.id},
        business_day ${t.integer},
        revision ${t.integer},
        unique (folder_id, path)
      ) ${t.end}`.execute(db);
      await sql`create index publications_revisions on publications (job, business_day, revision)`.execute(db);

      await sql`create table doubted_runs (
        run_key ${t.integer} primary key references runs
      ) ${t.end}`.execute(db);
    },
  };
}
