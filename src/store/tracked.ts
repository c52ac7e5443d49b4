/** Tracked records: the facts that came with each id, its sealed token, and its newest state. */
import { type SqlBool, sql } from 'kysely';
import { type Earned, earnedBy } from '../domain/earned.ts';
import { recordIdOf, spellingsOf } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { KnownRecord, TrackedInput, TrackedRecord, TrackedStore } from '../ports/store/store.ts';
import { QUOTE_PARTS, readLinked } from './case-parts.ts';
import type { Row } from './cells.ts';
import { correctRecord, ENTRY, FILLED_IN, knownEntries, replaceToken, tokenCells } from './corrections.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { addNearestMethods } from './quotes.ts';
import { addForKeys, changeRows } from './rows.ts';
import { only } from './schema/column.ts';
import { FACTS, readFacts, readWebhookEvents } from './schema/facts.ts';
import { cell, of, type Place, placedReaderOf, selection, writerOf } from './schema/places.ts';
import { QUOTES } from './schema/quotes.ts';
import { readState, STATE } from './schema/state.ts';
import { PROJECTION, readProjection, TRACKING } from './schema/tracking.ts';
import { requireSealer } from './sealing.ts';
import { noteSealingKey } from './sealing-key.ts';
import { COUNTED_DATE, countRows, findRow, findRows, ofRecord, reportRange } from './statements.ts';
import { decideTracking, type TrackedEntry } from './tracking-decisions.ts';
import { insertRows, type NewRow, updateRows } from './write-rows.ts';

async function insertAdded(tx: WriteTransaction, entries: readonly TrackedEntry[]): Promise<void> {
  const added: TrackedEntry[] = [];
  const rows: NewRow<'tracked_records'>[] = [];
  for (const entry of entries) {
    if (entry.newToken === null) continue;
    added.push(entry);
    const { kind, id, origin, trackedAt } = entry;
    const head = { kind, record_id: id, origin, tracked_at: trackedAt };
    rows.push({ ...head, ...tokenCells(tx, entry.newToken, entry), ...filledInCells(entry) });
  }
  const keys = await addForKeys(tx, 'tracked_records', rows);
  for (const [index, entry] of added.entries()) entry.recordKey = keys[index] ?? null;
}

const filledInCells = writerOf(FILLED_IN);

/** New claims only; stored ones stay as they are. */
function claimRows(tx: WriteTransaction, entry: TrackedEntry): NewRow<'tracking_conflicts'>[] {
  return entry.claims.flatMap((claim): NewRow<'tracking_conflicts'>[] => {
    const head = { record_key: entry.recordKey as number, type: claim.type, origin: claim.origin, at: claim.at };
    if (claim.type === 'kind')
      return claim.isNew ? [{ ...head, key_id: null, token: null, token_fingerprint: null }] : [];
    return claim.newToken === null ? [] : [{ ...head, ...tokenCells(tx, claim.newToken, entry) }];
  });
}

const addLines =
  (engine: Engine): TrackedStore['add'] =>
  async (lines, origin, at, replacing) => {
    requireSealer(engine.sealer);
    return engine.write(async (tx) => {
      const known = await knownEntries(tx, spellingsOfAll(lines.map(({ id }) => id)));
      const plan = decideTracking(asStored(lines, known), known, origin, at, replacing !== undefined);
      // A new record is inserted with its conflict, if any: only existing rows need an update.
      const changed = plan.entries.filter((entry) => entry.changed && entry.recordKey !== null);
      for (const entry of plan.entries) {
        if (entry.replacement === undefined || replacing === undefined) continue;
        await replaceToken(tx, entry, entry.replacement, { ...replacing, at });
      }
      await noteSealingKey(tx);
      await insertAdded(tx, plan.entries);
      const rows = changed.map((entry) => ({ record_key: entry.recordKey as number, ...filledInCells(entry) }));
      const keys = rows.map(({ record_key }) => record_key);
      await changeRows(tx, 'tracked_records', tx.inList('record_key', keys), () =>
        updateRows(tx, 'tracked_records', rows),
      );
      const claims = plan.entries.flatMap((entry) => claimRows(tx, entry));
      await insertRows(tx, 'tracking_conflicts', claims);
      return plan.outcomes;
    });
  };

