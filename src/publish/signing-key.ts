/** Keys from the settings: who signs what is published, and which keys signatures are checked with. */
import type { Settings } from '../../config/settings.ts';
import { type PublicKey, readKeyFile, readPrivateKey, readPublicKey } from './keys.ts';
import { type Signer, signerOf } from './sign.ts';

/**
 * Read anew for each publication, and to be called before its work begins: a key that cannot be used is told then, not
 * after a night of fetching. Null where sets are not signed.
 * @throws ManifestKeyError
 */
export function signerFor({ publish }: Pick<Settings, 'publish'>): Signer | null {
  const path = publish.signingKeyFile;
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
