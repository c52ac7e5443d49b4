/** The tracked records under some ids, with the claims against them, for a decision (`tracking-decisions.ts`). */
import type { Engine, WriteTransaction } from './engine.ts';
import { namesOf } from './schema/column.ts';
import { FACTS, readShown } from './schema/facts.ts';
import { type Sealer, sameFingerprint } from './sealing.ts';
import type { ConflictingLine, TrackedEntry } from './tracking-decisions.ts';

/** What a further line may fill in. */
const { webhook_events: _, ...FILLED_IN } = FACTS;
export const FILLED_IN_COLUMNS = namesOf(FILLED_IN);

/** The stored claims against these records, oldest first. */
async function knownClaims(
  engine: Engine,
  tx: WriteTransaction,
  sealer: Sealer,
  keys: readonly number[],
): Promise<ReadonlyMap<number, ConflictingLine[]>> {
  const rows = await tx.db
    .selectFrom('tracking_conflicts')
    // Not the token: the intake of ids needs no permission to read one.
    .select(['record_key', 'type', 'origin', 'at', 'key_id', 'token_fingerprint', 'settled_at'])
    .where(engine.inList('record_key', keys))
    .orderBy('conflict_key')
    .execute();
  const claims = new Map<number, ConflictingLine[]>();
  for (const row of rows) {
    const { key_id: keyId, token_fingerprint: fingerprint } = row;
    const isToken = (token: string): boolean =>
      keyId !== null && fingerprint !== null && sameFingerprint(sealer.fingerprint(token, keyId), fingerprint);
    const { origin, at, settled_at: settledAt } = row;
    const settled = settledAt !== null;
    const claim: ConflictingLine =
      row.type === 'token'
        ? { type: 'token', origin, at, isToken, newToken: null, settled }
        : { type: 'kind', origin, at, isNew: false, settled };
    const list = claims.get(row.record_key) ?? [];
    list.push(claim);
    claims.set(row.record_key, list);
  }
  return claims;
}

/** Everything tracked under these ids, of either kind. */
export async function knownEntries(
  engine: Engine,
  tx: WriteTransaction,
  sealer: Sealer,
  ids: readonly string[],
): Promise<TrackedEntry[]> {
  const rows = await tx.db
    .selectFrom('tracked_records')
    .select(['record_key', 'key_id', 'token_fingerprint', 'kind', 'record_id', 'origin', 'tracked_at', 'retracted_at'])
    .select(FILLED_IN_COLUMNS)
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
    shown: readShown(row.shown_total, row.shown_fee),
    retracted: row.retracted_at !== null,
    changed: false,
    hasToken: (token) => sameFingerprint(sealer.fingerprint(token, row.key_id), row.token_fingerprint),
    newToken: null,
    claims: claims.get(row.record_key) ?? [],
  }));
}

export function tokenCells(sealer: Sealer, token: string, entry: TrackedEntry) {
  const owner = { what: 'token', kind: entry.kind, recordId: entry.id } as const;
  const { keyId, bytes } = sealer.seal(Buffer.from(token, 'utf8'), owner);
  return { key_id: keyId, token: bytes, token_fingerprint: sealer.fingerprint(token, keyId) };
}
