/**
 * Saves a batch of observations in one transaction: snapshots, projections, status changes and the items themselves.
 */
import type { Kind, RecordPosition } from '../domain/record.ts';
import { ForeignItemError } from '../ports/store/errors.ts';
import type { ItemStore, ObservedItem, StaleItem } from '../ports/store/store.ts';
import {
  type BodyEdges,
  type FoundBodies,
  findBodies,
  type PreparedBodies,
  prepareBodies,
  type ReadBody,
  sealBodies,
  storeBodies,
  type UnreadBody,
} from './bodies.ts';
import { flagCell, type Row } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { type RunHead, runHeadIn } from './run-rows.ts';
import {
  OBSERVATION_COLUMNS,
  observationCells,
  PAST_COLUMNS,
  PAST_SOURCES,
  STATUS_CHANGE_COLUMNS,
} from './schema/runs.ts';
import { summedColumns } from './schema/tables.ts';
import { LAST_SNAPSHOT_OFFSET, PROJECTION_COLUMNS, projectionCells, readProjection } from './schema/tracking.ts';
import { requireSealer } from './sealing.ts';
import { addToLane, laneOf, type Moved, openLane } from './summed-rows.ts';

type Observed = ObservedItem['observed'];
type Verified = Extract<Observed, { outcome: 'verified' }>;

/** An item to be written, with the state of its record before this observation. */
interface Pending extends RecordPosition {
  item: ObservedItem;
  /** The cells with the state before this run, in the order of PAST_COLUMNS. */
  past: Row;
  /** The cells of the record that are under the sum of its table. */
  was: Row;
}

const SUMMED = summedColumns('tracked_records');
const HEAD = ['record.record_key', 'record.kind', 'record.record_id', 'item.outcome', 'item.run_key'] as const;

/** The records of the batch with the items of the run. */
function recordsOf(engine: Engine, tx: WriteTransaction, runId: string, keys: readonly number[]) {
  const projection = PROJECTION_COLUMNS.map((column) => `record.${column}` as const);
  const past = PAST_SOURCES.map((column) => `record.${column} as past_${column}` as const);
  const summed = SUMMED.map((column) => `record.${column} as summed_${column}` as const);
  return tx.rows(
    engine.db
      .selectFrom('tracked_records as record')
      // A left join fixes the join order: records of the batch first, not all items of the run.
      .leftJoin('run_items as item', (join) =>
        join
          .on('item.run_key', '=', (run) => run.selectFrom('runs').select('run_key').where('run_id', '=', runId))
          .onRef('item.kind', '=', 'record.kind')
          .onRef('item.record_id', '=', 'record.record_id'),
      )
      .select([...HEAD, ...projection, ...past, ...summed])
      .where(engine.inList('record.record_key', keys)),
  );
}

/** The items of the batch without an observation, and those whose projection has changed since it was read (stale). */
function pendingItems(
  rows: readonly Row[],
  batch: readonly ObservedItem[],
): { pending: Pending[]; stale: StaleItem[] } {
  const known = new Map(rows.map((row) => [row[0] as number, row]));
  const pastAt = HEAD.length + PROJECTION_COLUMNS.length;
  const summedAt = pastAt + PAST_SOURCES.length;
  const pending: Pending[] = [];
  const stale: StaleItem[] = [];
  const taken = new Set<number>();
  for (const item of batch) {
    const row = known.get(item.recordKey);
    if (row === undefined || row[4] === null)
      throw new ForeignItemError(`an observation of record key ${item.recordKey}`);
    if (row[3] !== null || taken.has(item.recordKey)) continue;
    const { observed } = item;
    if (observed.outcome === 'verified' && observed.basis !== undefined) {
      if (observed.basis !== row[HEAD.length + LAST_SNAPSHOT_OFFSET]) {
        stale.push({ recordKey: item.recordKey, projection: readProjection(row, HEAD.length) });
        continue;
      }
    }
    taken.add(item.recordKey);
    const kept = { past: row.slice(pastAt, summedAt), was: row.slice(summedAt) };
    pending.push({ item, kind: row[1] as Kind, recordId: row[2] as string, ...kept });
  }
  return { pending, stale };
}

