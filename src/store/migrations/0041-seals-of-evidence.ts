/** What chains say and what the host earned is sealed row by row: rows that are here already are sealed by `db migrate` with the key. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export function sealsOfEvidence(): Migration {
  return {
    async up(db) {
      for (const table of ['chain_sightings', 'delivery_claims', 'run_revenue']) {
        await sql`insert into row_seals (name) select ${sql.lit(`rows older than seals of ${table}`)}
          where exists (select 1 from ${sql.table(table)})`.execute(db);
      }
    },
  };
}
