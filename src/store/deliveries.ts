/**
 * Deliveries (webhooks, SDK events). They are durable before the sender gets its answer, because it does not send
 * them again.
 */
import { sql } from 'kysely';
import type { Origin, RecordPosition } from '../domain/record.ts';
import { ForeignItemError } from '../ports/store/errors.ts';
import type { StoredWebhook, WebhookOutcome, WebhookStore } from '../ports/store/store.ts';
import {
  findBodies,
  type PreparedBodies,
  prepareBodies,
  type ReadBody,
  sealBodies,
  storeBodies,
  type Warn,
} from './bodies.ts';
import type { Row } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { only } from './schema/column.ts';
import { readWebhookEvents, webhookEventsCell } from './schema/facts.ts';
import { cell, of, selection } from './schema/places.ts';
import { changeCells } from './schema/runs.ts';
import { readState, STATE } from './schema/state.ts';
import type { RowOf } from './schema/tables.ts';
import { PROJECTION, projectionCells, readProjection, TRACKING } from './schema/tracking.ts';
import { findRows } from './statements.ts';
import { changeSummed, type Moved, summedCells, sumRows } from './summed-rows.ts';
import { insertForKeys, insertRows, type NewRow, updateRows } from './write-rows.ts';

const RECORD_PART = of(
  't',
  only(TRACKING.tracked_records.columns, 'record_key', 'kind', 'record_id', 'quote_id', 'webhook_events'),
);
const RECORD = selection({ own: RECORD_PART, projection: of('t', PROJECTION) });
const READ = selection({
  delivery: of('delivery', only(TRACKING.deliveries.columns, 'delivery_key', 'delivered_at')),
  own: RECORD_PART,
  state: of('content', STATE),
});

/** What the deliveries of one transaction share. */
interface Batch {
  prepared: PreparedBodies;
  warn: Warn;
  /** What was added to tables under a sum. */
  moved: Moved[];
}

/** A delivery that is to be stored, and the row of its record. */
interface Taken {
  index: number;
  delivery: StoredWebhook;
  named: Named;
  owner: RecordPosition;
  record: Row;
}

interface TakenRead extends Taken {
  read: NonNullable<StoredWebhook['read']>;
}

type Named = Pick<NewRow<'deliveries'>, 'record_key' | 'origin' | 'event_type' | 'sha256'>;

/** Not by the hash of the bytes: a replayed signature would then be accepted once for every way of formatting the body. */
const namesOf = ({ recordKey, origin, eventType, body, identity }: StoredWebhook): Named => ({
  record_key: recordKey,
  origin,
  event_type: eventType ?? '',
  sha256: identity ?? body.sha256,
});

const textOf = ({ record_key, origin, event_type, sha256 }: Named): string =>
  JSON.stringify([record_key, origin, event_type, sha256]);

const readBody = (delivery: StoredWebhook, { state, basis }: TakenRead['read']): ReadBody => ({
  recordKey: delivery.recordKey,
  state,
  ...delivery.body,
  isFirst: basis === null,
});

/** The snapshots, projections and status changes of readable bodies; a key for each. */
async function saveRead(tx: WriteTransaction, taken: readonly TakenRead[], batch: Batch): Promise<readonly number[]> {
  if (taken.length === 0) return [];
  const { prepared, warn, moved } = batch;
  const bodies = taken.map(({ delivery, read }) => readBody(delivery, read));
  const stored = storeBodies(tx, bodies, prepared, await findBodies(tx, bodies), warn);
  const rows = taken.map(({ delivery: { recordKey, origin, at } }, place) => {
    return { record_key: recordKey, content_key: stored.keys[place] as number, origin, received_at: at };
  });
  const keys = await insertForKeys(tx, 'snapshots', rows);
  const known: Partial<RowOf<'tracked_records'>>[] = [];
  const changes: NewRow<'status_changes'>[] = [];
  for (const [place, { delivery, owner, read }] of taken.entries()) {
    // A body older than the known state only adds a snapshot: writers compare with the newest snapshot.
    if (read.projection === null) continue;
    const { recordKey, origin, at } = delivery;
    const { kind, recordId } = owner;
    const projected = projectionCells(read.projection, keys[place] as number);
    known.push({ record_key: recordKey, ...projected, body_created_at: read.state.createdAt });
    if (read.statusChange === null) continue;
    // The next run over the record reports the change.
    const row = {
      record_key: recordKey,
      kind,
      record_id: recordId,
      run_key: null,
      to_seen_at: at,
      learned_from: origin,
    };
    changes.push({ ...changeCells(read.statusChange), ...row });
  }
  await updateRows(tx, 'tracked_records', known);
  await insertRows(tx, 'status_changes', changes);
  const snapshots = rows.map((row, place) => ({ ...row, snapshot_key: keys[place] }));
  moved.push(stored.moved, { table: 'snapshots', is: summedCells('snapshots', snapshots) });
  moved.push({ table: 'status_changes', is: summedCells('status_changes', changes) });
  return keys;
}

