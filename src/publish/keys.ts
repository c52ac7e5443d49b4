/**
 * Ed25519 keys that manifests are signed and checked with. A private key lives in a file of its own, is read once and kept
 * as a key object: its text is in no setting, no message and no database.
 */

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { codeOf, UsageError } from '../domain/errors.ts';
import { readSecret, whyUnreadable } from '../text/unreadable.ts';
import { type FileSystem, makePrivateFolders, realFileSystem, syncFolder, writePrivateFile } from './file-system.ts';

const PRIVATE_KEY_FILE = 'tieout-signing.key.pem';
const PUBLIC_KEY_FILE = 'tieout-signing.pub.pem';

/** Thrown where a key cannot be used; the message names its source and never quotes it. Exit code 2. */
export class ManifestKeyError extends UsageError {}

export interface PublicKey {
  /** SHA-256 of the key in DER (SPKI), hexadecimal. */
  keyId: string;
  key: KeyObject;
}

/** A pair in PEM: PKCS #8 and SPKI. */
export interface KeyPair {
  privatePem: string;
  publicPem: string;
  keyId: string;
}

export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

export function generateKeys(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyId: keyIdOf(publicKey),
  };
}

/**
 * Writes both files, for their owner alone; neither replaces one that is there.
 * @throws UsageError where one is there: sets signed with it could not be checked any more; the file system's own errors.
 */
export function writeKeys(
  folder: string,
  pair: KeyPair,
  fileSystem: FileSystem = realFileSystem,
): { privatePath: string; publicPath: string } {
  makePrivateFolders(fileSystem, folder);
  const privatePath = join(folder, PRIVATE_KEY_FILE);
  const publicPath = join(folder, PUBLIC_KEY_FILE);
  // The private key first: of two processes, the second is refused before it writes a file.
  writeNew(privatePath, pair.privatePem, fileSystem);
  try {
    writeNew(publicPath, pair.publicPem, fileSystem);
  } catch (error) {
    fileSystem.remove(privatePath);
    throw error;
  }
  syncFolder(fileSystem, folder);
  return { privatePath, publicPath };
}

function writeNew(path: string, text: string, fileSystem: FileSystem): void {
  try {
    writePrivateFile(fileSystem, path, Buffer.from(text, 'utf8'));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const remedy = 'name another folder with --out, or move the key';
    throw new UsageError(`${path} exists, and a key is never overwritten`, { remedy });
  }
}

/** @param source for messages: a path, or the variable it came from. @throws ManifestKeyError */
export function readPrivateKey(pem: string, source: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    // Without the cause: a parser's message may quote what it read.
    throw new ManifestKeyError(`${source} holds no private key in PEM without a passphrase`, {
      remedy: 'make one with `tieout keys generate`',
    });
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new ManifestKeyError(`${source} holds a key of type ${key.asymmetricKeyType}`, {
    remedy: 'manifests are signed with Ed25519: make a key with `tieout keys generate`',
  });
}

/** @throws ManifestKeyError, also for a private key, which does not belong on a machine that only verifies. */
export function readPublicKey(pem: string, source: string): PublicKey {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new ManifestKeyError(`${source} holds a private key`, {
      remedy: `give the public one, ${PUBLIC_KEY_FILE}, and keep the private one on the machine that signs`,
    });
  }
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new ManifestKeyError(`${source} holds no public key in PEM (-----BEGIN PUBLIC KEY-----)`, { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new ManifestKeyError(`${source} holds a key of type ${key.asymmetricKeyType}`, {
      remedy: 'give an Ed25519 key: manifests are signed with no other',
    });
  }
  return { keyId: keyIdOf(key), key };
}

/** Text of a key file. @throws ManifestKeyError */
export function readKeyFile(path: string): string {
  try {
    return readSecret(path);
  } catch (cause) {
    const why = codeOf(cause) ?? whyUnreadable(cause);
    throw new ManifestKeyError(`the key file ${path} cannot be read (${why})`, {
      remedy: 'check its path and permissions',
      cause,
    });
  }
}
