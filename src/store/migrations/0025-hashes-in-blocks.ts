/**
 * Redacted hashes are indexed in blocks of 1,024 consecutive contents. A hash is random: in one index each new row went to a page
 * of its own, and a quarter of the bytes that a night writes were pages of this index.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export function hashesInBlocks(): Migration {
  return {
    async up(db) {
      await sql`drop index contents_redacted`.execute(db);
      await sql`create index contents_redacted on contents ((content_key / 1024), redacted_sha256)
        where redacted_sha256 is not null`.execute(db);
    },
  };
}
