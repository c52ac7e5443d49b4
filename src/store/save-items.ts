/**
 * Saves a batch of observations in one transaction: snapshots, projections, status changes and the items themselves.
 */
import type { RecordPosition } from '../domain/record.ts';
import { ForeignItemError } from '../ports/store/errors.ts';
import type { ItemStore, ObservedItem, StaleItem } from '../ports/store/store.ts';
import {
  type FoundBodies,
  findBodies,
  type PreparedBodies,
  prepareBodies,
  type ReadBody,
  sealBodies,
  storeBodies,
  type UnreadBody,
  type Warn,
} from './bodies.ts';
import type { Row } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { type RunHead, runHeadIn } from './run-rows.ts';
import { type CellsOf, only } from './schema/column.ts';
import { cell, of, selection, writerOf } from './schema/places.ts';
import { changeCells, observationCells, PAST, RUNS } from './schema/runs.ts';
import { type RowOf, summedColumns } from './schema/tables.ts';
import { PROJECTION, projectionCells, readProjection, TRACKING } from './schema/tracking.ts';
import { addToLane, laneOf, type Moved, openLane, summedCells } from './summed-rows.ts';
import { insertRows, type NewRow, updateRows } from './write-rows.ts';

type Verified = Extract<ObservedItem['observed'], { outcome: 'verified' }>;

/** An item to be written, with the state of its record before this observation. */
interface Pending extends RecordPosition {
  item: ObservedItem;
  /** The state before this run. */
  past: CellsOf<typeof PAST>;
  /** The cells of the record that are under the sum of its table. */
  was: Row;
}

const RECORDS = TRACKING.tracked_records.columns;
const SUMMED = summedColumns('tracked_records');
const ITEM = selection({
  record: of('record', only(RECORDS, 'record_key', 'kind', 'record_id', 'last_verified_status')),
  item: of('item', only(RUNS.run_items.columns, 'outcome', 'run_key')),
  projection: of('record', PROJECTION),
  summed: of('record', only(RECORDS, ...SUMMED)),
});

/** The records of the batch with the items of the run. */
function recordsOf(tx: WriteTransaction, runId: string, keys: readonly number[]) {
  return tx.rows(
    tx.db
      .selectFrom('tracked_records as record')
      // A left join fixes the join order: records of the batch first, not all items of the run.
      .leftJoin('run_items as item', (join) =>
        join
          .on('item.run_key', '=', (run) => run.selectFrom('runs').select('run_key').where('run_id', '=', runId))
          .onRef('item.kind', '=', 'record.kind')
          .onRef('item.record_id', '=', 'record.record_id'),
      )
      .select(ITEM.columns)
      .where(tx.inList('record.record_key', keys)),
  );
}

const pastCells = writerOf(PAST);

function readPast(row: Row): CellsOf<typeof PAST> {
  const { record, projection } = ITEM.at;
  return pastCells({
    ...readProjection(row, projection),
    lastVerifiedStatus: cell(row, record.last_verified_status),
  });
}

/** The items of the batch without an observation, and those whose projection has changed since it was read (stale). */
function pendingItems(
  rows: readonly Row[],
  batch: readonly ObservedItem[],
): { pending: Pending[]; stale: StaleItem[] } {
  const { record, item: own, projection, summed } = ITEM.at;
  const known = new Map(rows.map((row) => [cell(row, record.record_key), row]));
  const pending: Pending[] = [];
  const stale: StaleItem[] = [];
  const taken = new Set<number>();
  for (const item of batch) {
    const row = known.get(item.recordKey);
    const runKey: number | null = row === undefined ? null : cell(row, own.run_key);
    if (row === undefined || runKey === null)
      throw new ForeignItemError(`an observation of record key ${item.recordKey}`);
    if (cell(row, own.outcome) !== null || taken.has(item.recordKey)) continue;
    const { observed } = item;
    if (observed.outcome === 'verified' && observed.basis !== undefined) {
      if (observed.basis !== cell(row, projection.last_snapshot)) {
        stale.push({ recordKey: item.recordKey, projection: readProjection(row, projection) });
        continue;
      }
    }
    taken.add(item.recordKey);
    const [kind, recordId] = [cell(row, record.kind), cell(row, record.record_id)];
    const was = SUMMED.map((name) => row[summed[name]] ?? null);
    pending.push({ item, kind, recordId, past: readPast(row), was });
  }
  return { pending, stale };
}

function readBodies(items: readonly ObservedItem[]): ReadBody[] {
  return items.flatMap(({ observed, recordKey }) => {
    if (observed.outcome !== 'verified') return [];
    const { state, sha256, evidence, basis } = observed;
    return [{ recordKey, state, sha256, evidence, isFirst: basis === null }];
  });
}

