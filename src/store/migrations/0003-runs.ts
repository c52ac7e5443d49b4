/** Runs, the records in them, and status changes. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function runs(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table runs (
        run_key ${t.key},
        run_id ${t.id} not null unique,
        job ${t.id} not null,
        business_day ${t.integer} not null,
        revision ${t.integer} not null,
        state ${t.text} not null,
        selection ${t.text} not null,
        timezone ${t.text} not null,
        started_at ${t.integer} not null,
        finished_at ${t.integer},
        as_of ${t.integer} not null,
        terms ${t.text} not null,
        rules_hash ${t.text} not null,
        config_hash ${t.text} not null,
        code_version ${t.text} not null,
        supersedes ${t.text},
        requests_sent ${t.integer} not null,
        planned ${t.integer} not null,
        population ${t.integer} not null,
        observed ${t.integer} not null,
        verdicts ${t.text},
        quote_watermark ${t.integer},
        reference_watermark ${t.integer},
        break_watermark ${t.integer},
        published_to ${t.text},
        unique (job, business_day, revision)
      ) ${t.end}`.execute(db);

      // In report order on disk: judging and publishing read a run from front to back.
      await sql`create table run_items (
        run_key ${t.integer} not null references runs,
        kind ${t.id} not null,
        record_id ${t.id} not null,
        record_key ${t.integer} not null,
        position ${t.integer} not null,
        due_class ${t.text} not null,
        quote_key ${t.integer},
        host_reference ${t.text},
        quote_id ${t.id},
        expected_status ${t.text},
        conflict ${t.text},
        webhook_events ${t.text},
        before_status ${t.text},
        before_status_since ${t.integer},
        before_peak_status ${t.text},
        before_peak_at ${t.integer},
        before_first_snapshot ${t.integer},
        before_terminal_snapshot ${t.integer},
        before_verified_at ${t.integer},
        before_verified_status ${t.text},
        outcome ${t.text},
        attempts ${t.integer} not null,
        observed_at ${t.integer},
        snapshot_key ${t.integer},
        content_key ${t.integer},
        reason ${t.text},
        detail ${t.text},
        drift ${t.text},
        http_status ${t.integer},
        error_code ${t.text},
        body_sha256 ${t.text},
        primary key (run_key, kind, record_id)
      ) ${t.clustered}`.execute(db);
      // Partial index of items to be fetched: an observation removes its row from the index.
      await sql`create index run_items_waiting on run_items (run_key, position) where outcome is null`.execute(db);

      await sql`create table status_changes (
        change_key ${t.key},
        record_key ${t.integer} not null references tracked_records,
        kind ${t.id} not null,
        record_id ${t.id} not null,
        run_key ${t.integer} references runs,
        from_status ${t.text} not null,
        to_status ${t.text} not null,
        from_seen_at ${t.integer} not null,
        to_seen_at ${t.integer} not null,
        learned_from ${t.text} not null,
        legal ${t.integer} not null
      ) ${t.end}`.execute(db);
      await sql`create index status_changes_run on status_changes (run_key, kind, record_id)`.execute(db);
    },
  };
}