const spellingsOfAll = (ids: readonly string[]) => [...new Set(ids.flatMap(spellingsOf))];

/** The stored spelling of an id, its own before others; null where it is not stored. */
function storedIdOf(id: string, stored: ReadonlySet<string>): string | null {
  return stored.has(id) ? id : (spellingsOf(id).find((spelling) => stored.has(spelling)) ?? null);
}

function asStored(lines: readonly TrackedInput[], known: readonly TrackedEntry[]): readonly TrackedInput[] {
  const stored = new Set(known.map(({ id }) => id));
  return lines.map((line) => {
    const id = storedIdOf(line.id, stored) ?? recordIdOf(line.id);
    return id === line.id ? line : { ...line, id };
  });
}

/** Records with one host reference that a search lists. */
const MOST_NAMED = 50;

const { retracted_at } = TRACKING.tracked_records.columns;
const OWN = { ...ENTRY, retracted_at };
const readOwn = placedReaderOf(OWN);

const RECORD = selection({
  own: of('t', OWN),
  facts: of('t', FACTS),
  projection: of('t', PROJECTION),
});

const recordsIn = (engine: Engine) => engine.db.selectFrom('tracked_records as t').select(RECORD.columns);

function readRecord(row: Row): TrackedRecord {
  const { own, facts, projection } = RECORD.at;
  return { ...readOwn(row, own), facts: readFacts(row, facts), projection: readProjection(row, projection) };
}

export function trackedStore(engine: Engine): TrackedStore {
  const find = async (id: string) => {
    const ofId = recordsIn(engine).where('kind', 'in', ['purchase', 'sale']).where('record_id', 'in', spellingsOf(id));
    const found = await engine.each(ofId.orderBy('kind'), readRecord);
    const stored = storedIdOf(id, new Set(found.map((record) => record.id)));
    return found.filter((record) => record.id === stored);
  };
  return {
    add: addLines(engine),
    correct: correctRecord(engine),
    corrections: (kind, id) =>
      findRows(engine.db, 'tracking_events', ofRecord(kind, id), ['type', 'actor', 'reason', 'at'], 'event_key'),
    count: () => countRows(engine.db, 'tracked_records'),
    find,
    named: async (name) => {
      const ofName = recordsIn(engine).where('host_reference', '=', name).orderBy('record_key').limit(MOST_NAMED);
      const found = [...(await find(name)), ...(await engine.each(ofName, readRecord))];
      return [...new Map(found.map((record) => [record.recordKey, record])).values()];
    },
    stored: async (ids, kind) => {
      const wanted = [...new Set(ids)];
      const kinds = kind === null ? ['purchase', 'sale'] : [kind];
      const isTracked = sql`kind in (${sql.join(kinds)}) and retracted_at is null and ${engine.inList('record_id', spellingsOfAll(wanted))}`;
      const rows = await findRows(engine.db, 'tracked_records', isTracked, ['record_id']);
      const known = new Set(rows.map((row) => row.record_id));
      const stored = new Set(wanted.flatMap((id) => storedIdOf(id, known) ?? []));
      return { ids: [...stored], unknown: wanted.filter((id) => storedIdOf(id, known) === null) };
    },
    latest: async (scope, after, limit) => {
      const isOf = [sql<SqlBool>`t.retracted_at is null`];
      if (scope.kind !== null) isOf.push(sql`t.kind = ${scope.kind}`);
      if (scope.createdFrom !== null) isOf.push(sql`${COUNTED_DATE} >= ${scope.createdFrom}`);
      if (scope.createdTo !== null) isOf.push(sql`${COUNTED_DATE} < ${scope.createdTo}`);
      if (after !== null) isOf.push(reportRange('t', { after }, null));
      const all = newestBodies(engine)
        .where(sql<SqlBool>`${sql.join(isOf, sql` and `)}`)
        .orderBy(sql`t.kind, t.record_id`)
        .limit(limit);
      const counted = COUNTED_DATE.as('counted_at');
      if (scope.quotes !== true)
        return engine.each(all.select(BODY.columns).select(counted), (row) => readKnown(row, BODY.end));
      const page = await engine.each(withLinkedQuote(all).select(WITH_QUOTE.columns).select(counted), (row) => {
        const known = readKnown(row, WITH_QUOTE.end);
        const linked = readLinked(row, WITH_QUOTE.at, known.state);
        return { ...known, linked, quoteKey: cell(row, WITH_QUOTE.at.key.quote_key) };
      });
      return addNearestMethods(engine, page);
    },
    token: async (kind, id) => {
      const row = await findRow(engine.db, 'tracked_records', { kind, record_id: id }, ['key_id', 'token']);
      if (row === undefined) return null;
      const sealed = { keyId: row.key_id, bytes: row.token };
      const token = requireSealer(engine.sealer).unseal(sealed, { what: 'token', kind, recordId: id });
      return Buffer.from(token).toString('utf8');
    },
    currenciesInUse: async () => {
      const rows = await findRows(engine.db, 'currencies_seen', {}, ['currency'], 'currency');
      return rows.map((row) => row.currency);
    },
  };
}

