/**
 * The sealing key of a database: from the settings, else from a key file beside the database where that is a SQLite
 * file; and the keys that its values are sealed with.
 */

import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSecret, whyUnreadable } from '../text/unreadable.ts';
import { parseDatabaseUrl } from './database-url.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { createSealer, KEY_BYTES, KeyFileError, requireSealer, type Sealer, WrongKeyError } from './sealing.ts';
import { makePrivateFile, makePrivateFolder, syncToDisk } from './sqlite/private-file.ts';
import { findRows } from './statements.ts';
import { insertRows } from './write-rows.ts';

/** Where the key came from; `made` is true where this call made the key file. */
export interface KeyOrigin {
  source: 'environment' | 'file' | 'none';
  made: boolean;
}

/**
 * @param configured 32 bytes; null where nothing is configured.
 * @param options `make`: whether a missing key file is made; `older`: retired keys in base64, used for unsealing only.
 * @throws DatabaseUrlError, KeyFormatError, KeyFileError
 */
export function sealerOfDatabase(
  databaseUrl: string,
  configured: Uint8Array | null,
  options: { make: boolean; older?: readonly string[] },
): { sealer: Sealer | null; key: KeyOrigin } {
  const older = options.older ?? [];
  if (configured !== null) {
    const text = Buffer.from(configured).toString('base64');
    return { sealer: createSealer([text, ...older]), key: { source: 'environment', made: false } };
  }
  const path = parseDatabaseUrl(databaseUrl).keyFile;
  if (path === null) return { sealer: null, key: { source: 'none', made: false } };
  const { key, made } = options.make ? readOrMakeKeyFile(path) : { key: readKeyFile(path), made: false };
  if (key === null) return { sealer: null, key: { source: 'none', made } };
  return { sealer: createSealer([key, ...older]), key: { source: 'file', made } };
}

const RESTORE = 'restore it from a backup: without it no token can be unsealed';

/** Reads the key, or null where there is no file. @throws KeyFileError */
export function readKeyFile(path: string): string | null {
  let mode: number;
  let text: string;
  try {
    mode = statSync(path).mode;
    text = readSecret(path).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    // Without a code, it was read and is no key.
    const remedy = code === undefined ? RESTORE : 'make it belong to the user that runs Tieout';
    throw new KeyFileError(path, code === undefined ? whyUnreadable(error) : 'cannot be read', {
      remedy,
      cause: error,
    });
  }
  if ((mode & 0o077) !== 0) {
    throw new KeyFileError(path, 'may be read by others', {
      remedy: `run \`chmod 600 ${path}\`, and treat the key as known to others`,
    });
  }
  if (text === '') throw new KeyFileError(path, 'is empty', { remedy: RESTORE });
  return text;
}

/**
 * The key in the file; a missing file is made (32 random bytes in base64, mode 0600). Two processes that start at once
 * get the same key: a complete file is linked into place, and the second process finds that the name exists and reads
 * that file.
 * @throws KeyFileError
 */
export function readOrMakeKeyFile(path: string): { key: string; made: boolean } {
  const present = readKeyFile(path);
  if (present !== null) return { key: present, made: false };
  const key = randomBytes(KEY_BYTES).toString('base64');
  const partial = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    makePrivateFolder(dirname(path));
    makePrivateFile(partial);
    writeFileSync(partial, `${key}\n`);
    syncToDisk(partial);
    linkSync(partial, path);
    syncToDisk(dirname(path));
    return { key, made: true };
  } catch (error) {
    const winner = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readKeyFile(path) : null;
    if (winner !== null) return { key: winner, made: false };
    throw new KeyFileError(path, 'cannot be made', {
      remedy: 'check that the folder belongs to this user',
      cause: error,
    });
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Records that a value was sealed with the newest key, so that a lost key is noticed when the database is opened. */
export async function noteSealingKey(tx: WriteTransaction): Promise<void> {
  const { keyId } = requireSealer(tx.sealer);
  await insertRows(tx, 'sealing_keys', [{ key_id: keyId }], { skipKnown: true });
}

export async function sealingKeysInUse({ db }: Pick<Engine, 'db'>): Promise<readonly string[]> {
  return (await findRows(db, 'sealing_keys', {}, ['key_id'], 'key_id')).map((row) => row.key_id);
}

/** Without this check a missing key would stop a run in its middle. @throws WrongKeyError */
export async function requireKeysInUse(engine: Pick<Engine, 'db'>, sealer: Sealer): Promise<void> {
  const missing = (await sealingKeysInUse(engine)).filter((keyId) => !sealer.knows(keyId));
  if (missing.length > 0) throw new WrongKeyError(missing);
}

/** The same where anything is sealed: what is written without its key would be reported as written by another hand. @throws WrongKeyError */
export async function requireKeysOf(engine: Pick<Engine, 'db'>, sealer: Sealer | null): Promise<void> {
  if ((await sealingKeysInUse(engine)).length > 0) await requireKeysInUse(engine, requireSealer(sealer));
}
