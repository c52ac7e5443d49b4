/** What was delivered so far, for those who act on it: the recheck, the capture of quotes, and the figures of the server. */
import type { Instant, Kind, Origin } from '../domain/record.ts';
import type { DeliveredState } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';
import { readState, STATE_COLUMNS } from './state-columns.ts';

/** By the newest snapshot that moved the record; a late body is not one. */
export async function lastUpdatedAt(
  engine: Engine,
  recordKeys: readonly number[],
): Promise<ReadonlyMap<number, Instant | null>> {
  const rows = await engine.rows(
    engine.db
      .selectFrom('tracked_records as record')
      .innerJoin('snapshots as snapshot', 'snapshot.snapshot_key', 'record.last_snapshot')
      .innerJoin('contents as content', 'content.content_key', 'snapshot.content_key')
      .select(['record.record_key', 'content.updated_at'])
      .where(engine.inList('record.record_key', recordKeys)),
  );
  return new Map(rows.map((row) => [row[0] as number, row[1] as number | null]));
}

export async function waitingRecords(engine: Engine): Promise<number> {
  const [row] = await engine.rows(
    engine.db
      .selectFrom('deliveries')
      .select(({ fn }) => fn.count<number>('record_key').distinct().as('records'))
      .where('looked_at', 'is', null),
  );
  return Number(row?.[0] ?? 0);
}

export async function readSince(
  engine: Engine,
  eventTypes: readonly string[],
  since: Instant,
): Promise<readonly DeliveredState[]> {
  const head = ['record.kind', 'record.record_id', 'record.quote_id', 'delivery.delivered_at'] as const;
  const rows = await engine.rows(
    engine.db
      .selectFrom('deliveries as delivery')
      .innerJoin('tracked_records as record', 'record.record_key', 'delivery.record_key')
      .innerJoin('snapshots as snapshot', 'snapshot.snapshot_key', 'delivery.snapshot_key')
      .innerJoin('contents as content', 'content.content_key', 'snapshot.content_key')
      .select([...head, ...STATE_COLUMNS.map((column) => `content.${column}` as const)])
      .where('delivery.delivered_at', '>=', since)
      .where('delivery.event_type', 'in', [...eventTypes])
      .orderBy('delivery.delivered_at')
      .orderBy('delivery.delivery_key'),
  );
  return rows.map((row) => ({
    state: readState(row, head.length, row[0] as Kind, row[1] as string),
    quoteId: row[2] as string | null,
    deliveredAt: row[3] as number,
  }));
}

export async function learnedFrom(engine: Engine): Promise<Readonly<Record<Origin, number>>> {
  const counts: Record<Origin, number> = { fetch: 0, webhook: 0, event: 0, import: 0 };
  const rows = await engine.rows(
    engine.db
      .selectFrom('status_changes')
      .select(['learned_from', ({ fn }) => fn.countAll<number>().as('changes')])
      .groupBy('learned_from'),
  );
  for (const row of rows) counts[row[0] as Origin] = Number(row[1]);
  return counts;
}
