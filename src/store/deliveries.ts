/**
 * Deliveries (webhooks, SDK events). They are durable before the sender gets its answer, because it does not send
 * them again.
 */
import { sql } from 'kysely';
import type { Origin, RecordPosition } from '../domain/record.ts';
import { ForeignItemError } from '../ports/store/errors.ts';
import type { StoredWebhook, WebhookOutcome, WebhookStore } from '../ports/store/store.ts';
import { findBodies, type PreparedBodies, prepareBodies, sealBodies, storeBodies, type Warn } from './bodies.ts';
import type { Row } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { only } from './schema/column.ts';
import { readWebhookEvents, webhookEventsCell } from './schema/facts.ts';
import { cell, of, selection } from './schema/places.ts';
import { changeCells } from './schema/runs.ts';
import { readState, STATE } from './schema/state.ts';
import { PROJECTION, projectionCells, readProjection, TRACKING } from './schema/tracking.ts';
import { findRow } from './statements.ts';
import { changeSummed, type Moved, summedCells, sumRows } from './summed-rows.ts';
import { insertForKeys, insertRows, updateRows } from './write-rows.ts';

const RECORD_PART = of('t', only(TRACKING.tracked_records.columns, 'kind', 'record_id', 'quote_id', 'webhook_events'));
const RECORD = selection({ own: RECORD_PART, projection: of('t', PROJECTION) });
const READ = selection({
  delivery: of('delivery', only(TRACKING.deliveries.columns, 'delivery_key', 'delivered_at')),
  own: RECORD_PART,
  state: of('content', STATE),
});

async function readRecord(tx: WriteTransaction, recordKey: number): Promise<Row> {
  const [row] = await tx.rows(
    tx.db.selectFrom('tracked_records as t').select(RECORD.columns).where('record_key', '=', recordKey),
  );
  if (row === undefined) throw new ForeignItemError(`a delivery for record key ${recordKey}`);
  return row;
}

/** What the deliveries of one transaction share. */
interface Batch {
  prepared: PreparedBodies;
  warn: Warn;
  /** What was added to tables under a sum. */
  moved: Moved[];
}

/** The snapshot, the projection and the status change of a readable body. */
async function saveRead(
  tx: WriteTransaction,
  delivery: StoredWebhook,
  read: NonNullable<StoredWebhook['read']>,
  owner: RecordPosition,
  { prepared, warn, moved }: Batch,
): Promise<number> {
  const { recordKey, origin, at } = delivery;
  if (read.state.kind !== owner.kind || read.state.recordId !== owner.recordId)
    throw new ForeignItemError(`a delivered state of another record under ${owner.kind} ${owner.recordId}`);
  const body = { recordKey, state: read.state, ...delivery.body, isFirst: read.basis === null };
  const found = await findBodies(tx, [body]);
  const stored = storeBodies(tx, [body], prepared, found, warn);
  const row = { record_key: recordKey, content_key: stored.keys[0] as number, origin, received_at: at };
  const [key] = await insertForKeys(tx, 'snapshots', [row]);
  moved.push(stored.moved, { table: 'snapshots', is: summedCells('snapshots', [{ ...row, snapshot_key: key }]) });
  const snapshot = key as number;
  // A body older than the known state only adds a snapshot: writers compare with the newest snapshot.
  if (read.projection === null) return snapshot;
  await updateRows(tx, 'tracked_records', [
    {
      record_key: recordKey,
      ...projectionCells(read.projection, snapshot),
      body_created_at: read.state.createdAt,
      // The caller decides whether a delivered body counts as a verification, by `lastVerifiedAt`.
      ...(read.projection.lastVerifiedAt === at ? { last_verified_status: read.state.status } : {}),
    },
  ]);
  if (read.statusChange !== null) {
    const { kind, recordId } = owner;
    const changes = [
      {
        ...changeCells(read.statusChange),
        record_key: recordKey,
        kind,
        record_id: recordId,
        // The next run over the record reports the change.
        run_key: null,
        to_seen_at: at,
        learned_from: origin,
      },
    ];
    await insertRows(tx, 'status_changes', changes);
    moved.push({ table: 'status_changes', is: summedCells('status_changes', changes) });
  }
  return snapshot;
}

