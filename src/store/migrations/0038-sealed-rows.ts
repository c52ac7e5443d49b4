/** Seals of single rows, and from which run and statement on whole ones are sealed. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function sealedRows(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table sealed_rows (
        table_name ${t.id} not null,
        digest ${t.id} not null,
        key_id ${t.text} not null,
        n ${t.integer} not null,
        primary key (table_name, digest)
      ) ${t.clustered}`.execute(db);
      await sql`insert into row_seals (name, upto)
        select 'runs since', max(run_key) from runs having max(run_key) is not null`.execute(db);
      await sql`insert into row_seals (name, upto)
        select 'statements since', max(statement_key) from period_statements
        having max(statement_key) is not null`.execute(db);
      // Rows that are here already are sealed as they are by the first process that has the key.
      await sql`insert into row_seals (name)
        select 'rows older than seals'
        where exists (select 1 from tracked_records) or exists (select 1 from quotes) or exists (select 1 from access_acts)
          or exists (select 1 from payouts)`.execute(db);
      await sql`delete from row_seals where name like 'review %'`.execute(db);
    },
  };
}
