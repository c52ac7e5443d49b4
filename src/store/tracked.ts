/** Tracked records: what came in about each id, with tokens sealed. */
import type { Instant, Kind, Origin } from '../domain/record.ts';
import type { TrackedInput, TrackedRecord, TrackedStore, TrackOutcome } from '../ports/store/store.ts';
import type { Engine, Row, WriteTransaction } from './engine.ts';
import { latestStates } from './latest-states.ts';
import { FACT_COLUMNS, PROJECTION_COLUMNS, readFacts, readProjection } from './record-columns.ts';
import { noteSealingKey, requireSealer } from './sealer-use.ts';
import { type Sealer, sameFingerprint } from './sealing.ts';
import { type Claim, decideTracking, type TrackedEntry } from './tracking-decisions.ts';

const ADDED_COLUMNS = [
  'kind',
  'record_id',
  'origin',
  'tracked_at',
  'key_id',
  'token',
  'token_fingerprint',
  'told_created_at',
  'host_reference',
  'quote_id',
  'expected_status',
  'conflict',
] as const;
const CHANGED_COLUMNS = ['told_created_at', 'host_reference', 'quote_id', 'expected_status', 'conflict'] as const;
const CLAIM_COLUMNS = ['record_key', 'type', 'origin', 'at', 'key_id', 'token', 'token_fingerprint'] as const;

/** The claims on record against these records, oldest first. */
async function knownClaims(
  engine: Engine,
  tx: WriteTransaction,
  sealer: Sealer,
  keys: readonly number[],
): Promise<ReadonlyMap<number, Claim[]>> {
  const rows = await tx.db
    .selectFrom('tracking_conflicts')
    // Never the token: whoever takes ids in need not be able to read one back.
    .select(['record_key', 'type', 'origin', 'at', 'key_id', 'token_fingerprint'])
    .where(engine.inList('record_key', keys))
    .orderBy('conflict_key')
    .execute();
  const claims = new Map<number, Claim[]>();
  for (const row of rows) {
    const { key_id: keyId, token_fingerprint: fingerprint } = row;
    const isToken = (token: string): boolean =>
      keyId !== null && fingerprint !== null && sameFingerprint(sealer.fingerprint(token, keyId), fingerprint);
    const claim: Claim =
      row.type === 'token'
        ? { type: 'token', origin: row.origin, at: row.at, isToken, newToken: null }
        : { type: 'kind', origin: row.origin, at: row.at, isNew: false };
    const list = claims.get(row.record_key) ?? [];
    list.push(claim);
    claims.set(row.record_key, list);
  }
  return claims;
}

/** Everything tracked under these ids, of either kind. */
async function knownEntries(
  engine: Engine,
  tx: WriteTransaction,
  sealer: Sealer,
  ids: readonly string[],
): Promise<TrackedEntry[]> {
  const rows = await tx.db
    .selectFrom('tracked_records')
    .select(['record_key', 'key_id', 'token_fingerprint', 'kind', 'record_id', 'origin', 'tracked_at'])
    .select(CHANGED_COLUMNS)
    .where('kind', 'in', ['purchase', 'sale'])
    .where(engine.inList('record_id', ids))
    .execute();
  const claims = await knownClaims(
    engine,
    tx,
    sealer,
    rows.map((row) => row.record_key),
  );
  return rows.map((row) => ({
    recordKey: row.record_key,
    kind: row.kind,
    id: row.record_id,
    origin: row.origin,
    trackedAt: row.tracked_at,
    createdAt: row.told_created_at,
    hostReference: row.host_reference,
    quoteId: row.quote_id,
    expectedStatus: row.expected_status,
    conflict: row.conflict,
    changed: false,
    hasToken: (token) => sameFingerprint(sealer.fingerprint(token, row.key_id), row.token_fingerprint),
    newToken: null,
    claims: claims.get(row.record_key) ?? [],
  }));
}

