/** The order of the queue by money: what is owed to the host first, then by currency, the largest amounts of each first. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';
import { queueCells } from '../schema/queue-order.ts';

export function queueOrder(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table breaks add column queue_key ${t.id} not null default ''`.execute(db);
      await sql`update breaks set queue_key = s.queue_key
        from (select e.event_key, ${queueCells('e').queueKey} as queue_key from break_events as e) as s
        where s.event_key = breaks.last_event_key`.execute(db);
      // The condition must have the text of the query in work-list/queue.ts.
      await sql`create index breaks_by_queue on breaks (queue_key, break_key) where state <> 'waived' and state <> 'resolved'`.execute(
        db,
      );
      await sql`drop index breaks_by_state`.execute(db);
      await sql`create index breaks_by_state on breaks (state, queue_key, break_key)`.execute(db);
    },
  };
}
