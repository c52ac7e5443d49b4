/**
 * The application's own date of a record as a witness of its month, and a keyed digest of the figures of each body.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function witnesses(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table run_items add column told_created_at ${t.integer}`.execute(db);
      await sql`alter table contents add column digest ${t.bytes}`.execute(db);
    },
  };
}
