/** Key rotation: seals every value again that an older key sealed, with the newest key, in batches. */
import { sql } from 'kysely';
import type { RecordPosition } from '../domain/record.ts';
import type { Cell } from './cells.ts';
import { adoptRows, renewRows } from './check-sealed-rows.ts';
import { renewedDigest } from './content-digest.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { renewSeals } from './row-seals.ts';
import { STATE_COLUMNS, stateRow } from './schema/state.ts';
import { SEALED_TABLES } from './schema/tables.ts';
import { noteSealingKey, type Sealed, type SealedFor, type Sealer } from './sealing.ts';
import { renewSums } from './summed-rows.ts';
import { attachmentOwner } from './work-list/store.ts';
import { updateRows } from './write-rows.ts';

/** Rows in one transaction: small, so that other writers wait only briefly. */
const BATCH = 500;
/** Attachments, each of some megabytes. */
const ATTACHMENTS = 10;

/** A sealed value with the key of its row. */
interface SealedValue extends Sealed {
  key: number;
}

interface Resealed {
  key: number;
  sealed: { key_id: string; sealed: Uint8Array };
  /** Of a token alone. */
  token(): { key_id: string; token: Uint8Array; token_fingerprint: Uint8Array };
}

type Step = (tx: WriteTransaction, sealer: Sealer) => Promise<number>;

/** @param write takes each value's key and what is stored of it from now on. */
function resealValues<Value extends SealedValue>(
  read: (tx: WriteTransaction, keyId: string) => { execute(): Promise<readonly Value[]> },
  ownerOf: (value: Value) => SealedFor,
  write: (tx: WriteTransaction, rows: readonly Resealed[]) => Promise<void>,
): Step {
  return async (tx, sealer) => {
    const values = await read(tx, sealer.keyId).execute();
    const rows = values.map((value) => {
      const owner = ownerOf(value);
      const secret = sealer.unseal(value, owner);
      const { keyId, bytes } = sealer.seal(secret, owner);
      const fingerprint = () => sealer.fingerprint(Buffer.from(secret).toString(), keyId);
      return {
        key: value.key,
        sealed: { key_id: keyId, sealed: bytes },
        token: () => ({ key_id: keyId, token: bytes, token_fingerprint: fingerprint() }),
      };
    });
    await write(tx, rows);
    return values.length;
  };
}

const ofRecord =
  (what: 'token' | 'body') =>
  ({ kind, recordId }: RecordPosition): SealedFor => ({ what, kind, recordId });

const resealTokens = resealValues(
  ({ db }: WriteTransaction, keyId: string) =>
    db
      .selectFrom('tracked_records')
      .select(['record_key as key', 'kind', 'record_id as recordId', 'key_id as keyId', 'token as bytes'])
      .where('key_id', '!=', keyId)
      .limit(BATCH),
  ofRecord('token'),
  (tx, rows) =>
    updateRows(
      tx,
      'tracked_records',
      rows.map((row) => ({ record_key: row.key, ...row.token() })),
    ),
);

const resealClaims = resealValues(
  ({ db }: WriteTransaction, keyId: string) =>
    db
      .selectFrom('tracking_conflicts as c')
      .innerJoin('tracked_records as t', 't.record_key', 'c.record_key')
      .select(['c.conflict_key as key', 't.kind', 't.record_id as recordId', 'c.key_id as keyId', 'c.token as bytes'])
      .where('c.key_id', '!=', keyId)
      // A claim without a token has no key either, and is not among these rows.
      .$narrowType<{ keyId: string; bytes: Uint8Array }>()
      .limit(BATCH),
  ofRecord('token'),
  (tx, rows) =>
    updateRows(
      tx,
      'tracking_conflicts',
      rows.map((row) => ({ conflict_key: row.key, ...row.token() })),
    ),
);

const resealBodies = resealValues(
  ({ db }: WriteTransaction, keyId: string) =>
    db
      .selectFrom('sealed_bodies as s')
      .innerJoin('tracked_records as t', 't.record_key', 's.record_key')
      .select(['s.sealed_key as key', 't.kind', 't.record_id as recordId', 's.key_id as keyId', 's.sealed as bytes'])
      .where('s.key_id', '!=', keyId)
      .limit(BATCH),
  ofRecord('body'),
  (tx, rows) =>
    updateRows(
      tx,
      'sealed_bodies',
      rows.map((row) => ({ sealed_key: row.key, ...row.sealed })),
    ),
);

