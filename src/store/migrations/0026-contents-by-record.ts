/**
 * Contents are unique by record, then hash, and hashes are indexed in blocks as redacted ones are (0025): in an index that
 * begins with a random hash each new row went to a page of its own.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function contentsByRecord(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await t.reorderUnique(db, 'contents', ['sha256', 'record_key'], ['record_key', 'sha256']);
      await sql`create index contents_received on contents ((content_key / 1024), sha256)`.execute(db);
    },
  };
}
