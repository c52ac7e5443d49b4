/** The records that a night may look at, found among millions that are done with. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export function dueCandidates(): Migration {
  return {
    async up(db) {
      // Days from the end of a record to its last look; far below zero for one that has not ended or was never verified.
      await sql`create index tracked_records_looks on tracked_records
        ((coalesce(last_verified_day - terminal_day, -1000000)))`.execute(db);
    },
  };
}
