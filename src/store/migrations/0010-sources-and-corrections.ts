/**
 * The figures of a run's sources, corrections of tracked records by people, and the hash of each body's kept text.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function sourcesAndCorrections(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table runs add column sources ${t.text}`.execute(db);
      await sql`alter table runs add column tracked ${t.integer}`.execute(db);
      await sql`alter table runs add column retracted ${t.integer}`.execute(db);

      await sql`alter table tracked_records add column retracted_at ${t.integer}`.execute(db);
      // Retracted records are few among millions, and are counted in every run.
      await sql`create index tracked_records_retracted on tracked_records (retracted_at)
        where retracted_at is not null`.execute(db);
      await sql`alter table tracking_conflicts add column settled_at ${t.integer}`.execute(db);
      await sql`create table tracking_events (
        event_key ${t.risingKey},
        record_key ${t.integer} not null references tracked_records,
        type ${t.text} not null,
        actor ${t.text} not null,
        reason ${t.text} not null,
        at ${t.integer} not null
      ) ${t.end}`.execute(db);
      await sql`create index tracking_events_record on tracking_events (record_key)`.execute(db);

      await sql`alter table contents add column redacted_sha256 ${t.text}`.execute(db);
      await sql`alter table sealed_bodies add column redacted_sha256 ${t.text}`.execute(db);
    },
  };
}
