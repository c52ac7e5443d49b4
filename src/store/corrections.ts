/**
 * Decisions of people about tracked records: another view token, retraction, restoration. Each decision is an
 * appended event. A replaced token stays as a settled claim, so that an old file with that token is no conflict.
 */
import { sql } from 'kysely';
import { UnknownRecordError } from '../ports/store/errors.ts';
import type { Correction, TrackedStore } from '../ports/store/store.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { changeSealed } from './sealed-rows.ts';
import { noteSealingKey, requireSealer, type Sealer } from './sealing.ts';
import { summedCells, sumRows } from './summed-rows.ts';
import { knownEntries, tokenCells } from './tracked-entries.ts';
import { conflictText, type TrackedEntry } from './tracking-decisions.ts';
import { insertRows, updateRows } from './write-rows.ts';

type Decided = Pick<Correction, 'actor' | 'reason' | 'at'>;

/** @param entry a stored record; `replacement` is its token from now on */
export async function replaceToken(
  tx: WriteTransaction,
  sealer: Sealer,
  entry: TrackedEntry,
  token: string,
  decided: Decided,
): Promise<void> {
  const recordKey = entry.recordKey as number;
  const old = await tx.db
    .selectFrom('tracked_records')
    .select(['key_id', 'token', 'token_fingerprint'])
    .where('record_key', '=', recordKey)
    .executeTakeFirstOrThrow();
  await settleClaims(tx, recordKey, 'token', decided.at);
  await insertRows(tx, 'tracking_conflicts', [
    {
      ...old,
      record_key: recordKey,
      type: 'token',
      origin: entry.origin,
      at: entry.trackedAt,
      settled_at: decided.at,
    },
  ]);
  await noteSealingKey(tx, sealer);
  await updateRows(tx, 'tracked_records', [{ record_key: recordKey, ...tokenCells(sealer, token, entry) }]);
  await note(tx, sealer, recordKey, 'set-token', decided);
}

async function settleClaims(
  tx: WriteTransaction,
  recordKey: number,
  type: 'token' | 'kind',
  at: number,
): Promise<void> {
  await tx.db
    .updateTable('tracking_conflicts')
    .set({ settled_at: at })
    .where('record_key', '=', recordKey)
    .where('type', '=', type)
    .where('settled_at', 'is', null)
    .execute();
}

async function note(
  tx: WriteTransaction,
  sealer: Sealer,
  recordKey: number,
  type: Correction['type'],
  { actor, reason, at }: Decided,
) {
  const rows = [{ record_key: recordKey, type, actor, reason, at }];
  await insertRows(tx, 'tracking_events', rows);
  await sumRows(tx, sealer, [{ table: 'tracking_events', is: summedCells('tracking_events', rows) }]);
}

/** Two records with one id contradict each other by their kinds unless one of them is retracted. */
async function move(
  tx: WriteTransaction,
  sealer: Sealer,
  entries: readonly TrackedEntry[],
  entry: TrackedEntry,
  correction: Correction,
) {
  const { at } = correction;
  const retracts = correction.type === 'retract';
  const key = entry.recordKey as number;
  await changeSealed(tx, sealer, 'tracked_records', sql`record_key = ${key}`, () =>
    tx.db
      .updateTable('tracked_records')
      .set({ retracted_at: retracts ? at : null })
      .where('record_key', '=', key)
      .execute(),
  );
  for (const each of entries) {
    const recordKey = each.recordKey as number;
    if (retracts) await settleClaims(tx, recordKey, 'kind', at);
    else {
      await tx.db
        .updateTable('tracking_conflicts')
        .set({ settled_at: null })
        .where('record_key', '=', recordKey)
        .where('type', '=', 'kind')
        .execute();
    }
  }
  await note(tx, sealer, entry.recordKey as number, correction.type, correction);
}

/** @throws UnknownRecordError */
export const correctRecord =
  (engine: Engine, sealer: Sealer | null): TrackedStore['correct'] =>
  async (kind, id, correction) => {
    const key = requireSealer(sealer);
    return engine.write(async (tx) => {
      const entries = await knownEntries(engine, tx, key, [id]);
      const entry = entries.find((each) => each.kind === kind);
      if (entry === undefined) throw new UnknownRecordError(kind, id);
      if (correction.type === 'set-token') {
        if (entry.hasToken(correction.token) && entry.conflict === null) return 'unchanged';
        if (entry.hasToken(correction.token)) {
          await settleClaims(tx, entry.recordKey as number, 'token', correction.at);
          await note(tx, key, entry.recordKey as number, 'set-token', correction);
        } else await replaceToken(tx, key, entry, correction.token, correction);
      } else {
        if (entry.retracted === (correction.type === 'retract')) return 'unchanged';
        await move(tx, key, entries, entry, correction);
      }
      const known = await knownEntries(engine, tx, key, [id]);
      await changeSealed(tx, key, 'tracked_records', sql`record_id = ${id}`, () =>
        updateRows(
          tx,
          'tracked_records',
          known.map((each) => ({ record_key: each.recordKey as number, conflict: conflictText(each) })),
        ),
      );
      return 'changed';
    });
  };
