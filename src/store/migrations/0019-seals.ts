/** Keyed seals of break events and reviews, and where on the machine each set was published. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function seals(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table row_seals (
        name ${t.id} primary key,
        key_id ${t.text},
        digest ${t.bytes},
        upto ${t.integer}
      ) ${t.end}`.execute(db);
      // Existing rows have no seal; later rows must have one.
      await sql`insert into row_seals (name, upto)
        select 'since', max(event_key) from break_events having max(event_key) is not null`.execute(db);
      await sql`insert into row_seals (name) select 'review ' || period from periods where state = 'reviewed'`.execute(
        db,
      );
      await sql`alter table publications add column out_folder ${t.text}`.execute(db);
    },
  };
}
