/** Closed months, the statements about them, and the records of each statement. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function periods(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table period_statements (
        statement_key ${t.risingKey},
        period ${t.id} not null,
        type ${t.id} not null,
        number ${t.integer} not null,
        carried_in ${t.id} not null,
        state ${t.text} not null,
        timezone ${t.text} not null,
        stated_by ${t.text} not null,
        stated_at ${t.integer} not null,
        accepted_open ${t.text},
        break_watermark ${t.integer} not null,
        run_keys ${t.text} not null,
        terms ${t.text} not null,
        rules_hash ${t.text} not null,
        config_hash ${t.text} not null,
        code_version ${t.text} not null,
        figures ${t.text},
        folder ${t.text},
        manifest_sha256 ${t.text},
        unique (period, type, number, carried_in)
      ) ${t.end}`.execute(db);

      // In report order on disk, as a set is written from front to back.
      await sql`create table period_records (
        statement_key ${t.integer} not null references period_statements,
        kind ${t.id} not null,
        record_id ${t.id} not null,
        record_key ${t.integer} not null references tracked_records,
        look_run ${t.integer} references runs,
        verified_run ${t.integer} references runs,
        content_key ${t.integer} references contents,
        verdict ${t.text} not null,
        present ${t.integer} not null,
        changes ${t.text},
        primary key (statement_key, kind, record_id)
      ) ${t.clustered}`.execute(db);

      // Every run asks which of its records belong to a closed month; only a close writes to the index.
      await sql`create index period_records_record on period_records (record_key, statement_key)`.execute(db);

      // A month gets its row when its set is in place; the primary key refuses a second close.
      await sql`create table periods (
        period ${t.id} primary key,
        statement_key ${t.integer} not null references period_statements,
        state ${t.text} not null,
        reviewed_by ${t.text},
        reviewed_at ${t.integer}
      ) ${t.clustered}`.execute(db);
    },
  };
}