function unreadBodies(items: readonly Pending[]): UnreadBody[] {
  return items.flatMap(({ item: { observed, recordKey }, kind, recordId }) => {
    if (observed.outcome !== 'quarantined' || observed.body === null) return [];
    return [{ recordKey, kind, recordId, at: observed.at, ...observed.body }];
  });
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

/** Sends snapshots, projections and status changes of verified items. */
function saveVerified(
  tx: WriteTransaction,
  runKey: number,
  pending: readonly Pending[],
  prepared: PreparedBodies,
  found: FoundBodies,
  keys: readonly number[],
  warn: Warn,
): Saved {
  const verified: (Pending & { observed: Verified })[] = [];
  for (const entry of pending) {
    const { observed } = entry.item;
    if (observed.outcome !== 'verified') continue;
    checkIdentity(entry, observed);
    verified.push({ ...entry, observed });
  }
  const { keys: contents, moved: bodies } = storeBodies(
    tx,
    readBodies(verified.map(({ item }) => item)),
    prepared,
    found,
    warn,
  );
  const rows = verified.map(({ item, observed }, index) => ({
    snapshot_key: keys[index] as number,
    record_key: item.recordKey,
    content_key: contents[index] as number,
    origin: 'fetch' as const,
    received_at: observed.at,
    http_status: observed.httpStatus,
  }));
  tx.send([insertRows(tx, 'snapshots', rows)]);
  const snapshots = new Map<number, { key: number; content: number }>();
  const projections: Partial<RowOf<'tracked_records'>>[] = [];
  const changes: NewRow<'status_changes'>[] = [];
  for (const [index, { item, kind, recordId, observed }] of verified.entries()) {
    const key = keys[index] as number;
    snapshots.set(item.recordKey, { key, content: contents[index] as number });
    const { state, statusChange: change } = observed;
    projections.push({
      record_key: item.recordKey,
      ...projectionCells(observed.projection, key),
      last_verified_status: state.status,
      body_created_at: state.createdAt,
    });
    if (change !== null) {
      changes.push({
        ...changeCells(change),
        record_key: item.recordKey,
        kind,
        record_id: recordId,
        run_key: runKey,
        to_seen_at: observed.at,
        learned_from: 'fetch',
      });
    }
  }
  tx.send([updateRows(tx, 'tracked_records', projections), insertRows(tx, 'status_changes', changes)]);
  const before = verified.map(({ was }) => was);
  const after = projections.map((cells, index) =>
    SUMMED.map((name, at) => (name in cells ? cells[name] : before[index]?.[at]) ?? null),
  );
  const moved: Moved[] = [
    bodies,
    { table: 'snapshots', is: summedCells('snapshots', rows) },
    { table: 'tracked_records', was: before, is: after },
    { table: 'status_changes', is: summedCells('status_changes', changes) },
  ];
  return { snapshots, moved };
}

function markItems(
  tx: WriteTransaction,
  run: RunHead,
  pending: readonly Pending[],
  snapshots: ReadonlyMap<number, { key: number; content: number }>,
): void {
  const rows = pending.map(({ item, kind, recordId, past }) => ({
    run_key: run.run_key,
    kind,
    record_id: recordId,
    ...past,
    ...observationCells(item, snapshots.get(item.recordKey) ?? null),
  }));
  tx.send([updateRows(tx, 'run_items', rows)]);
}

/**
 * A fetch covers all deliveries before it. A delivery during the batch may be newer than the fetch, and waits for the
 * next.
 */
function markLookedAt(tx: WriteTransaction, pending: readonly Pending[]): void {
  if (pending.length === 0) return;
  const at = pending.reduce((earliest, { item }) => Math.min(earliest, item.observed.at), Number.MAX_SAFE_INTEGER);
  const keys = pending.map(({ item }) => item.recordKey);
  const update = tx.db
    .updateTable('deliveries')
    .set({ looked_at: at })
    .where('looked_at', 'is', null)
    .where('delivered_at', '<=', at)
    .where(tx.inList('record_key', keys));
  tx.send([tx.run(update)]);
}

/** Last of all: other saves of the run wait for this row until the commit. */
function countObserved(tx: WriteTransaction, run: RunHead, observed: number, requests: number): void {
  const update = tx.db
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
  (engine: Engine, warn: Warn): ItemStore['save'] =>
  async (runId, fence, batch, requests = 0) => {
    const bodies = readBodies(batch);
    const prepared = await prepareBodies(engine, bodies);
    const recordKeys = batch.map((item) => item.recordKey);
    return engine.writeShared(async (tx) => {
      // In this order: reads after the row locks see the commits of the previous save.
      const [, , run, rows, found, keys, lane] = await Promise.all([
        tx.lockRows('tracked_records', 'record_key', recordKeys),
        checkFence(tx, fence),
        runHeadIn(tx, runId, ['fetching'], 'take observations'),
        recordsOf(tx, runId, recordKeys),
        findBodies(tx, bodies),
        tx.reserveKeys('snapshots', 'snapshot_key', bodies.length),
        openLane(tx, laneOf(recordKeys)),
      ]);
      const { pending, stale } = pendingItems(rows, batch);
      const unread = unreadBodies(pending);
      if (unread.length > 0) tx.send([sealBodies(tx, unread)]);
      const { snapshots, moved } = saveVerified(tx, run.run_key, pending, prepared, found, keys, warn);
      markItems(tx, run, pending, snapshots);
      markLookedAt(tx, pending);
      tx.send([addToLane(tx, lane, moved)]);
      countObserved(tx, run, pending.length, requests);
      return stale;
    });
  };
