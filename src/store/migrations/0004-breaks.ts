/** Breaks, their events, and the events of runs that are not settled yet. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function breaks(t: ColumnTypes): Migration {
  const identity = sql`
        break_id ${t.id} not null,
        record_key ${t.integer} not null references tracked_records,
        kind ${t.id} not null,
        record_id ${t.id} not null,
        rule ${t.id} not null,
        field ${t.id} not null`;
  const event = sql`
        type ${t.text} not null,
        at ${t.integer} not null,
        who ${t.text} not null,
        reason ${t.text},
        host_reference ${t.text},
        severity ${t.text} not null,
        state ${t.text} not null,
        first_seen_day ${t.integer} not null,
        last_seen_day ${t.integer} not null,
        times_reopened ${t.integer} not null,
        assignee ${t.text},
        waiver ${t.text},
        expected ${t.text},
        actual ${t.text},
        difference ${t.text},
        currency ${t.text},
        tolerance ${t.text},
        explanation ${t.text} not null,
        evidence_sha256 ${t.text}`;
  return {
    async up(db) {
      await sql`create table breaks (
        break_key ${t.key},
        ${identity},
        state ${t.text} not null,
        first_seen_day ${t.integer} not null,
        assignee ${t.text},
        events ${t.integer} not null,
        last_event_key ${t.integer} not null,
        unique (break_id),
        unique (kind, record_id, rule, field)
      ) ${t.end}`.execute(db);
      await sql`create index breaks_record on breaks (record_key)`.execute(db);
      await sql`create index breaks_state on breaks (state)`.execute(db);

      await sql`create table break_events (
        event_key ${t.risingKey},
        break_key ${t.integer} not null references breaks,
        run_key ${t.integer} references runs,
        ${event}
      ) ${t.end}`.execute(db);
      await sql`create index break_events_break on break_events (break_key, event_key)`.execute(db);

      await sql`create table staged_break_events (
        staged_key ${t.key},
        run_key ${t.integer} not null references runs,
        ${identity},
        ${event}
      ) ${t.end}`.execute(db);
      await sql`create index staged_break_events_run on staged_break_events (run_key, staged_key)`.execute(db);
    },
  };
}
