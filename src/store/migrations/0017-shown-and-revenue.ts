/**
 * Amounts that the app showed; payments with withheld fees and another currency; the host's revenue as of a night;
 * and breaks about a month's revenue, which have no record.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function shownAndRevenue(t: ColumnTypes): Migration {
  return {
    async up(db) {
      for (const table of ['tracked_records', 'run_items', 'quotes']) {
        await sql`alter table ${sql.table(table)} add column shown_total ${t.text}`.execute(db);
        await sql`alter table ${sql.table(table)} add column shown_fee ${t.text}`.execute(db);
      }
      await sql`alter table quotes add column shown_method ${t.text}`.execute(db);
      await sql`alter table quotes add column country ${t.text}`.execute(db);

      await sql`alter table payouts add column withheld ${t.text}`.execute(db);
      await sql`alter table payouts add column settled_currency ${t.text}`.execute(db);
      await sql`alter table payouts add column rate ${t.text}`.execute(db);

      await sql`create table run_revenue (
        run_key ${t.integer} primary key references runs,
        revenue ${t.text} not null
      ) ${t.end}`.execute(db);

      await t.makeNullable(db, 'breaks', 'record_key', ['break_events']);
      await t.makeNullable(db, 'staged_break_events', 'record_key', []);
    },
  };
}
