/** When a record was paid and released, where its body lists the moments of its statuses. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function moments(t: ColumnTypes): Migration {
  return {
    async up(db) {
      for (const column of ['paid_at', 'released_at']) {
        await sql`alter table contents add column ${sql.ref(column)} ${t.integer}`.execute(db);
      }
    },
  };
}
