/** A snapshot or a body's figures can be deleted without a scan of the tables that could refer to them: foreign keys have no index. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export function referringRows(): Migration {
  return {
    async up(db) {
      await sql`create index snapshots_content on snapshots (content_key)`.execute(db);
      await sql`create index deliveries_snapshot on deliveries (snapshot_key) where snapshot_key is not null`.execute(
        db,
      );
      await sql`create index period_records_content on period_records (content_key) where content_key is not null`.execute(
        db,
      );
    },
  };
}
