/** Sums over the rows of tables that grow each night: what is here already is summed as it is by `db migrate` with the key. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export function sumsOfRows(): Migration {
  return {
    async up(db) {
      await sql`insert into row_seals (name) select 'rows older than seals of sums'
        where exists (select 1 from tracked_records) or exists (select 1 from reference_captures)`.execute(db);
      // More columns of runs and of their records are under the seal now: the seals of before would not hold.
      await sql`delete from row_seals where name like 'ran %' or name like 'items %' or name = 'runs since'`.execute(
        db,
      );
      await sql`insert into row_seals (name, upto)
        select 'runs since', max(run_key) from runs having max(run_key) is not null`.execute(db);
    },
  };
}