function readBodies(items: readonly { item: ObservedItem }[]): ReadBody[] {
  const bodies: ReadBody[] = [];
  for (const { item } of items) {
    const { observed, recordKey } = item;
    if (observed.outcome !== 'verified') continue;
    const { state, sha256, evidence, basis } = observed;
    bodies.push({ recordKey, state, sha256, evidence, isFirst: basis === null });
  }
  return bodies;
}

function unreadBodies(items: readonly Pending[]): UnreadBody[] {
  const bodies: UnreadBody[] = [];
  for (const { item, kind, recordId } of items) {
    const { observed, recordKey } = item;
    if (observed.outcome !== 'quarantined' || observed.body === null) continue;
    bodies.push({ recordKey, kind, recordId, at: observed.at, ...observed.body });
  }
  return bodies;
}

/** Refuses the state of another record: reports would show it under the wrong id. */
function checkIdentity(entry: Pending, observed: Verified): void {
  const { state } = observed;
  if (state.kind === entry.kind && state.recordId === entry.recordId) return;
  throw new ForeignItemError(`the state of ${state.kind} ${state.recordId} as that of ${entry.kind} ${entry.recordId}`);
}

interface Saved {
  /** By record key. */
  snapshots: ReadonlyMap<number, { key: number; content: number }>;
  /** What was changed in tables under a sum. */
  moved: readonly Moved[];
}

const SNAPSHOT = [...summedColumns('snapshots'), 'http_status'] as const;
const PROJECTED = [...PROJECTION_COLUMNS, 'last_verified_status', 'body_created_at'] as const;
const SUMMED_PROJECTION = SUMMED.map((column) => PROJECTED.indexOf(column as (typeof PROJECTED)[number]));

/** Sends snapshots, projections and status changes of verified items. */
function saveVerified(
  tx: WriteTransaction,
  runKey: number,
  pending: readonly Pending[],
  prepared: PreparedBodies,
  found: FoundBodies,
  keys: readonly number[],
  edges: BodyEdges,
): Saved {
  const verified: (Pending & { observed: Verified })[] = [];
  for (const entry of pending) {
    const { observed } = entry.item;
    if (observed.outcome !== 'verified') continue;
    checkIdentity(entry, observed);
    verified.push({ ...entry, observed });
  }
  const { keys: contents, moved: bodies } = storeBodies(tx, readBodies(verified), prepared, found, edges);
  const rows = verified.map(({ item, observed }, index) => [
    keys[index] as number,
    item.recordKey,
    contents[index] as number,
    'fetch',
    observed.at,
    observed.httpStatus,
  ]);
  tx.send([tx.insertMany('snapshots', SNAPSHOT, rows)]);
  const snapshots = new Map<number, { key: number; content: number }>();
  const projections: Row[] = [];
  const records: Row[] = [];
  const changes: Row[] = [];
  for (const [index, { item, kind, recordId, was, observed }] of verified.entries()) {
    const key = keys[index] as number;
    snapshots.set(item.recordKey, { key, content: contents[index] as number });
    const { state, statusChange: change } = observed;
    const projection = [...projectionCells(observed.projection, key), state.status, state.createdAt];
    projections.push([item.recordKey, ...projection]);
    records.push(SUMMED_PROJECTION.map((at, column) => (at < 0 ? was[column] : projection[at]) ?? null));
    if (change !== null) {
      const { from, to, fromSeenAt, legal } = change;
      changes.push([
        item.recordKey,
        kind,
        recordId,
        runKey,
        from,
        to,
        fromSeenAt,
        observed.at,
        'fetch',
        flagCell(legal),
      ]);
    }
  }
  tx.send([
    tx.updateMany('tracked_records', ['record_key'], PROJECTED, projections),
    tx.insertMany('status_changes', STATUS_CHANGE_COLUMNS, changes),
  ]);
  const moved: Moved[] = [
    bodies,
    { table: 'snapshots', is: rows.map((row) => row.slice(0, -1)) },
    { table: 'tracked_records', was: verified.map(({ was }) => was), is: records },
    { table: 'status_changes', is: changes },
  ];
  return { snapshots, moved };
}