const { tracked_records: RECORDS, snapshots: SNAPSHOTS, contents: CONTENTS } = TRACKING;
const { kind, record_id, host_reference, last_verified_at, told_created_at } = RECORDS.columns;
const IDENTIFIED = {
  ...{ kind, record_id, host_reference, last_verified_at },
  told_created_at: told_created_at.named('toldCreatedAt'),
};
const ENDED = only(STATE, 'status', 'updated_at', 'released_at', 'host_fee_cut');
const [readIdentified, readEnded] = [placedReaderOf(IDENTIFIED), placedReaderOf(ENDED)];

const NEWEST = {
  record: of('t', { ...IDENTIFIED, webhook_events: RECORDS.columns.webhook_events }),
  content: of('c', only(CONTENTS.columns, 'content_key')),
  snapshot: of('s', only(SNAPSHOTS.columns, 'received_at')),
  end: of('ts', only(SNAPSHOTS.columns, 'received_at')),
  ended: of('tc', ENDED),
  state: of('c', STATE),
};
const BODY = selection(NEWEST);
const WITH_QUOTE = selection({ ...NEWEST, key: of('q', only(QUOTES.quotes.columns, 'quote_key')), ...QUOTE_PARTS });

function newestBodies(engine: Engine) {
  return engine.db
    .selectFrom('tracked_records as t')
    .leftJoin('snapshots as s', 's.snapshot_key', 't.last_snapshot')
    .leftJoin('contents as c', 'c.content_key', 's.content_key')
    .leftJoin('snapshots as ts', 'ts.snapshot_key', 't.terminal_snapshot')
    .leftJoin('contents as tc', 'tc.content_key', 'ts.content_key');
}

/** With the quote that the application named, and the promise for the record's own method in it. */
function withLinkedQuote(query: ReturnType<typeof newestBodies>) {
  return query
    .leftJoin('quotes as q', 'q.quote_id', 't.quote_id')
    .leftJoin('quote_methods as m', (join) =>
      join.onRef('m.quote_key', '=', 'q.quote_key').onRef('m.method', '=', 'c.payment_method'),
    );
}

function readEarned(row: Row, state: RecordState): Earned | null {
  const { record, snapshot, end, ended } = BODY.at;
  const endedAt: number | null = cell(row, end.received_at);
  const { kind, createdAt } = state;
  const first =
    endedAt === null
      ? null
      : { evidence: { receivedAt: endedAt }, state: { kind, createdAt, ...readEnded(row, ended) } };
  const now = { state, evidence: { receivedAt: cell(row, snapshot.received_at) } };
  return earnedBy(first, now, readWebhookEvents(cell(row, record.webhook_events)));
}

/** @param countedAt where COUNTED_DATE stands in the row */
function readKnown(row: Row, countedAt: Place<number>): KnownRecord {
  const { record, content } = BODY.at;
  const known = readIdentified(row, record);
  const contentKey: number | null = cell(row, content.content_key);
  const state = contentKey === null ? null : readState(row, BODY.at.state, known.kind, known.recordId);
  const earned = state === null ? null : readEarned(row, state);
  return { ...known, countedAt: cell(row, countedAt), earned, state };
}
