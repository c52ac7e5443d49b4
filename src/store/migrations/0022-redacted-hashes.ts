/** Evidence is looked up by the hash of its redacted text from an index, as by the hash received. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export function redactedHashes(): Migration {
  return {
    async up(db) {
      // Rows stored before redacted hashes were kept have none.
      for (const table of ['contents', 'sealed_bodies'])
        await sql`create index ${sql.ref(`${table}_redacted`)} on ${sql.table(table)} (redacted_sha256)
          where redacted_sha256 is not null`.execute(db);
    },
  };
}