function markItems(
  tx: WriteTransaction,
  run: RunHead,
  pending: readonly Pending[],
  snapshots: ReadonlyMap<number, { key: number; content: number }>,
): void {
  const rows = pending.map(({ item, kind, recordId, past }) => [
    run.run_key,
    kind,
    recordId,
    ...past,
    ...observationCells(item, snapshots.get(item.recordKey) ?? null),
  ]);
  const columns = [...PAST_COLUMNS, ...OBSERVATION_COLUMNS];
  tx.send([tx.updateMany('run_items', ['run_key', 'kind', 'record_id'], columns, rows)]);
}

/**
 * A fetch covers all deliveries before it. A delivery during the batch may be newer than the fetch, and waits for the
 * next.
 */
function markLookedAt(engine: Engine, tx: WriteTransaction, pending: readonly Pending[]): void {
  if (pending.length === 0) return;
  const at = pending.reduce((earliest, { item }) => Math.min(earliest, item.observed.at), Number.MAX_SAFE_INTEGER);
  const keys = pending.map(({ item }) => item.recordKey);
  const update = engine.db
    .updateTable('deliveries')
    .set({ looked_at: at })
    .where('looked_at', 'is', null)
    .where('delivered_at', '<=', at)
    .where(engine.inList('record_key', keys));
  tx.send([tx.run(update)]);
}

/** Last of all: other saves of the run wait for this row until the commit. */
function countObserved(engine: Engine, tx: WriteTransaction, run: RunHead, observed: number, requests: number): void {
  const update = engine.db
    .updateTable('runs')
    .set((row) => ({ observed: row('observed', '+', observed), requests_sent: row('requests_sent', '+', requests) }))
    .where('run_key', '=', run.run_key);
  tx.send([tx.run(update)]);
}

/**
 * Waits for the database three times: before the transaction for the stored hashes, then for all reads of the
 * transaction, then for its writes and the commit.
 * @throws LeaseLostError, RunStateError, ForeignItemError; nothing of the batch is saved then.
 */
export const saveItems =
  (engine: Engine, edges: BodyEdges): ItemStore['save'] =>
  async (runId, fence, batch, requests = 0) => {
    const bodies = readBodies(batch.map((item) => ({ item })));
    const prepared = await prepareBodies(engine, bodies);
    const recordKeys = batch.map((item) => item.recordKey);
    return engine.writeShared(async (tx) => {
      // In this order: reads after the row locks see the commits of the previous save.
      const [, , run, rows, found, keys, lane] = await Promise.all([
        tx.lockRows('tracked_records', 'record_key', recordKeys),
        checkFence(tx, fence),
        runHeadIn(tx, runId, ['fetching'], 'take observations'),
        recordsOf(engine, tx, runId, recordKeys),
        findBodies(engine, tx, bodies),
        tx.reserveKeys('snapshots', 'snapshot_key', bodies.length),
        openLane(tx, edges.sealer, laneOf(recordKeys)),
      ]);
      const { pending, stale } = pendingItems(rows, batch);
      const unread = unreadBodies(pending);
      if (unread.length > 0) tx.send([sealBodies(tx, requireSealer(edges.sealer), unread)]);
      const { snapshots, moved } = saveVerified(tx, run.run_key, pending, prepared, found, keys, edges);
      markItems(tx, run, pending, snapshots);
      markLookedAt(engine, tx, pending);
      tx.send([addToLane(tx, edges.sealer, lane, moved)]);
      countObserved(engine, tx, run, pending.length, requests);
      return stale;
    });
  };
