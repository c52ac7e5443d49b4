/**
 * Decisions of people about tracked records: another view token, retraction, restoration. Each decision is an
 * appended event. A replaced token stays as a settled claim, so that an old file with that token is no conflict.
 */
import { sql } from 'kysely';
import { UnknownRecordError } from '../ports/store/errors.ts';
import type { Correction, TrackedStore } from '../ports/store/store.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { addRows, changeRows, setRows } from './rows.ts';
import { requireSealer } from './sealing.ts';
import { noteSealingKey } from './sealing-key.ts';
import { findRow } from './statements.ts';
import { knownEntries, tokenCells } from './tracked-entries.ts';
import { conflictText, type TrackedEntry } from './tracking-decisions.ts';
import { insertRows, updateRows } from './write-rows.ts';

type Decided = Pick<Correction, 'actor' | 'reason' | 'at'>;

/** @param entry a stored record; `replacement` is its token from now on */
export async function replaceToken(
  tx: WriteTransaction,
  entry: TrackedEntry,
  token: string,
  decided: Decided,
): Promise<void> {
  const recordKey = entry.recordKey as number;
  const stored = ['key_id', 'token', 'token_fingerprint'] as const;
  const old = await findRow(tx.db, 'tracked_records', { record_key: recordKey }, stored);
  if (old === undefined) throw new RangeError(`no record has the key ${recordKey}`);
  const { origin, trackedAt: at } = entry;
  await settleClaims(tx, recordKey, 'token', decided.at);
  await insertRows(tx, 'tracking_conflicts', [
    { ...old, record_key: recordKey, type: 'token', origin, at, settled_at: decided.at },
  ]);
  await noteSealingKey(tx);
  await updateRows(tx, 'tracked_records', [{ record_key: recordKey, ...tokenCells(tx, token, entry) }]);
  await note(tx, recordKey, 'set-token', decided);
}

async function settleClaims(tx: WriteTransaction, recordKey: number, type: 'token' | 'kind', at: number) {
  await setRows(tx, 'tracking_conflicts', { record_key: recordKey, type, settled_at: null }, { settled_at: at });
}

async function note(tx: WriteTransaction, recordKey: number, type: Correction['type'], decided: Decided) {
  const { actor, reason, at } = decided;
  await addRows(tx, 'tracking_events', [{ record_key: recordKey, type, actor, reason, at }]);
}

/** Two records with one id contradict each other by their kinds unless one of them is retracted. */
async function move(
  tx: WriteTransaction,
  entries: readonly TrackedEntry[],
  entry: TrackedEntry,
  correction: Correction,
) {
  const { at } = correction;
  const retracts = correction.type === 'retract';
  const key = entry.recordKey as number;
  await setRows(tx, 'tracked_records', { record_key: key }, { retracted_at: retracts ? at : null });
  for (const each of entries) {
    const recordKey = each.recordKey as number;
    if (retracts) await settleClaims(tx, recordKey, 'kind', at);
    else await setRows(tx, 'tracking_conflicts', { record_key: recordKey, type: 'kind' }, { settled_at: null });
  }
  await note(tx, key, correction.type, correction);
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
      if (correction.type === 'set-token') {
        if (entry.hasToken(correction.token) && entry.conflict === null) return 'unchanged';
        if (entry.hasToken(correction.token)) {
          await settleClaims(tx, entry.recordKey as number, 'token', correction.at);
          await note(tx, entry.recordKey as number, 'set-token', correction);
        } else await replaceToken(tx, entry, correction.token, correction);
      } else {
        if (entry.retracted === (correction.type === 'retract')) return 'unchanged';
        await move(tx, entries, entry, correction);
      }
      const known = await knownEntries(tx, [id]);
      const conflicts = known.map((each) => ({ record_key: each.recordKey as number, conflict: conflictText(each) }));
      await changeRows(tx, 'tracked_records', sql`record_id = ${id}`, () =>
        updateRows(tx, 'tracked_records', conflicts),
      );
      return 'changed';
    });
  };
