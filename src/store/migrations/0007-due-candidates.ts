/** An index that finds the records that may be due among millions of retired ones. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export function dueCandidates(): Migration {
  return {
    async up(db) {
      // Days from the end of a record to its last verification; far below zero where either is missing.
      await sql`create index tracked_records_looks on tracked_records
        ((coalesce(last_verified_day - terminal_day, -1000000)))`.execute(db);
    },
  };
}