async function saveOne(tx: WriteTransaction, delivery: StoredWebhook, batch: Batch): Promise<WebhookOutcome> {
  const { recordKey, origin, eventType, at, body, read } = delivery;
  const record = await readRecord(tx, recordKey);
  // Not the hash of the bytes: a replayed signature would then be accepted once for every way of formatting the body.
  const sha256 = delivery.identity ?? body.sha256;
  const named = { record_key: recordKey, origin, event_type: eventType ?? '', sha256 };
  // A sender without an answer sends the same delivery again; only the first one is stored.
  if ((await findRow(tx.db, 'deliveries', named, ['delivery_key'])) !== undefined) return { outcome: 'repeated' };
  const { own, projection } = RECORD.at;
  if (read !== null && read.basis !== cell(record, projection.last_snapshot))
    return { outcome: 'stale', projection: readProjection(record, projection) };
  const owner = { kind: cell(record, own.kind), recordId: cell(record, own.record_id) };
  let snapshot: number | null = null;
  if (read === null) await sealBodies(tx, [{ recordKey, ...owner, ...body, at }]);
  else snapshot = await saveRead(tx, delivery, read, owner, batch);
  const rows = [{ ...named, snapshot_key: snapshot, delivered_at: at }];
  await insertRows(tx, 'deliveries', rows);
  batch.moved.push({ table: 'deliveries', is: summedCells('deliveries', rows) });
  if (origin === 'webhook' && eventType !== null) {
    const events = [...readWebhookEvents(cell(record, own.webhook_events)), { type: eventType, at }];
    await updateRows(tx, 'tracked_records', [{ record_key: recordKey, webhook_events: webhookEventsCell(events) }]);
  }
  return { outcome: 'stored' };
}

export function webhookStore(engine: Engine, warn: Warn): WebhookStore {
  return {
    save: async (batch) => {
      const bodies = batch.flatMap(({ recordKey, read, body }) =>
        read === null ? [] : [{ recordKey, state: read.state, ...body, isFirst: read.basis === null }],
      );
      const prepared = await prepareBodies(engine, bodies);
      return engine.write(async (tx) => {
        const outcomes: WebhookOutcome[] = [];
        const shared: Batch = { prepared, warn, moved: [] };
        const records = sql`${engine.inList('record_key', [...new Set(batch.map(({ recordKey }) => recordKey))])}`;
        await changeSummed(tx, 'tracked_records', records, async () => {
          for (const delivery of batch) outcomes.push(await saveOne(tx, delivery, shared));
        });
        await sumRows(tx, shared.moved);
        return outcomes;
      });
    },
    /** By the newest snapshot that changed the record; a late body did not. */
    lastUpdatedAt: async (recordKeys) => {
      const rows = await engine.db
        .selectFrom('tracked_records as record')
        .innerJoin('snapshots as snapshot', 'snapshot.snapshot_key', 'record.last_snapshot')
        .innerJoin('contents as content', 'content.content_key', 'snapshot.content_key')
        .select(['record.record_key', 'content.updated_at'])
        .where(engine.inList('record.record_key', recordKeys))
        .execute();
      return new Map(rows.map((row) => [row.record_key, row.updated_at]));
    },
    waiting: async () => {
      const { records } = await engine.db
        .selectFrom('deliveries as delivery')
        .innerJoin('tracked_records as record', 'record.record_key', 'delivery.record_key')
        .select(({ fn }) => fn.count<number>('delivery.record_key').distinct().as('records'))
        .where('delivery.looked_at', 'is', null)
        .where('record.retracted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(records);
    },
    readSince: async (eventTypes, since, after) => {
      const query = engine.db
        .selectFrom('deliveries as delivery')
        .innerJoin('tracked_records as t', 't.record_key', 'delivery.record_key')
        .innerJoin('snapshots as snapshot', 'snapshot.snapshot_key', 'delivery.snapshot_key')
        .innerJoin('contents as content', 'content.content_key', 'snapshot.content_key')
        .select(READ.columns)
        .where('delivery.delivered_at', '>=', since)
        .where('delivery.delivery_key', '>', after)
        .where('delivery.event_type', 'in', [...eventTypes])
        .orderBy(sql`delivery.delivered_at, delivery.delivery_key`);
      const { delivery, own, state } = READ.at;
      return engine.each(query, (row) => ({
        key: cell(row, delivery.delivery_key),
        deliveredAt: cell(row, delivery.delivered_at),
        state: readState(row, state, cell(row, own.kind), cell(row, own.record_id)),
        quoteId: cell(row, own.quote_id),
      }));
    },
    learnedFrom: async () => {
      const counts: Record<Origin, number> = { fetch: 0, webhook: 0, event: 0, import: 0 };
      const rows = await engine.db
        .selectFrom('status_changes')
        .select(['learned_from', ({ fn }) => fn.countAll<number>().as('changes')])
        .groupBy('learned_from')
        .execute();
      for (const row of rows) counts[row.learned_from] = Number(row.changes);
      return counts;
    },
  };
}
