/** Values that are sealed, each for the record or the break of its row: read page by page, and opened where a database is checked. */
import { hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { RecordPosition } from '../domain/record.ts';
import { inflateText } from './cells.ts';
import type { Engine, Reader } from './engine.ts';
import { type Sealed, type Sealer, sameFingerprint } from './sealing.ts';
import { keyOf } from './write-rows.ts';

/** Rows in one transaction: small, so that other writers wait only briefly. */
export const BATCH = 500;

/** The tables of sealed values, what their values are, and the column that tells that a value is the one that was sealed. */
export const VALUES = [
  { table: 'tracked_records', what: 'token', proof: 'token_fingerprint', atOnce: BATCH },
  { table: 'tracking_conflicts', what: 'token', proof: 'token_fingerprint', atOnce: BATCH },
  // Each of up to some megabytes.
  { table: 'sealed_bodies', what: 'body', proof: 'redacted_sha256', atOnce: 20 },
  { table: 'break_attachments', what: 'attachment', proof: 'sha256', atOnce: 10 },
] as const;
export type SecretValues = (typeof VALUES)[number];

type SecretValue = Sealed & RecordPosition & { key: number; proof: unknown };

/** One page. @param which of the rows `v` */
export async function valuesWhere(
  { db }: Pick<Reader, 'db'>,
  { table, what, proof, atOnce }: SecretValues,
  which: RawBuilder<unknown>,
): Promise<readonly SecretValue[]> {
  const [owner, joined] =
    what === 'attachment'
      ? [sql`'purchase' as kind, v.break_id as "recordId"`, sql``]
      : [sql`o.kind, o.record_id as "recordId"`, sql`join tracked_records as o on o.record_key = v.record_key`];
  const column = what === 'token' ? 'token' : 'sealed';
  const { rows } = await sql<SecretValue>`
    select ${sql.ref(`v.${keyOf(table)}`)} as key, v.key_id as "keyId", ${sql.ref(`v.${column}`)} as bytes,
      ${sql.ref(`v.${proof}`)} as proof, ${owner}
    from ${sql.table(table)} as v ${joined} where ${which} limit ${sql.lit(atOnce)}`.execute(db);
  return rows;
}

/**
 * Opens every value: one that was changed, or put in the row of another, would stop the night that needs it.
 * @param turn awaited before each page
 */
export async function checkValues(engine: Engine, turn: () => Promise<void>): Promise<readonly string[]> {
  const { sealer } = engine;
  if (sealer === null) return [];
  const problems: string[] = [];
  for (const values of VALUES) {
    const { table, what } = values;
    const key = sql.ref(`v.${keyOf(table)}`);
    for (let after = 0; ; ) {
      await turn();
      const page = await valuesWhere(engine, values, sql`v.key_id is not null and ${key} > ${after} order by ${key}`);
      for (const value of page) {
        if (isItself(sealer, what, value)) continue;
        const owner = what === 'attachment' ? 'break' : value.kind;
        problems.push(`${table}: the ${what} of ${owner} ${value.recordId} was changed or copied`);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < values.atOnce) break;
      after = last.key;
    }
  }
  return problems;
}

function isItself(sealer: Sealer, what: SecretValues['what'], value: SecretValue): boolean {
  const { proof, keyId } = value;
  let secret: Uint8Array;
  try {
    secret = sealer.unseal(value, { what, ...value });
  } catch {
    return false;
  }
  if (what === 'token') {
    const found = sealer.fingerprint(Buffer.from(secret).toString(), keyId);
    return proof instanceof Uint8Array && sameFingerprint(found, proof);
  }
  // Bodies of before the column have none.
  return proof === null || hash('sha256', what === 'body' ? inflateText(secret) : secret) === proof;
}