/** Deliveries of as many records: each statement is sent once for all of them, where a server answers each in a round trip. */
async function saveRound(
  tx: WriteTransaction,
  round: readonly (readonly [index: number, delivery: StoredWebhook])[],
  batch: Batch,
): Promise<readonly [index: number, outcome: WebhookOutcome][]> {
  const ofRecords = tx.inList(
    'record_key',
    round.map(([, { recordKey }]) => recordKey),
  );
  const rows = await tx.rows(tx.db.selectFrom('tracked_records as t').select(RECORD.columns).where(ofRecords));
  const { own, projection } = RECORD.at;
  const records = new Map(rows.map((row) => [cell(row, own.record_key), row]));
  const before = await findRows(tx.db, 'deliveries', ofRecords, ['record_key', 'origin', 'event_type', 'sha256']);
  const known = new Set(before.map(textOf));
  const outcomes: [number, WebhookOutcome][] = [];
  const taken: Taken[] = [];
  for (const [index, delivery] of round) {
    const { recordKey, read } = delivery;
    const record = records.get(recordKey);
    if (record === undefined) throw new ForeignItemError(`a delivery for record key ${recordKey}`);
    const owner = { kind: cell(record, own.kind), recordId: cell(record, own.record_id) };
    const named = namesOf(delivery);
    // A sender without an answer sends the same delivery again; only the first one is stored.
    if (known.has(textOf(named))) outcomes.push([index, { outcome: 'repeated' }]);
    else if (read !== null && read.basis !== cell(record, projection.last_snapshot))
      outcomes.push([index, { outcome: 'stale', projection: readProjection(record, projection) }]);
    else if (read !== null && (read.state.kind !== owner.kind || read.state.recordId !== owner.recordId))
      throw new ForeignItemError(`a delivered state of another record under ${owner.kind} ${owner.recordId}`);
    else taken.push({ index, delivery, named, owner, record });
  }
  const readable = taken.flatMap((each) =>
    each.delivery.read === null ? [] : [{ ...each, read: each.delivery.read }],
  );
  const keys = await saveRead(tx, readable, batch);
  const snapshots = new Map(readable.map(({ index }, place) => [index, keys[place] as number]));
  const unread = taken.filter(({ delivery }) => delivery.read === null);
  await sealBodies(
    tx,
    unread.map(({ delivery: { recordKey, body, at }, owner }) => ({ recordKey, ...owner, ...body, at })),
  );
  const added = taken.map(({ index, named, delivery }) => {
    return { ...named, snapshot_key: snapshots.get(index) ?? null, delivered_at: delivery.at };
  });
  await insertRows(tx, 'deliveries', added);
  batch.moved.push({ table: 'deliveries', is: summedCells('deliveries', added) });
  const events = taken.flatMap(({ record, delivery: { recordKey, origin, eventType, at } }) => {
    if (origin !== 'webhook' || eventType === null) return [];
    const told = [...readWebhookEvents(cell(record, own.webhook_events)), { type: eventType, at }];
    return [{ record_key: recordKey, webhook_events: webhookEventsCell(told) }];
  });
  await updateRows(tx, 'tracked_records', events);
  return [...outcomes, ...taken.map(({ index }): [number, WebhookOutcome] => [index, { outcome: 'stored' }])];
}

/** Each with one delivery of a record at most, in order: a second one is placed by what the first one made of the record. */
function roundsOf(batch: readonly StoredWebhook[]): (readonly [number, StoredWebhook])[][] {
  const rounds: (readonly [number, StoredWebhook])[][] = [];
  const counts = new Map<number, number>();
  for (const [index, delivery] of batch.entries()) {
    const earlier = counts.get(delivery.recordKey) ?? 0;
    counts.set(delivery.recordKey, earlier + 1);
    const round = rounds[earlier] ?? [];
    rounds[earlier] = round;
    round.push([index, delivery]);
  }
  return rounds;
}

export function webhookStore(engine: Engine, warn: Warn): WebhookStore {
  return {
    save: async (batch) => {
      const bodies = batch.flatMap((delivery) => (delivery.read === null ? [] : [readBody(delivery, delivery.read)]));
      const prepared = await prepareBodies(engine, bodies);
      return engine.write(async (tx) => {
        const outcomes: WebhookOutcome[] = [];
        const shared: Batch = { prepared, warn, moved: [] };
        const records = sql`${engine.inList('record_key', [...new Set(batch.map(({ recordKey }) => recordKey))])}`;
        await changeSummed(tx, 'tracked_records', records, async () => {
          for (const round of roundsOf(batch))
            for (const [index, outcome] of await saveRound(tx, round, shared)) outcomes[index] = outcome;
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
