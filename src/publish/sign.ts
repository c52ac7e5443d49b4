/**
 * Signatures of manifests. A signature lies beside its manifest, so that the manifest stays the JSON it is, and speaks for
 * the manifest's exact bytes, hence for every file whose hash is in it and for the set before it in the chain. The manifest
 * names the key, so that a signature which was taken away is missed.
 */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { keyIdOf, type PublicKey, readKeyFile, readPrivateKey, readPublicKey } from './keys.ts';

export const SIGNATURE = 'manifest.json.sig';

export interface Signer {
  /** SHA-256 of the public key in DER, hexadecimal. */
  readonly keyId: string;
  /** The text of the signature's file. */
  sign(manifest: Uint8Array): string;
}

const signatureSchema = z.strictObject({
  algorithm: z.literal('ed25519'),
  key_id: z.string().regex(/^[0-9a-f]{64}$/),
  /** 64 bytes, base64. */
  signature: z
    .base64()
    .length(88)
    // Its last character has bits to spare, which readers skip.
    .refine((text) => Buffer.from(text, 'base64').toString('base64') === text),
});
type SignatureFile = z.infer<typeof signatureSchema>;

export function signerOf(privateKey: KeyObject): Signer {
  const keyId = keyIdOf(createPublicKey(privateKey));
  return {
    keyId,
    sign: (manifest) => {
      const signature = sign(null, manifest, privateKey).toString('base64');
      return textOf({ algorithm: 'ed25519', key_id: keyId, signature });
    },
  };
}

/**
 * `good`: made with one of the keys, over these bytes. `unchecked`: there is a signature, and no key to check it with.
 * `unsigned`: nothing says that there should be one. `bad`: anything else.
 */
export type SignatureState = 'good' | 'unchecked' | 'unsigned' | 'bad';

interface CheckedSignature {
  state: SignatureState;
  /** The key that the signature, or else the manifest, names. */
  keyId: string | null;
  /** In words, where it is bad. */
  problem: string | null;
}

interface SignatureInput {
  manifest: Uint8Array;
  /** As the manifest names it; null where it names none. */
  namedKey: string | null;
  /** The signature's file; null where there is none. */
  file: Uint8Array | null;
  /** Keys to check with; empty where none is known. */
  keys: readonly PublicKey[];
}

export function checkSignature({ manifest, namedKey, file, keys }: SignatureInput): CheckedSignature {
  const bad = (problem: string, keyId = namedKey): CheckedSignature => ({ state: 'bad', keyId, problem });
  if (file === null) {
    if (namedKey === null) return { state: 'unsigned', keyId: null, problem: null };
    return bad(`is missing, though the manifest says that it was signed with the key ${short(namedKey)}`);
  }
  const signature = read(file);
  if (signature === null) return bad('is not a signature of ours: it was damaged or replaced');
  const { key_id: keyId } = signature;
  if (namedKey === null) return bad('is there, though the manifest says that it was not signed', keyId);
  if (keyId !== namedKey)
    return bad(`was made with the key ${short(keyId)}, but the manifest names the key ${short(namedKey)}`, keyId);
  if (keys.length === 0) return { state: 'unchecked', keyId, problem: null };
  const known = keys.find((each) => each.keyId === keyId);
  if (known === undefined) {
    const names = keys.map((each) => short(each.keyId)).join(', ');
    return bad(`was made with another key, ${short(keyId)}; the keys to verify with are ${names}`, keyId);
  }
  if (verify(null, manifest, known.key, Buffer.from(signature.signature, 'base64')))
    return { state: 'good', keyId, problem: null };
  return bad(
    `does not fit the manifest: one of the two was changed, or it was not made with the key ${short(keyId)}`,
    keyId,
  );
}

function textOf({ algorithm, key_id, signature }: SignatureFile): string {
  return `${JSON.stringify({ algorithm, key_id, signature })}\n`;
}

/** One signature has one text: no manifest holds the hash of this file, so a byte more would go unnoticed. */
function read(file: Uint8Array): SignatureFile | null {
  const text = Buffer.from(file).toString('utf8');
  try {
    const parsed = signatureSchema.safeParse(JSON.parse(text));
    return parsed.success && textOf(parsed.data) === text ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Enough of a key's id to tell keys apart in a sentence. */
export function short(keyId: string): string {
  return keyId.slice(0, 16);
}

/**
 * Read anew for each publication, and to be called before its work begins: a key that cannot be used is reported then, not
 * after a night of fetching. Null where sets are not signed.
 * @throws ManifestKeyError
 */
export function signerFor(path: string | null): Signer | null {
  return path === null ? null : signerOf(readPrivateKey(readKeyFile(path), path));
}

/** @param keys paths of public keys, or PEM texts. @throws ManifestKeyError */
export function verifyKeysOf(keys: readonly string[]): readonly PublicKey[] {
  return keys.map((key, index) =>
    key.includes('-----BEGIN')
      ? readPublicKey(key, `key ${index + 1} of publish.verifyKeys`)
      : readPublicKey(readKeyFile(key), key),
  );
}
