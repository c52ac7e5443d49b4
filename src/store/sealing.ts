/**
 * Encrypts view tokens and unreadable bodies at rest ("seals" them): AES-256-GCM with a fresh nonce each time. The
 * owner of the secret is the associated data, so that a sealed value copied to another row does not open there.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { UnavailableError, UsageError } from '../domain/errors.ts';
import type { RecordPosition } from '../domain/record.ts';

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** 128 bits are enough to distinguish tokens. */
const FINGERPRINT_BYTES = 16;

/** A sealed value: nonce, tag and ciphertext in one, and the id of the key. */
export interface Sealed {
  keyId: string;
  bytes: Uint8Array;
}

/** The type and the owner of a secret: the associated data of the encryption. */
export interface SealedFor extends RecordPosition {
  what: 'token' | 'body' | 'attachment';
}

/** Holds the configured keys: the newest one seals, all of them unseal. */
export type Sealer = Readonly<ReturnType<typeof createSealer>>;

/** Key objects, because Node converts plain bytes at every use, which takes four times as long as sealing a token. */
interface Key {
  id: string;
  sealing: KeyObject;
  fingerprinting: KeyObject;
  weighing: string;
}

/** Derives a separate key for each use. */
function derive(master: Uint8Array, use: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', master, '', `tieout ${use} 1`, length));
}

const withoutPadding = (base64: string) => base64.replace(/={1,2}$/, '');

/** @throws KeyFormatError */
function readKey(base64: string, where: string): Key {
  const master = Buffer.from(base64.trim(), 'base64');
  // Buffer ignores characters that are not base64; the round trip detects them.
  const plain = withoutPadding(base64.trim());
  if (master.length !== KEY_BYTES || withoutPadding(master.toString('base64')) !== plain)
    throw new KeyFormatError(where);
  return {
    id: Buffer.from(derive(master, 'key id', 8)).toString('hex'),
    sealing: createSecretKey(derive(master, 'seal', KEY_BYTES)),
    fingerprinting: createSecretKey(derive(master, 'fingerprint', KEY_BYTES)),
    weighing: Buffer.from(derive(master, 'weigh', KEY_BYTES)).toString('hex'),
  };
}

function associatedData(owner: SealedFor): Uint8Array {
  return Buffer.from(`${owner.what}\n${owner.kind}\n${owner.recordId}`, 'utf8');
}

/**
 * @param keys 32 bytes in base64 each, the newest first; older ones are given while a rotation is under way.
 * @param random source of nonces; replaced in tests only.
 * @throws KeyFormatError
 */
export function createSealer(
  keys: readonly [string, ...string[]],
  random: (bytes: number) => Uint8Array = randomBytes,
) {
  const [first, ...older] = keys;
  const newest = readKey(first, 'the sealing key');
  const byId = new Map<string, Key>();
  for (const [index, text] of older.entries()) {
    const key = readKey(text, `older sealing key ${index + 1}`);
    byId.set(key.id, key);
  }
  byId.set(newest.id, newest);

  const keyOf = (keyId: string): Key => {
    const key = byId.get(keyId);
    if (key === undefined) throw new WrongKeyError([keyId]);
    return key;
  };

  return {
    /** Id of the newest key: 16 hexadecimal digits, derived one-way. */
    keyId: newest.id,
    knows: (keyId: string) => byId.has(keyId),
    seal(secret: Uint8Array, owner: SealedFor): Sealed {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest.sealing, nonce);
      cipher.setAAD(associatedData(owner));
      const text = Buffer.concat([cipher.update(secret), cipher.final()]);
      return { keyId: newest.id, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
    },
    /** @throws WrongKeyError, BrokenSealError */
    unseal(sealed: Sealed, owner: SealedFor): Uint8Array {
      const key = keyOf(sealed.keyId);
      const bytes = sealed.bytes;
      const tagEnd = NONCE_BYTES + TAG_BYTES;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key.sealing, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(associatedData(owner));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
        return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
      } catch (error) {
        throw new BrokenSealError(`the ${owner.what} of ${owner.kind} ${owner.recordId}`, error);
      }
    },
    /** HMAC with the key `keyId`: only a holder of the key can compare tokens. @throws WrongKeyError */
    fingerprint(token: string, keyId: string): Uint8Array {
      const digest = createHmac('sha256', keyOf(keyId).fingerprinting).update(token, 'utf8').digest();
      return digest.subarray(0, FINGERPRINT_BYTES);
    },
    /**
     * What a row weighs in the sum of its table: 128 bits that cannot be computed without the key. In a third of the time of
     * `fingerprint`; the text must be JSON, so that none is the beginning of another. @throws WrongKeyError
     */
    weigh(json: string, keyId: string) {
      // Cut in half, so that the digest of a longer text cannot be continued from it.
      return BigInt(`0x${hash('sha256', keyOf(keyId).weighing + json).slice(0, 2 * FINGERPRINT_BYTES)}`);
    },
  };
}

export function sameFingerprint(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A configured key is not 32 bytes of base64. */
export class KeyFormatError extends UsageError {
  constructor(where: string) {
    super(`${where} is not a sealing key, which is exactly 32 bytes in base64`, {
      remedy: 'make one with `openssl rand -base64 32`, or restore the one that sealed this database',
    });
  }
}

/** A key is needed and none was given. */
export class MissingKeyError extends UsageError {
  /** @param keyIds of the values that are sealed; none in a new database */
  constructor(keyIds: readonly string[] = []) {
    const which = keyIds.length === 0 ? '' : ` with key ${keyIds.join(', ')}`;
    super(`no sealing key was given, and view tokens are sealed${which}`, {
      remedy:
        'set TIEOUT_SECRET_KEY (or TIEOUT_SECRET_KEY_FILE) to the one key that all machines of this database share; only a ' +
        'SQLite file has a key file beside it',
    });
  }
}

/** A value was sealed with a key that is not configured. */
export class WrongKeyError extends UsageError {
  constructor(keyIds: readonly string[]) {
    super(`view tokens are sealed with key ${keyIds.join(', ')}, which is not among the configured keys`, {
      remedy: 'put that key back (TIEOUT_SECRET_KEY, or the key file beside the database)',
    });
  }
}

/** The key is the right one and authentication fails: the bytes were changed, or copied from another record. */
export class BrokenSealError extends UnavailableError {
  constructor(what: string, cause?: unknown) {
    super(`the seal of ${what} is broken: the row was changed or copied`, {
      remedy: 'restore it from a backup or import it again',
      cause,
    });
  }
}

/** The key file exists, but others may read it, or it is empty, or it cannot be read or made. */
export class KeyFileError extends UsageError {
  constructor(path: string, why: string, options: { remedy: string; cause?: unknown }) {
    super(`key file ${path}: ${why}`, options);
  }
}

/** @throws MissingKeyError */
export function requireSealer(sealer: Sealer | null, keyIds: readonly string[] = []): Sealer {
  if (sealer === null) throw new MissingKeyError(keyIds);
  return sealer;
}
