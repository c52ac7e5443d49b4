/** A capture of lists whose figures alone moved keeps the figures, packed; the lists themselves are stored once. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function figuresOfCaptures(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table reference_captures add column figures ${t.bytes}`.execute(db);
    },
  };
}
