/**
 * The number and the sum of a table's seals, under one seal. The number alone is not enough: an act could be deleted with its
 * seal and another one copied with its own, or a request put back, with its seal, as it was a day ago. The sum is that of the
 * keyed digests, modulo 2^128, so that adding a row reads no other; equal rows have a keyed digest of their number instead, which
 * cannot be chosen.
 */
import { pagesOf } from './copy.ts';
import type { Reader } from './engine.ts';
import type { TableName } from './schema/tables.ts';
import { requireSealer, type Sealer, sameFingerprint } from './sealing.ts';

const DIGEST_BYTES = 16;
const MODULUS = 1n << 128n;

interface Seal {
  digest: string;
  keyId: string;
  n: number;
}

interface Counted {
  n: number;
  /** null: sealed by an earlier version, as a number alone; or some seals are under a key that is gone. */
  sum: bigint | null;
}

export const modulo = (sum: bigint): bigint => ((sum % MODULUS) + MODULUS) % MODULUS;

function weight(sealer: Sealer, table: TableName, { digest, keyId, n }: Seal): bigint {
  if (n === 0) return 0n;
  const bytes =
    n === 1
      ? Buffer.from(digest, 'base64url')
      : Buffer.from(sealer.fingerprint(JSON.stringify(['seal', table, digest, n]), keyId));
  return BigInt(`0x0${bytes.toString('hex')}`);
}

/** By how much the sum moves where these seals change. */
export function movedBy(sealer: Sealer, table: TableName, changes: readonly { was: Seal; is: Seal }[]): bigint {
  let moved = 0n;
  for (const { was, is } of changes) moved += weight(sealer, table, is) - weight(sealer, table, was);
  return moved;
}

/** The sum of the seals that are there, or null where one is under a key that is gone. */
export async function sumOfSeals(tx: Reader, table: TableName): Promise<bigint | null> {
  const sealer = requireSealer(tx.sealer);
  let sum = 0n;
  for await (const page of pagesOf(tx, 'sealed_rows', ['digest', 'key_id', 'n'], { table_name: table }))
    for (const [digest, keyId, n] of page) {
      const seal = { digest: String(digest), keyId: String(keyId), n: Number(n) };
      if (!sealer.knows(seal.keyId)) return null;
      sum += weight(sealer, table, seal);
    }
  return modulo(sum);
}

/** The seal of number and sum, followed by the sum; the seal of the number alone where the sum is not known. */
export function sealOfCount(sealer: Sealer, keyId: string, table: TableName, { n, sum }: Counted): Uint8Array {
  if (sum === null) return sealer.fingerprint(JSON.stringify(['rows of', table, n]), keyId);
  const hex = modulo(sum)
    .toString(16)
    .padStart(2 * DIGEST_BYTES, '0');
  const seal = sealer.fingerprint(JSON.stringify(['rows of', table, n, hex]), keyId);
  return Buffer.concat([seal, Buffer.from(hex, 'hex')]);
}

/** What a stored seal of a number says, or null where it does not hold. */
export function heldCount(
  sealer: Sealer,
  table: TableName,
  { key_id: keyId, digest, upto }: { key_id: string | null; digest: Uint8Array | null; upto: number | null },
): Counted | null {
  if (keyId === null || digest === null || upto === null || !sealer.knows(keyId)) return null;
  const text = Buffer.from(digest.subarray(DIGEST_BYTES)).toString('hex');
  const counted = { n: Number(upto), sum: text === '' ? null : BigInt(`0x${text}`) };
  return sameFingerprint(sealOfCount(sealer, keyId, table, counted), digest) ? counted : null;
}
