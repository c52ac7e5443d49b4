/**
 * Rare filters and texts of the queue are answered from indexes at a million breaks: the words of each break, and the columns
 * that people filter by. The creation of the record is a column of the break, so that a month needs no join.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.ts';
import { wordsOf } from '../schema/queue-order.ts';

export function search({ types, words }: Pick<Engine, 'types' | 'words'>): Migration {
  return {
    async up(db) {
      await sql`alter table breaks add column created_at ${types.integer}`.execute(db);
      await sql`update breaks set created_at = coalesce(t.told_created_at, t.body_created_at)
        from tracked_records as t where t.record_key = breaks.record_key`.execute(db);
      for (const column of ['rule', 'assignee', 'currency', 'created_at'])
        await sql`create index ${sql.ref(`breaks_by_${column}`)} on breaks (${sql.ref(column)}, state)`.execute(db);
      await sql`drop index breaks_state`.execute(db);
      await sql`create index breaks_by_state on breaks (state, stake_key, break_key)`.execute(db);
      await sql`create index tracked_records_host on tracked_records (host_reference) where host_reference is not null`.execute(
        db,
      );
      for (const statement of words.make) await statement.execute(db);
      await words.add(wordsOf(sql`b.last_event_key > 0`)).execute(db);
    },
  };
}
