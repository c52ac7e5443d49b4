/**
 * A keyed digest of the typed columns of a content. The columns are judged instead of the body, so a row that was
 * changed outside Tieout must be distinguished from one that an earlier version read differently.
 */
import type { RawBuilder } from 'kysely';
import type { Cell } from './cells.ts';
import { pagesOf } from './copy.ts';
import type { Reader } from './engine.ts';
import { STATE_COLUMNS } from './schema/state.ts';
import { type Sealer, sameFingerprint } from './sealing.ts';

const KEY_ID_BYTES = 8;
const NAMES = ['content_key', 'sha256', 'record_key', 'digest'] as const;

/** The bodies for which a condition holds, page by page, with their figures as the digest has them. */
export async function* contentsOf(reader: Reader, condition?: RawBuilder<unknown>) {
  for await (const page of pagesOf(reader, 'contents', [...NAMES, ...STATE_COLUMNS], condition))
    yield page.map(([key, sha256, recordKey, digest, ...cells]) => ({
      content_key: Number(key),
      sha256: String(sha256),
      recordKey: Number(recordKey),
      digest: digest as Uint8Array | null,
      cells,
    }));
}

/** What a digest is over. */
interface Digested {
  sha256: string;
  recordKey: number;
  cells: readonly Cell[];
}

/** The id of the key, and the digest under it. */
export function contentDigest(sealer: Sealer, content: Digested): Uint8Array {
  return Buffer.concat([Buffer.from(sealer.keyId, 'hex'), under(sealer, sealer.keyId, content)]);
}

/** `unknown` where the row has no digest, or its key is missing. */
export function checkDigest(sealer: Sealer | null, digest: Uint8Array | null, content: Digested) {
  if (sealer === null || digest === null) return 'unknown';
  const keyId = Buffer.from(digest.subarray(0, KEY_ID_BYTES)).toString('hex');
  if (!sealer.knows(keyId)) return 'unknown';
  const found = under(sealer, keyId, content);
  return sameFingerprint(found, digest.subarray(KEY_ID_BYTES)) ? 'holds' : 'changed';
}

/**
 * The digest under the newest key; null where its old key is missing. An invalid digest gets only the id of the
 * newest key: it stays invalid, and is still reported.
 */
export function renewedDigest(sealer: Sealer, digest: Uint8Array, content: Digested): Uint8Array | null {
  const found = checkDigest(sealer, digest, content);
  if (found === 'unknown') return null;
  if (found === 'holds') return contentDigest(sealer, content);
  return Buffer.concat([Buffer.from(sealer.keyId, 'hex'), digest.subarray(KEY_ID_BYTES)]);
}

/** The engines give one number as different types; as text they are the same. */
export function cellTexts(cells: readonly Cell[]): readonly (string | null)[] {
  return cells.map((cell) => (cell === null ? null : String(cell)));
}

/** Columns that every digest covers. Later ones count only up to the last that has a value, so that older digests still hold. */
const FIRST_COLUMNS = 21;

function under(sealer: Sealer, keyId: string, { sha256, recordKey, cells }: Digested): Uint8Array {
  let covered = cells.length;
  while (covered > FIRST_COLUMNS && cells[covered - 1] === null) covered--;
  return sealer.fingerprint(
    JSON.stringify(['content', sha256, recordKey, ...cellTexts(cells.slice(0, covered))]),
    keyId,
  );
}
