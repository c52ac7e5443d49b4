/**
 * Lets PostgreSQL update tracked records in place (heap-only tuples): no index holds a column that a night changes. The index of
 * due records was on an expression of two days, of which each night changes one; the value itself rarely changes.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function updatesInPlace(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`drop index tracked_records_looks`.execute(db);
      await sql`alter table tracked_records add column looked_after_end ${t.integer}
        generated always as (coalesce(last_verified_day - terminal_day, -1000000)) ${t.computed}`.execute(db);
      await sql`create index tracked_records_looks on tracked_records (looked_after_end)`.execute(db);
      // When the items of the run were moved to an archive.
      await sql`alter table runs add column archived_at ${t.integer}`.execute(db);
      for (const [table, parameters] of [
        // Room for the next version of every row of a page: a batch is most rows of its pages.
        ['tracked_records', 'fillfactor = 50'],
        ['runs', 'fillfactor = 50'],
        ['leases', 'fillfactor = 50'],
        ['circuits', 'fillfactor = 50'],
        // Emptied by each run: its pages are to be used again by the next.
        ['staged_break_events', 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000'],
      ] as const) {
        await t.storage(table, parameters)?.execute(db);
      }
    },
  };
}
