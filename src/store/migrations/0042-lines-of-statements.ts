/** What a line of a partner's statement is about; the payments before are shares. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function linesOfStatements(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table payouts add column type ${t.text}`.execute(db);
    },
  };
}
