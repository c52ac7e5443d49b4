/**
 * Decisions of people about tracked records: another view token, retraction, restoration. Each decision is an
 * appended event. A replaced token stays as a settled claim, so that an old file with that token is no conflict.
 */

import { sql } from 'kysely';
import { entryOf } from '../domain/entry-of.ts';
import { UnknownRecordError } from '../ports/store/errors.ts';
import type { Correction, TrackedStore } from '../ports/store/store.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { addRows, changeRows, setRows } from './rows.ts';
import { namesOf } from './schema/column.ts';
import { FACTS, readShown } from './schema/facts.ts';
import { readerOf } from './schema/places.ts';
import { TRACKING } from './schema/tracking.ts';
import { requireSealer, sameFingerprint } from './sealing.ts';
import { noteSealingKey } from './sealing-key.ts';
import { findRow, findRows } from './statements.ts';
import { type ConflictingLine, conflictText, type TrackedEntry } from './tracking-decisions.ts';
import { insertRows, updateRows } from './write-rows.ts';

/** What a further line may fill in. */
const { webhook_events: _, ...filledIn } = FACTS;
export const FILLED_IN = filledIn;

const { record_key, kind, record_id, origin, tracked_at } = TRACKING.tracked_records.columns;
export const ENTRY = { record_key, kind, record_id: record_id.named('id'), origin, tracked_at };
const KNOWN = { ...ENTRY, ...FILLED_IN };
const readKnown = readerOf(KNOWN);
const NAMES = [...namesOf(KNOWN), 'key_id', 'token_fingerprint', 'retracted_at'] as const;

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
  const isOne = sql`kind in ('purchase', 'sale') and ${tx.inList('record_id', ids)}`;
  const rows = await findRows(tx.db, 'tracked_records', isOne, NAMES);
  const keys = rows.map((row) => row.record_key);
  const claims = await knownClaims(tx, keys);
  return rows.map((row) => ({
    ...readKnown(row),
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

type Decided = Pick<Correction, 'actor' | 'reason' | 'at'>;

/** @param entry a stored record; `replacement` is its token from now on */
export async function replaceToken(tx: WriteTransaction, entry: TrackedEntry, token: string, decided: Decided) {
  const recordKey = entry.recordKey as number;
  const stored = ['key_id', 'token', 'token_fingerprint'] as const;
  const old = await findRow(tx.db, 'tracked_records', { record_key: recordKey }, stored);
  if (old === undefined) throw new RangeError(`no record has the key ${recordKey}`);
  const { origin, trackedAt: at } = entry;
  await settleTokens(tx, recordKey, decided.at);
  await insertRows(tx, 'tracking_conflicts', [
    { ...old, record_key: recordKey, type: 'token', origin, at, settled_at: decided.at },
  ]);
  await noteSealingKey(tx);
  await updateRows(tx, 'tracked_records', [{ record_key: recordKey, ...tokenCells(tx, token, entry) }]);
  await note(tx, recordKey, 'set-token', decided);
}

async function settleTokens(tx: WriteTransaction, recordKey: number, at: number) {
  const isOne = { record_key: recordKey, type: 'token', settled_at: null } as const;
  await setRows(tx, 'tracking_conflicts', isOne, { settled_at: at });
}

async function note(tx: WriteTransaction, recordKey: number, type: Correction['type'], decided: Decided) {
  const { actor, reason, at } = decided;
  await addRows(tx, 'tracking_events', [{ record_key: recordKey, type, actor, reason, at }]);
}

/** @throws UnknownRecordError */
export const correctRecord =
  (engine: Engine): TrackedStore['correct'] =>
  async (kind, id, correction) => {
    requireSealer(engine.sealer);
    return engine.write(async (tx) => {
      const entries = await knownEntries(tx, [id]);
      const entry = entries.find((each) => each.kind === kind);
      if (entry === undefined) throw new UnknownRecordError(kind, id);
      const { type, at } = correction;
      const key = entry.recordKey as number;
      if (type === 'set-token') {
        if (!entry.hasToken(correction.token)) await replaceToken(tx, entry, correction.token, correction);
        else if (entry.conflict === null) return 'unchanged';
        else {
          await settleTokens(tx, key, at);
          await note(tx, key, type, correction);
        }
      } else {
        const retracts = type === 'retract';
        if (entry.retracted === retracts) return 'unchanged';
        await setRows(tx, 'tracked_records', { record_key: key }, { retracted_at: retracts ? at : null });
        // Two records with one id contradict each other by their kinds unless one of them is retracted.
        for (const each of entries) {
          const ofKind = { record_key: each.recordKey as number, type: 'kind' } as const;
          const isOne = retracts ? { ...ofKind, settled_at: null } : ofKind;
          await setRows(tx, 'tracking_conflicts', isOne, { settled_at: retracts ? at : null });
        }
        await note(tx, key, type, correction);
      }
      const known = await knownEntries(tx, [id]);
      const conflicts = known.map((each) => ({ record_key: each.recordKey as number, conflict: conflictText(each) }));
      await changeRows(tx, 'tracked_records', sql`record_id = ${id}`, () =>
        updateRows(tx, 'tracked_records', conflicts),
      );
      return 'changed';
    });
  };
