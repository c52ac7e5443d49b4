/**
 * Deliveries (webhooks, SDK events). They are durable before the sender gets its answer, because it does not send
 * them again.
 */
import { sql } from 'kysely';
import type { Kind, Origin, RecordPosition } from '../domain/record.ts';
import { ForeignItemError } from '../ports/store/errors.ts';
import type { Delivery, DeliveryOutcome, DeliveryStore } from '../ports/store/store.ts';
import { type BodyEdges, findBodies, type PreparedBodies, prepareBodies, sealBodies, storeBodies } from './bodies.ts';
import { flagCell, type Row } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { readWebhookEvents, webhookEventsCell } from './schema/facts.ts';
import { STATUS_CHANGE_COLUMNS } from './schema/runs.ts';
import { summedColumns } from './schema/tables.ts';
import {
  LAST_SNAPSHOT_OFFSET,
  PROJECTION_COLUMNS,
  projectionCells,
  readProjection,
  readState,
  STATE_COLUMNS,
} from './schema/tracking.ts';
import { requireSealer } from './sealing.ts';
import { changeSummed, type Moved, sumRows } from './summed-rows.ts';

const HEAD = ['kind', 'record_id', 'webhook_events'] as const;

async function readRecord(engine: Engine, tx: WriteTransaction, recordKey: number): Promise<Row> {
  const [row] = await tx.rows(
    engine.db
      .selectFrom('tracked_records')
      .select([...HEAD, ...PROJECTION_COLUMNS])
      .where('record_key', '=', recordKey),
  );
  if (row === undefined) throw new ForeignItemError(`a delivery for record key ${recordKey}`);
  return row;
}

/** Not the hash of the bytes: a replayed signature would then be accepted once for every way of formatting the body. */
const identityOf = ({ identity, body }: Delivery): string => identity ?? body.sha256;

/** A sender without an answer sends the same delivery again; only the first one is stored. */
async function isRepeated(tx: WriteTransaction, delivery: Delivery): Promise<boolean> {
  const known = await tx.db
    .selectFrom('deliveries')
    .select('delivery_key')
    .where('record_key', '=', delivery.recordKey)
    .where('origin', '=', delivery.origin)
    .where('event_type', '=', delivery.eventType ?? '')
    .where('sha256', '=', identityOf(delivery))
    .executeTakeFirst();
  return known !== undefined;
}

/** What the deliveries of one transaction share. */
interface Batch {
  prepared: PreparedBodies;
  edges: BodyEdges;
  /** What was added to tables under a sum. */
  moved: Moved[];
}

/** The snapshot, the projection and the status change of a readable body. */
async function saveRead(
  engine: Engine,
  tx: WriteTransaction,
  delivery: Delivery,
  read: NonNullable<Delivery['read']>,
  owner: RecordPosition,
  { prepared, edges, moved }: Batch,
): Promise<number> {
  const { recordKey, origin, at } = delivery;
  if (read.state.kind !== owner.kind || read.state.recordId !== owner.recordId) {
    throw new ForeignItemError(`a delivered state of another record under ${owner.kind} ${owner.recordId}`);
  }
  const body = { recordKey, state: read.state, ...delivery.body, isFirst: read.basis === null };
  const found = await findBodies(engine, tx, [body]);
  const stored = storeBodies(tx, [body], prepared, found, edges);
  const row = [recordKey, stored.keys[0] ?? null, origin, at];
  const [key = null] = await tx.insertForKeys(
    'snapshots',
    'snapshot_key',
    ['record_key', 'content_key', 'origin', 'received_at'],
    [row],
  );
  moved.push(stored.moved, { table: 'snapshots', is: [[key, ...row]] });
  const snapshot = key as number;
  // A body older than the known state only adds a snapshot: writers compare with the newest snapshot.
  if (read.projection === null) return snapshot;
  await tx.updateMany(
    'tracked_records',
    ['record_key'],
    [...PROJECTION_COLUMNS, 'body_created_at'],
    [[recordKey, ...projectionCells(read.projection, snapshot), read.state.createdAt]],
  );
  // The caller decides whether a delivered body counts as a verification, by `lastVerifiedAt`.
  if (read.projection.lastVerifiedAt === at) {
    await tx.updateMany('tracked_records', ['record_key'], ['last_verified_status'], [[recordKey, read.state.status]]);
  }
  if (read.statusChange !== null) {
    const { from, to, fromSeenAt, legal } = read.statusChange;
    // No run: the next run over the record reports the change.
    const row = [recordKey, owner.kind, owner.recordId, null, from, to, fromSeenAt, at, origin, flagCell(legal)];
    await tx.insertMany('status_changes', STATUS_CHANGE_COLUMNS, [row]);
    moved.push({ table: 'status_changes', is: [row] });
  }
  return snapshot;
}

