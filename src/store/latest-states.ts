/** What is known of every tracked record today: its newest readable body, page by page in report order. */
import type { Kind } from '../domain/record.ts';
import type { KnownRecord, LatestScope } from './contract.ts';
import type { Engine } from './engine.ts';
import { readState, STATE_COLUMNS } from './state-columns.ts';

const HEAD = 6;

export async function latestStates(
  engine: Engine,
  scope: LatestScope,
  after: { kind: Kind; recordId: string } | null,
  limit: number,
): Promise<readonly KnownRecord[]> {
  let query = engine.db
    .selectFrom('tracked_records as t')
    .leftJoin('snapshots as s', 's.snapshot_key', 't.last_snapshot')
    .leftJoin('contents as c', 'c.content_key', 's.content_key')
    .select(['t.kind', 't.record_id', 't.host_reference', 't.last_verified_at', 't.told_created_at', 'c.content_key'])
    .select(STATE_COLUMNS.map((column) => `c.${column}` as const))
    .orderBy('t.kind')
    .orderBy('t.record_id')
    .limit(limit);
  if (scope.kind !== null) query = query.where('t.kind', '=', scope.kind);
  if (scope.createdFrom !== null) query = query.where('t.body_created_at', '>=', scope.createdFrom);
  if (scope.createdTo !== null) query = query.where('t.body_created_at', '<', scope.createdTo);
  if (after !== null) {
    query = query.where((where) =>
      where.or([
        where('t.kind', '>', after.kind),
        where.and([where('t.kind', '=', after.kind), where('t.record_id', '>', after.recordId)]),
      ]),
    );
  }
  return engine.each(query, (row) => {
    const kind = row[0] as Kind;
    const recordId = row[1] as string;
    return {
      kind,
      recordId,
      hostReference: row[2] as string | null,
      lastVerifiedAt: row[3] as number | null,
      toldCreatedAt: row[4] as number | null,
      state: row[5] === null ? null : readState(row, HEAD, kind, recordId),
    };
  });
}
