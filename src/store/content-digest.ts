/**
 * A keyed digest of the typed columns of a content. The columns are judged instead of the body that they were read from: a
 * row that was changed by other means than Tieout must be told from one that an earlier version read otherwise.
 */
import type { Cell } from './cells.ts';
import { type Sealer, sameFingerprint } from './sealing.ts';

const KEY_ID_BYTES = 8;

/** The id of the key, and the digest under it. */
export function contentDigest(sealer: Sealer, sha256: string, recordKey: number, cells: readonly Cell[]): Uint8Array {
  return Buffer.concat([Buffer.from(sealer.keyId, 'hex'), under(sealer, sealer.keyId, sha256, recordKey, cells)]);
}

/** `unknown` where the row has no digest, or its key is not there. */
export function checkDigest(
  sealer: Sealer | null,
  digest: Uint8Array | null,
  sha256: string,
  recordKey: number,
  cells: readonly Cell[],
): 'holds' | 'changed' | 'unknown' {
  if (sealer === null || digest === null) return 'unknown';
  const keyId = Buffer.from(digest.subarray(0, KEY_ID_BYTES)).toString('hex');
  if (!sealer.knows(keyId)) return 'unknown';
  const found = under(sealer, keyId, sha256, recordKey, cells);
  return sameFingerprint(found, digest.subarray(KEY_ID_BYTES)) ? 'holds' : 'changed';
}

/**
 * The digest under the newest key; null where the key that it is under is not there. A digest that does not hold gets the id of the newest
 * key alone: it cannot hold under that key either, and is still reported.
 */
export function renewedDigest(
  sealer: Sealer,
  digest: Uint8Array,
  sha256: string,
  recordKey: number,
  cells: readonly Cell[],
): Uint8Array | null {
  const found = checkDigest(sealer, digest, sha256, recordKey, cells);
  if (found === 'unknown') return null;
  if (found === 'holds') return contentDigest(sealer, sha256, recordKey, cells);
  return Buffer.concat([Buffer.from(sealer.keyId, 'hex'), digest.subarray(KEY_ID_BYTES)]);
}

/** The engines give one number as different types; as text they are the same. */
export function cellTexts(cells: readonly Cell[]): readonly (string | null)[] {
  return cells.map((cell) => (cell === null ? null : String(cell)));
}

function under(sealer: Sealer, keyId: string, sha256: string, recordKey: number, cells: readonly Cell[]): Uint8Array {
  return sealer.fingerprint(JSON.stringify(['content', sha256, recordKey, ...cellTexts(cells)]), keyId);
}
