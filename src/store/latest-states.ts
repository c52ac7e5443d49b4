/** What is known of every tracked record today: its newest readable body, page by page in report order. */
import type { Kind } from '../domain/record.ts';
import type { KnownRecord, LatestScope } from '../ports/store/store.ts';
import type { Engine, Row } from './engine.ts';
import { QUOTE_CELLS_OF_RECORD, readLinked } from './linked-quotes.ts';
import { stretch } from './places.ts';
import { readState, STATE_COLUMNS } from './state-columns.ts';

const HEAD = 6;
const AT_QUOTE = HEAD + STATE_COLUMNS.length;

function newestBodies(engine: Engine) {
  return engine.db
    .selectFrom('tracked_records as t')
    .leftJoin('snapshots as s', 's.snapshot_key', 't.last_snapshot')
    .leftJoin('contents as c', 'c.content_key', 's.content_key')
    .select(['t.kind', 't.record_id', 't.host_reference', 't.last_verified_at', 't.told_created_at', 'c.content_key'])
    .select(STATE_COLUMNS.map((column) => `c.${column}` as const));
}

/** With the quote that the application named, and the promise for the record's own method in it. */
function withLinkedQuote(query: ReturnType<typeof newestBodies>) {
  return query
    .leftJoin('quotes as q', 'q.quote_id', 't.quote_id')
    .leftJoin('quote_methods as m', (join) =>
      join.onRef('m.quote_key', '=', 'q.quote_key').onRef('m.method', '=', 'c.payment_method'),
    )
    .select(QUOTE_CELLS_OF_RECORD);
}

export async function latestStates(
  engine: Engine,
  scope: LatestScope,
  after: { kind: Kind; recordId: string } | null,
  limit: number,
): Promise<readonly KnownRecord[]> {
  let query = newestBodies(engine).orderBy('t.kind').orderBy('t.record_id').limit(limit);
  if (scope.kind !== null) query = query.where('t.kind', '=', scope.kind);
  if (scope.createdFrom !== null) query = query.where('t.body_created_at', '>=', scope.createdFrom);
  if (scope.createdTo !== null) query = query.where('t.body_created_at', '<', scope.createdTo);
  if (after !== null) query = query.where(stretch('t', { after }, null));
  return engine.each(scope.quotes === true ? withLinkedQuote(query) : query, (row) => {
    const known = readKnown(row);
    return scope.quotes === true ? { ...known, linked: readLinked(row, AT_QUOTE, known.state) } : known;
  });
}

function readKnown(row: Row): KnownRecord {
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
}
