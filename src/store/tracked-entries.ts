/** The tracked records under some ids, with the claims against them, for a decision (`tracking-decisions.ts`). */
import { entryOf } from '../domain/entry-of.ts';
import type { WriteTransaction } from './engine.ts';
import { namesOf } from './schema/column.ts';
import { FACTS, readShown } from './schema/facts.ts';
import { requireSealer, sameFingerprint } from './sealing.ts';
import { findRows } from './statements.ts';
import type { ConflictingLine, TrackedEntry } from './tracking-decisions.ts';

/** What a further line may fill in. */
const { webhook_events: _, ...filledIn } = FACTS;
export const FILLED_IN = filledIn;

/** The stored claims against these records, oldest first. */
async function knownClaims(
  tx: WriteTransaction,
  keys: readonly number[],
): Promise<ReadonlyMap<number, ConflictingLine[]>> {
  const sealer = requireSealer(tx.sealer);
  // Not the token: the intake of ids needs no permission to read one.
  const named = ['record_key', 'type', 'origin', 'at', 'key_id', 'token_fingerprint', 'settled_at'] as const;
  const rows = await findRows(tx.db, 'tracking_conflicts', tx.inList('record_key', keys), named, 'conflict_key');
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
    entryOf(claims, row.record_key, () => []).push(claim);
  }
  return claims;
}

/** Everything tracked under these ids, of either kind. */
export async function knownEntries(tx: WriteTransaction, ids: readonly string[]): Promise<TrackedEntry[]> {
  const sealer = requireSealer(tx.sealer);
  const rows = await tx.db
    .selectFrom('tracked_records')
    .select(['record_key', 'key_id', 'token_fingerprint', 'kind', 'record_id', 'origin', 'tracked_at', 'retracted_at'])
    .select(namesOf(FILLED_IN))
    .where('kind', 'in', ['purchase', 'sale'])
    .where(tx.inList('record_id', ids))
    .execute();
  const keys = rows.map((row) => row.record_key);
  const claims = await knownClaims(tx, keys);
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

export function tokenCells(tx: WriteTransaction, token: string, entry: TrackedEntry) {
  const sealer = requireSealer(tx.sealer);
  const owner = { what: 'token', kind: entry.kind, recordId: entry.id } as const;
  const { keyId, bytes } = sealer.seal(Buffer.from(token, 'utf8'), owner);
  return { key_id: keyId, token: bytes, token_fingerprint: sealer.fingerprint(token, keyId) };
}