const resealAttachments = resealValues(
  ({ db }: WriteTransaction, keyId: string) =>
    db
      .selectFrom('break_attachments')
      .select(['attachment_key as key', 'break_id as breakId', 'key_id as keyId', 'sealed as bytes'])
      .where('key_id', '!=', keyId)
      .limit(ATTACHMENTS),
  ({ breakId }) => attachmentOwner(breakId),
  (tx, rows) =>
    updateRows(
      tx,
      'break_attachments',
      rows.map((row) => ({ attachment_key: row.key, ...row.sealed })),
    ),
);

/** Digests under a missing key are skipped, so each page begins after the last row. */
function resealDigests(): Step {
  let after = 0;
  return async (tx, sealer) => {
    for (;;) {
      const rows = await tx.db
        .selectFrom('contents')
        .select(['content_key', 'sha256', 'record_key', 'digest'])
        .select(STATE_COLUMNS)
        .where(sql<boolean>`substr(digest, 1, 8) <> ${Buffer.from(sealer.keyId, 'hex')}`)
        .where('content_key', '>', after)
        .$narrowType<{ digest: Uint8Array }>()
        .orderBy('content_key')
        .limit(BATCH)
        .execute();
      const last = rows.at(-1);
      if (last === undefined) return 0;
      after = last.content_key;
      const renewed = rows.flatMap((row) => {
        const digest = renewedDigest(sealer, row.digest, row.sha256, row.record_key, stateRow(row));
        return digest === null ? [] : [{ content_key: row.content_key, digest }];
      });
      await updateRows(tx, 'contents', renewed);
      if (renewed.length > 0) return renewed.length;
    }
  };
}

function resealRows(engine: Engine): Step {
  let after = '';
  return async (tx, sealer) => {
    for (;;) {
      const page = await renewSeals(engine, tx, sealer, { after, limit: BATCH });
      if (page.last === null) return 0;
      after = page.last;
      if (page.renewed > 0) return page.renewed;
    }
  };
}

function resealSingleRows(): Step {
  const tables = [...SEALED_TABLES];
  let after: Cell | undefined;
  return async (tx, sealer) => {
    for (let table = tables[0]; table !== undefined; table = tables[0]) {
      const page = await renewRows(tx, sealer, table, after);
      after = page.last;
      if (page.last === undefined) tables.shift();
      if (page.renewed > 0) return page.renewed;
    }
    return 0;
  };
}

/** @throws WrongKeyError, BrokenSealError; batches committed before stay. */
export async function reseal(engine: Engine, sealer: Sealer, onProgress: (renewed: number) => void): Promise<number> {
  let renewed = await adoptRows(engine, sealer);
  for (const step of [
    resealTokens,
    resealClaims,
    resealBodies,
    resealAttachments,
    resealDigests(),
    resealRows(engine),
    resealSingleRows(),
  ]) {
    let done: number;
    do {
      done = await engine.write(async (tx) => {
        await noteSealingKey(tx, sealer);
        return step(tx, sealer);
      });
      renewed += done;
      if (done > 0) onProgress(renewed);
    } while (done > 0);
  }
  await engine.write((tx) => renewSums(engine, tx, sealer));
  await engine.write((tx) => forgetRetiredKeys(tx, sealer));
  return renewed;
}

/** Deletes the ids of older keys, unless a row still uses one: another process may have sealed with it meanwhile. */
async function forgetRetiredKeys(tx: WriteTransaction, sealer: Sealer): Promise<void> {
  for (const table of ['tracked_records', 'tracking_conflicts', 'sealed_bodies', 'break_attachments'] as const) {
    const left = await tx.db
      .selectFrom(table)
      .select('key_id')
      .where('key_id', '!=', sealer.keyId)
      .limit(1)
      .executeTakeFirst();
    if (left !== undefined) return;
  }
  await tx.db.deleteFrom('sealing_keys').where('key_id', '!=', sealer.keyId).execute();
}