async function saveOne(
  engine: Engine,
  tx: WriteTransaction,
  delivery: Delivery,
  batch: Batch,
): Promise<DeliveryOutcome> {
  const { edges } = batch;
  const { recordKey, origin, eventType, at, body, read } = delivery;
  const record = await readRecord(engine, tx, recordKey);
  if (await isRepeated(tx, delivery)) return { outcome: 'repeated' };
  if (read !== null && read.basis !== record[HEAD.length + LAST_SNAPSHOT_OFFSET]) {
    return { outcome: 'stale', projection: readProjection(record, HEAD.length) };
  }
  const owner = { kind: record[0] as Kind, recordId: record[1] as string };
  let snapshot: number | null = null;
  if (read === null) await sealBodies(tx, requireSealer(edges.sealer), [{ recordKey, ...owner, ...body, at }]);
  else snapshot = await saveRead(engine, tx, delivery, read, owner, batch);
  const row = [recordKey, origin, eventType ?? '', identityOf(delivery), snapshot, at];
  await tx.insertMany('deliveries', summedColumns('deliveries'), [row]);
  batch.moved.push({ table: 'deliveries', is: [row] });
  if (origin === 'webhook' && eventType !== null) {
    const events = [...readWebhookEvents(record[2] as string | null), { type: eventType, at }];
    await tx.updateMany(
      'tracked_records',
      ['record_key'],
      ['webhook_events'],
      [[recordKey, webhookEventsCell(events)]],
    );
  }
  return { outcome: 'stored' };
}

export function deliveryStore(engine: Engine, edges: BodyEdges): DeliveryStore {
  return {
    save: async (batch) => {
      const bodies = batch.flatMap(({ recordKey, read, body }) =>
        read === null ? [] : [{ recordKey, state: read.state, ...body, isFirst: read.basis === null }],
      );
      const prepared = await prepareBodies(engine, bodies);
      return engine.write(async (tx) => {
        const outcomes: DeliveryOutcome[] = [];
        const shared: Batch = { prepared, edges, moved: [] };
        const records = sql`${engine.inList('record_key', [...new Set(batch.map(({ recordKey }) => recordKey))])}`;
        await changeSummed(tx, edges.sealer, 'tracked_records', records, async () => {
          for (const delivery of batch) outcomes.push(await saveOne(engine, tx, delivery, shared));
        });
        await sumRows(tx, edges.sealer, shared.moved);
        return outcomes;
      });
    },
    /** By the newest snapshot that changed the record; a late body did not. */
    lastUpdatedAt: async (recordKeys) => {
      const rows = await engine.rows(
        engine.db
          .selectFrom('tracked_records as record')
          .innerJoin('snapshots as snapshot', 'snapshot.snapshot_key', 'record.last_snapshot')
          .innerJoin('contents as content', 'content.content_key', 'snapshot.content_key')
          .select(['record.record_key', 'content.updated_at'])
          .where(engine.inList('record.record_key', recordKeys)),
      );
      return new Map(rows.map((row) => [row[0] as number, row[1] as number | null]));
    },
    waiting: async () => {
      const [row] = await engine.rows(
        engine.db
          .selectFrom('deliveries as delivery')
          .innerJoin('tracked_records as record', 'record.record_key', 'delivery.record_key')
          .select(({ fn }) => fn.count<number>('delivery.record_key').distinct().as('records'))
          .where('delivery.looked_at', 'is', null)
          .where('record.retracted_at', 'is', null),
      );
      return Number(row?.[0] ?? 0);
    },
    readSince: async (eventTypes, since) => {
      const head = ['record.kind', 'record.record_id', 'record.quote_id'] as const;
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
      }));
    },
    learnedFrom: async () => {
      const counts: Record<Origin, number> = { fetch: 0, webhook: 0, event: 0, import: 0 };
      const rows = await engine.rows(
        engine.db
          .selectFrom('status_changes')
          .select(['learned_from', ({ fn }) => fn.countAll<number>().as('changes')])
          .groupBy('learned_from'),
      );
      for (const row of rows) counts[row[0] as Origin] = Number(row[1]);
      return counts;
    },
  };
}
