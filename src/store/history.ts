/** The full history of single records: few rows, read with plain statements. */
import { sql } from 'kysely';
import type { Kind, Origin } from '../domain/record.ts';
import type { HistoryStore, SeenBody } from '../ports/store/store.ts';
import { readOneCase } from './cases.ts';
import type { Engine } from './engine.ts';
import { listName, readTimelines } from './reference-timelines.ts';
import { findStatusChanges } from './run-rows.ts';
import { BLOCKS, ofRecord } from './statements.ts';

async function readable(engine: Engine, kind: Kind, recordId: string): Promise<readonly SeenBody[]> {
  const rows = await engine.db
    .selectFrom('tracked_records as record')
    .innerJoin('snapshots as snapshot', 'snapshot.record_key', 'record.record_key')
    .innerJoin('contents as content', 'content.content_key', 'snapshot.content_key')
    .leftJoin('bodies as body', 'body.content_key', 'content.content_key')
    .select(['content.sha256', 'content.redacted_sha256 as redactedSha256', 'snapshot.received_at as at'])
    .select(['snapshot.origin', 'snapshot.http_status as httpStatus', 'content.status', 'body.content_key as text'])
    .where('record.kind', '=', kind)
    .where('record.record_id', '=', recordId)
    .orderBy('snapshot.snapshot_key')
    .execute();
  return rows.map(({ text, ...row }) => ({ ...row, kept: text === null ? 'forgotten' : 'text' }));
}

const DELIVERED_BY = sql<Origin | null>`(select min(d.origin) from deliveries as d
  where d.record_key = body.record_key and d.sha256 = body.sha256)`;

/** Bodies that could not be read: fetched, unless the same bytes were delivered. */
async function sealed(engine: Engine, kind: Kind, recordId: string): Promise<readonly SeenBody[]> {
  const rows = await engine.db
    .selectFrom('tracked_records as record')
    .innerJoin('sealed_bodies as body', 'body.record_key', 'record.record_key')
    .select(['body.sha256', 'body.redacted_sha256 as redactedSha256', 'body.stored_at as at'])
    .select(DELIVERED_BY.as('origin'))
    .where('record.kind', '=', kind)
    .where('record.record_id', '=', recordId)
    .orderBy('body.sealed_key')
    .execute();
  return rows.map((row) => ({
    ...row,
    origin: row.origin ?? 'fetch',
    httpStatus: null,
    status: null,
    kept: 'sealed',
  }));
}

export function historyStore(engine: Engine): HistoryStore {
  return {
    caseOf: readOneCase(engine),
    statusChanges: (kind, recordId) => findStatusChanges(engine.db, ofRecord(kind, recordId)),
    methodsCapturedAt: async (direction, at, watermark) => {
      const timeline = (await readTimelines(engine, watermark)).get(listName('methods', direction, ''));
      return timeline?.times.findLast((time) => time <= at) ?? null;
    },
    /** By the hash received first, then by that of the redacted text; each has an index, of the contents in blocks. */
    recordsWith: async (prefix) => {
      // The digits end with f, so that `g` is behind every hash that begins so.
      const end = `${prefix}g`;
      // SQLite takes the tables of a cross join in the order of the text.
      const contents = [sql`${BLOCKS} cross join contents as body`, sql`and body.content_key / 1024 = block.number`];
      for (const column of ['body.sha256', 'body.redacted_sha256'] as const) {
        const found: { kind: Kind; recordId: string }[] = [];
        for (const [bodies, condition] of [contents, [sql`sealed_bodies as body`, sql``]]) {
          const { rows } = await sql<{ kind: Kind; recordId: string }>`
            select distinct record.kind, record.record_id as "recordId" from ${bodies}
            join tracked_records as record on record.record_key = body.record_key
            where ${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${end} ${condition} limit 20`.execute(
            engine.db,
          );
          found.push(...rows);
        }
        if (found.length > 0) return found;
      }
      return [];
    },
    sightings: async (kind, recordId) => {
      const seen = [...(await readable(engine, kind, recordId)), ...(await sealed(engine, kind, recordId))];
      return seen.sort((a, b) => a.at - b.at);
    },
  };
}
