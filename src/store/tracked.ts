/** Tracked records: the facts that came with each id, its sealed token, and its newest state. */
import { sql } from 'kysely';
import { earnedAt } from '../domain/earned.ts';
import type { Instant, Kind, Origin } from '../domain/record.ts';
import { hasReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type {
  CorrectionEvent,
  KnownRecord,
  TrackedInput,
  TrackedRecord,
  TrackedStore,
  TrackOutcome,
} from '../ports/store/store.ts';
import { QUOTE_CELLS_OF_RECORD, readLinked } from './case-parts.ts';
import { type Cell, columns, decimalCell, type Row } from './cells.ts';
import { correctRecord, replaceToken } from './corrections.ts';
import { COUNTED_DATE } from './counted-date.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { FACT_COLUMNS, readFacts, readWebhookEvents } from './schema/facts.ts';
import { summedColumns } from './schema/tables.ts';
import { PROJECTION_COLUMNS, readProjection, readState, STATE_COLUMNS } from './schema/tracking.ts';
import { changeSealed, insertSealedForKeys } from './sealed-rows.ts';
import { noteSealingKey, requireSealer, type Sealer } from './sealing.ts';
import { countRows, reportRange } from './statements.ts';
import { sumRows } from './summed-rows.ts';
import { CHANGED_COLUMNS, knownEntries, sealedCells } from './tracked-entries.ts';
import { decideTracking, type TrackedEntry } from './tracking-decisions.ts';

const ADDED_COLUMNS = columns(
  'kind record_id origin tracked_at key_id token token_fingerprint told_created_at host_reference',
  'quote_id expected_status conflict shown_total shown_fee',
);
const CLAIM_COLUMNS = ['record_key', 'type', 'origin', 'at', 'key_id', 'token', 'token_fingerprint'] as const;

async function insertAdded(tx: WriteTransaction, sealer: Sealer, entries: readonly TrackedEntry[]): Promise<void> {
  const added: TrackedEntry[] = [];
  const rows: Row[] = [];
  for (const entry of entries) {
    if (entry.newToken === null) continue;
    added.push(entry);
    const token = sealedCells(sealer, entry.newToken, entry);
    rows.push([entry.kind, entry.id, entry.origin, entry.trackedAt, ...token, ...changedCells(entry)]);
  }
  const keys = await insertSealedForKeys(tx, sealer, 'tracked_records', 'record_key', ADDED_COLUMNS, rows);
  for (const [index, entry] of added.entries()) entry.recordKey = keys[index] ?? null;
  const summed = summedColumns('tracked_records').map((column) => ['record_key', ...ADDED_COLUMNS].indexOf(column));
  const is = rows.map((row, index) => summed.map((at): Cell => [keys[index] ?? null, ...row][at] ?? null));
  await sumRows(tx, sealer, [{ table: 'tracked_records', is }]);
}

function changedCells(entry: TrackedEntry): Row {
  return [
    entry.createdAt,
    entry.hostReference,
    entry.quoteId,
    entry.expectedStatus,
    entry.conflict,
    decimalCell(entry.shown?.total ?? null),
    decimalCell(entry.shown?.fee ?? null),
  ];
}

/** New claims only; stored ones stay as they are. */
function claimRows(sealer: Sealer, entry: TrackedEntry): Row[] {
  const rows: Row[] = [];
  for (const claim of entry.claims) {
    const head = [entry.recordKey, claim.type, claim.origin, claim.at];
    if (claim.type === 'token' && claim.newToken !== null) {
      rows.push([...head, ...sealedCells(sealer, claim.newToken, entry)]);
    } else if (claim.type === 'kind' && claim.isNew) {
      rows.push([...head, null, null, null]);
    }
  }
  return rows;
}

async function addLines(
  engine: Engine,
  sealer: Sealer,
  lines: readonly TrackedInput[],
  origin: Origin,
  at: Instant,
  replacing: Pick<CorrectionEvent, 'actor' | 'reason'> | undefined,
): Promise<readonly TrackOutcome[]> {
  return engine.write(async (tx) => {
    const ids = [...new Set(lines.map((line) => line.id))];
    const plan = decideTracking(
      lines,
      await knownEntries(engine, tx, sealer, ids),
      origin,
      at,
      replacing !== undefined,
    );
    // A new record is inserted with its conflict, if any: only existing rows need an update.
    const changed = plan.entries.filter((entry) => entry.changed && entry.recordKey !== null);
    for (const entry of plan.entries) {
      if (entry.replacement === undefined || replacing === undefined) continue;
      await replaceToken(tx, sealer, entry, entry.replacement, { ...replacing, at });
    }
    await noteSealingKey(tx, sealer);
    await insertAdded(tx, sealer, plan.entries);
    const keys = changed.map((entry) => entry.recordKey as number);
    await changeSealed(tx, sealer, 'tracked_records', sql`${engine.inList('record_key', keys)}`, () =>
      tx.updateMany(
        'tracked_records',
        ['record_key'],
        CHANGED_COLUMNS,
        changed.map((entry) => [entry.recordKey, ...changedCells(entry)]),
      ),
    );
    await tx.insertMany(
      'tracking_conflicts',
      CLAIM_COLUMNS,
      plan.entries.flatMap((entry) => claimRows(sealer, entry)),
    );
    return plan.outcomes;
  });
}

const FOUND = ['record_key', 'kind', 'record_id', 'origin', 'tracked_at', 'retracted_at'] as const;
/** Records with one host reference that a search lists. */
const MOST_NAMED = 50;

const recordsIn = (engine: Engine) =>
  engine.db.selectFrom('tracked_records').select([...FOUND, ...FACT_COLUMNS, ...PROJECTION_COLUMNS]);

function readRecord(row: Row): TrackedRecord {
  return {
    recordKey: row[0] as number,
    kind: row[1] as Kind,
    id: row[2] as string,
    origin: row[3] as Origin,
    trackedAt: row[4] as number,
    retractedAt: row[5] as number | null,
    facts: readFacts(row, FOUND.length),
    projection: readProjection(row, FOUND.length + FACT_COLUMNS.length),
  };
}

export function trackedStore(engine: Engine, sealer: Sealer | null): TrackedStore {
  return {
    add: async (lines, origin, at, replacing) => addLines(engine, requireSealer(sealer), lines, origin, at, replacing),
    correct: correctRecord(engine, sealer),
    corrections: async (kind, id) => {
      const rows = await engine.db
        .selectFrom('tracking_events as event')
        .innerJoin('tracked_records as record', 'record.record_key', 'event.record_key')
        .select(['event.type', 'event.actor', 'event.reason', 'event.at'])
        .where('record.kind', '=', kind)
        .where('record.record_id', '=', id)
        .orderBy('event.event_key')
        .execute();
      return rows satisfies readonly CorrectionEvent[];
    },
    count: () => countRows(engine.db, 'tracked_records'),
    find: async (id) =>
      (
        await engine.rows(
          recordsIn(engine).where('kind', 'in', ['purchase', 'sale']).where('record_id', '=', id).orderBy('kind'),
        )
      ).map(readRecord),
    named: async (name) => {
      const byId = await engine.rows(
        recordsIn(engine).where('kind', 'in', ['purchase', 'sale']).where('record_id', '=', name),
      );
      const byReference = await engine.rows(
        recordsIn(engine).where('host_reference', '=', name).orderBy('record_key').limit(MOST_NAMED),
      );
      const found = new Map([...byId, ...byReference].map((row) => [row[0], readRecord(row)]));
      return [...found.values()];
    },
    unknown: async (ids, kind) => {
      const wanted = [...new Set(ids)];
      const rows = await engine.db
        .selectFrom('tracked_records')
        .select('record_id')
        .where('kind', 'in', kind === null ? ['purchase', 'sale'] : [kind])
        .where('retracted_at', 'is', null)
        .where(engine.inList('record_id', wanted))
        .execute();
      const known = new Set(rows.map((row) => row.record_id));
      return wanted.filter((id) => !known.has(id));
    },
    latest: async (scope, after, limit) => {
      let query = newestBodies(engine)
        .where('t.retracted_at', 'is', null)
        .orderBy('t.kind')
        .orderBy('t.record_id')
        .limit(limit);
      if (scope.kind !== null) query = query.where('t.kind', '=', scope.kind);
      if (scope.createdFrom !== null) query = query.where(COUNTED_DATE, '>=', scope.createdFrom);
      if (scope.createdTo !== null) query = query.where(COUNTED_DATE, '<', scope.createdTo);
      if (after !== null) query = query.where(reportRange('t', { after }, null));
      return engine.each(scope.quotes === true ? withLinkedQuote(query) : query, (row) => {
        const known = readKnown(row);
        return scope.quotes === true ? { ...known, linked: readLinked(row, AT_QUOTE, known.state) } : known;
      });
    },
    token: async (kind, id) => {
      const row = await engine.db
        .selectFrom('tracked_records')
        .select(['key_id', 'token'])
        .where('kind', '=', kind)
        .where('record_id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return null;
      const sealed = { keyId: row.key_id, bytes: row.token };
      const token = requireSealer(sealer).unseal(sealed, { what: 'token', kind, recordId: id });
      return Buffer.from(token).toString('utf8');
    },
    currenciesInUse: async () => {
      const rows = await engine.db.selectFrom('currencies_seen').select('currency').orderBy('currency').execute();
      return rows.map((row) => row.currency);
    },
  };
}

const HEAD = 13;
const AT_QUOTE = HEAD + STATE_COLUMNS.length;

function newestBodies(engine: Engine) {
  return engine.db
    .selectFrom('tracked_records as t')
    .leftJoin('snapshots as s', 's.snapshot_key', 't.last_snapshot')
    .leftJoin('contents as c', 'c.content_key', 's.content_key')
    .leftJoin('snapshots as ts', 'ts.snapshot_key', 't.terminal_snapshot')
    .leftJoin('contents as tc', 'tc.content_key', 'ts.content_key')
    .select(['t.kind', 't.record_id', 't.host_reference', 't.last_verified_at', 't.told_created_at', 'c.content_key'])
    .select(COUNTED_DATE.as('counted_at'))
    .select(['t.webhook_events', 's.received_at', 'ts.received_at as ended_at'])
    .select(['tc.status as ended_status', 'tc.updated_at as ended_updated', 'tc.released_at as ended_released'])
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

function readEarned(row: Row, state: RecordState): number | null {
  if (!hasReleased(state)) return null;
  const ended = {
    receivedAt: row[9] as number,
    status: row[10] as string | null,
    updatedAt: row[11] as number | null,
    ...(row[12] === null ? {} : { releasedAt: row[12] as number }),
  };
  const first = row[9] === null ? null : ended;
  return earnedAt([first, { ...state, receivedAt: row[8] as number }], readWebhookEvents(row[7] as string | null));
}

function readKnown(row: Row): KnownRecord {
  const kind = row[0] as Kind;
  const recordId = row[1] as string;
  const state = row[5] === null ? null : readState(row, HEAD, kind, recordId);
  return {
    kind,
    recordId,
    hostReference: row[2] as string | null,
    lastVerifiedAt: row[3] as number | null,
    toldCreatedAt: row[4] as number | null,
    countedAt: row[6] as number,
    earnedAt: state === null ? null : readEarned(row, state),
    state,
  };
}
