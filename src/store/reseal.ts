/** Key rotation: seals every value again that an older key sealed, with the newest key, in batches. */
import { sql } from 'kysely';
import type { RecordPosition } from '../domain/record.ts';
import type { Row } from './cells.ts';
import { renewedDigest } from './content-digest.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { renewSeals } from './row-seals.ts';
import { STATE_COLUMNS } from './schema/tracking.ts';
import { noteSealingKey, type Sealer } from './sealing.ts';
import { attachmentOwner } from './work-list/store.ts';

/** Rows in one transaction: small, so that other writers wait only briefly. */
const BATCH = 500;
/** Files of people, each of some megabytes. */
const ATTACHMENTS = 10;

function resealToken(sealer: Sealer, keyId: string, bytes: Uint8Array, { kind, recordId }: RecordPosition) {
  const owner = { what: 'token', kind, recordId } as const;
  const token = sealer.unseal({ keyId, bytes }, owner);
  const sealed = sealer.seal(token, owner);
  return [sealed.keyId, sealed.bytes, sealer.fingerprint(Buffer.from(token).toString('utf8'), sealed.keyId)];
}

async function resealTokens(tx: WriteTransaction, sealer: Sealer): Promise<number> {
  const rows = await tx.db
    .selectFrom('tracked_records')
    .select(['record_key', 'kind', 'record_id', 'key_id', 'token'])
    .where('key_id', '!=', sealer.keyId)
    .limit(BATCH)
    .execute();
  await tx.updateMany(
    'tracked_records',
    ['record_key'],
    ['key_id', 'token', 'token_fingerprint'],
    rows.map((row) => [
      row.record_key,
      ...resealToken(sealer, row.key_id, row.token, { kind: row.kind, recordId: row.record_id }),
    ]),
  );
  return rows.length;
}

async function resealClaims(tx: WriteTransaction, sealer: Sealer): Promise<number> {
  const rows = await tx.db
    .selectFrom('tracking_conflicts as c')
    .innerJoin('tracked_records as t', 't.record_key', 'c.record_key')
    .select(['c.conflict_key', 't.kind', 't.record_id', 'c.key_id', 'c.token'])
    .where('c.key_id', '!=', sealer.keyId)
    .limit(BATCH)
    .execute();
  await tx.updateMany(
    'tracking_conflicts',
    ['conflict_key'],
    ['key_id', 'token', 'token_fingerprint'],
    rows.map((row) => {
      const owner = { kind: row.kind, recordId: row.record_id };
      // A claim without a token has no key either, and is not among these rows.
      return [row.conflict_key, ...resealToken(sealer, row.key_id as string, row.token as Uint8Array, owner)];
    }),
  );
  return rows.length;
}

async function resealBodies(tx: WriteTransaction, sealer: Sealer): Promise<number> {
  const rows = await tx.db
    .selectFrom('sealed_bodies as s')
    .innerJoin('tracked_records as t', 't.record_key', 's.record_key')
    .select(['s.sealed_key', 't.kind', 't.record_id', 's.key_id', 's.sealed'])
    .where('s.key_id', '!=', sealer.keyId)
    .limit(BATCH)
    .execute();
  await tx.updateMany(
    'sealed_bodies',
    ['sealed_key'],
    ['key_id', 'sealed'],
    rows.map((row) => {
      const owner = { what: 'body', kind: row.kind, recordId: row.record_id } as const;
      const sealed = sealer.seal(sealer.unseal({ keyId: row.key_id, bytes: row.sealed }, owner), owner);
      return [row.sealed_key, sealed.keyId, sealed.bytes];
    }),
  );
  return rows.length;
}

async function resealAttachments(tx: WriteTransaction, sealer: Sealer): Promise<number> {
  const rows = await tx.db
    .selectFrom('break_attachments')
    .select(['attachment_key', 'break_id', 'key_id', 'sealed'])
    .where('key_id', '!=', sealer.keyId)
    .limit(ATTACHMENTS)
    .execute();
  await tx.updateMany(
    'break_attachments',
    ['attachment_key'],
    ['key_id', 'sealed'],
    rows.map((row) => {
      const owner = attachmentOwner(row.break_id);
      const sealed = sealer.seal(sealer.unseal({ keyId: row.key_id, bytes: row.sealed }, owner), owner);
      return [row.attachment_key, sealed.keyId, sealed.bytes];
    }),
  );
  return rows.length;
}

/** Digests under a key that is not there are passed over, so the walk goes on behind the last row. */
function resealDigests(): (tx: WriteTransaction, sealer: Sealer) => Promise<number> {
  let after = 0;
  return async (tx, sealer) => {
    for (;;) {
      const rows = await tx.rows(
        tx.db
          .selectFrom('contents')
          .select(['content_key', 'sha256', 'record_key', 'digest'])
          .select(STATE_COLUMNS)
          .where(sql<boolean>`substr(digest, 1, 8) <> ${Buffer.from(sealer.keyId, 'hex')}`)
          .where('content_key', '>', after)
          .orderBy('content_key')
          .limit(BATCH),
      );
      const last = rows.at(-1);
      if (last === undefined) return 0;
      after = Number(last[0]);
      const renewed = rows.flatMap(([key, sha256, recordKey, digest, ...cells]): Row[] => {
        const fresh = renewedDigest(sealer, digest as Uint8Array, String(sha256), Number(recordKey), cells);
        return fresh === null ? [] : [[Number(key), fresh]];
      });
      await tx.updateMany('contents', ['content_key'], ['digest'], renewed);
      if (renewed.length > 0) return renewed.length;
    }
  };
}

function resealRows(engine: Engine): (tx: WriteTransaction, sealer: Sealer) => Promise<number> {
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

/** @throws WrongKeyError, BrokenSealError; batches committed before stay. */
export async function reseal(engine: Engine, sealer: Sealer, onProgress: (renewed: number) => void): Promise<number> {
  let renewed = 0;
  for (const step of [
    resealTokens,
    resealClaims,
    resealBodies,
    resealAttachments,
    resealDigests(),
    resealRows(engine),
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
