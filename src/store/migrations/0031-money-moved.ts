/**
 * Whether a record's money has moved, who bears its loss, and the loss that is not at stake; which breaks another one leads; and the
 * statuses that a record passed, by record.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function moneyMoved(t: ColumnTypes): Migration {
  return {
    async up(db) {
      for (const table of ['break_events', 'staged_break_events']) {
        for (const column of ['record_status', 'money_moved', 'loss_bearer', 'money_aside'])
          await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${t.text}`.execute(db);
      }
      for (const column of ['record_status', 'money_moved'])
        await sql`alter table breaks add column ${sql.ref(column)} ${t.id}`.execute(db);
      await sql`alter table breaks add column is_led ${t.integer} not null default 0`.execute(db);
      await sql`update breaks set is_led = 1 where exists (
        select 1 from break_events as e
        where e.event_key = breaks.last_event_key and e.leading_break_id <> breaks.break_id)`.execute(db);
      await sql`create index status_changes_record on status_changes (record_key)`.execute(db);
    },
  };
}
