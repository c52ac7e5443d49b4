/** A capture of reference data is one row for all lists: hourly rows for each unchanged list made most of a year's growth. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function passesOfCaptures(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table reference_captures add column entries ${t.text}`.execute(db);
    },
  };
}