function sealedCells(sealer: Sealer, token: string, entry: TrackedEntry): Row {
  const owner = { what: 'token', kind: entry.kind, recordId: entry.id } as const;
  const sealed = sealer.seal(Buffer.from(token, 'utf8'), owner);
  return [sealed.keyId, sealed.bytes, sealer.fingerprint(token, sealed.keyId)];
}

async function insertAdded(tx: WriteTransaction, sealer: Sealer, entries: readonly TrackedEntry[]): Promise<void> {
  const added: TrackedEntry[] = [];
  const rows: Row[] = [];
  for (const entry of entries) {
    if (entry.newToken === null) continue;
    added.push(entry);
    const token = sealedCells(sealer, entry.newToken, entry);
    rows.push([entry.kind, entry.id, entry.origin, entry.trackedAt, ...token, ...changedCells(entry)]);
  }
  const keys = await tx.insertForKeys('tracked_records', 'record_key', ADDED_COLUMNS, rows);
  for (const [index, entry] of added.entries()) entry.recordKey = keys[index] ?? null;
}

function changedCells(entry: TrackedEntry): Row {
  return [entry.createdAt, entry.hostReference, entry.quoteId, entry.expectedStatus, entry.conflict];
}

/** New claims only; those on record stay as they are. */
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
): Promise<readonly TrackOutcome[]> {
  return engine.write(async (tx) => {
    const ids = [...new Set(lines.map((line) => line.id))];
    const plan = decideTracking(lines, await knownEntries(engine, tx, sealer, ids), origin, at);
    // A new record that was marked in the same batch is inserted with its mark: only old rows need an update.
    const changed = plan.entries.filter((entry) => entry.changed && entry.recordKey !== null);
    await noteSealingKey(tx, sealer);
    await insertAdded(tx, sealer, plan.entries);
    await tx.updateMany(
      'tracked_records',
      ['record_key'],
      CHANGED_COLUMNS,
      changed.map((entry) => [entry.recordKey, ...changedCells(entry)]),
    );
    await tx.insertMany(
      'tracking_conflicts',
      CLAIM_COLUMNS,
      plan.entries.flatMap((entry) => claimRows(sealer, entry)),
    );
    return plan.outcomes;
  });
}

async function findRecords(engine: Engine, id: string): Promise<readonly TrackedRecord[]> {
  const head = ['record_key', 'kind', 'record_id', 'origin', 'tracked_at'] as const;
  const rows = await engine.rows(
    engine.db
      .selectFrom('tracked_records')
      .select([...head, ...FACT_COLUMNS, ...PROJECTION_COLUMNS])
      .where('kind', 'in', ['purchase', 'sale'])
      .where('record_id', '=', id)
      .orderBy('kind'),
  );
  return rows.map((row) => ({
    recordKey: row[0] as number,
    kind: row[1] as Kind,
    id: row[2] as string,
    origin: row[3] as Origin,
    trackedAt: row[4] as number,
    facts: readFacts(row, head.length),
    projection: readProjection(row, head.length + FACT_COLUMNS.length),
  }));
}

async function unknownIds(engine: Engine, ids: readonly string[], kind: Kind | null): Promise<readonly string[]> {
  const wanted = [...new Set(ids)];
  const rows = await engine.db
    .selectFrom('tracked_records')
    .select('record_id')
    .where('kind', 'in', kind === null ? ['purchase', 'sale'] : [kind])
    .where(engine.inList('record_id', wanted))
    .execute();
  const known = new Set(rows.map((row) => row.record_id));
  return wanted.filter((id) => !known.has(id));
}

export function trackedStore(engine: Engine, sealer: Sealer | null): TrackedStore {
  return {
    add: async (lines, origin, at) => addLines(engine, requireSealer(sealer), lines, origin, at),
    count: async () => {
      const count = engine.db.fn.countAll<number>().as('count');
      return (await engine.db.selectFrom('tracked_records').select(count).executeTakeFirstOrThrow()).count;
    },
    find: (id) => findRecords(engine, id),
    unknown: (ids, kind) => unknownIds(engine, ids, kind),
    latest: (scope, after, limit) => latestStates(engine, scope, after, limit),
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
