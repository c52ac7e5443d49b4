/** Where the sealing key of a database is: in the settings, or in a file beside a database that is a file itself. */

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDatabaseUrl } from './database-url.ts';
import { createSealer, KEY_BYTES, KeyFileError, type Sealer } from './sealing.ts';
import { makePrivateFile, makePrivateFolder, syncToDisk } from './sqlite/private-file.ts';

/** `made` where this process has just made the file; `none` where there is no key. */
export interface KeyOrigin {
  source: 'environment' | 'file' | 'none';
  made: boolean;
}

/**
 * @param configured 32 bytes; null where nothing is configured.
 * @param options `make`: whether a missing key file is made; `older`: keys, in base64, that open what they sealed and
 * seal nothing any more.
 * @throws DatabaseUrlError, KeyFormatError, KeyFileError
 */
export function sealerFor(
  databaseUrl: string,
  configured: Uint8Array | null,
  options: { make: boolean; older?: readonly string[] },
): { sealer: Sealer | null; key: KeyOrigin } {
  const older = options.older ?? [];
  if (configured !== null) {
    const text = Buffer.from(configured).toString('base64');
    return { sealer: createSealer([text, ...older]), key: { source: 'environment', made: false } };
  }
  const address = parseDatabaseUrl(databaseUrl);
  // A file beside a server would be another one on each machine, and a lost one with each container.
  if (address.engine === 'postgres') return { sealer: null, key: { source: 'none', made: false } };
  const path = keyFileBeside(address.file);
  if (options.make) {
    const { key, made } = readOrMakeKeyFile(path);
    return { sealer: createSealer([key, ...older]), key: { source: 'file', made } };
  }
  const key = readKeyFile(path);
  return key === null
    ? { sealer: null, key: { source: 'none', made: false } }
    : { sealer: createSealer([key, ...older]), key: { source: 'file', made: false } };
}

/** `var/tieout.db` has its key in `var/tieout.db.key`. */
export function keyFileBeside(databaseFile: string): string {
  return `${databaseFile}.key`;
}

/** Reads the key, or null where there is no file. @throws KeyFileError */
export function readKeyFile(path: string): string | null {
  let mode: number;
  let text: string;
  try {
    mode = statSync(path).mode;
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new KeyFileError(path, 'cannot be read; it must belong to the user that runs Tieout', error);
  }
  if ((mode & 0o077) !== 0) {
    throw new KeyFileError(path, `may be read by others; run \`chmod 600 ${path}\`, and consider the key known`);
  }
  if (text === '')
    throw new KeyFileError(path, 'is empty; restore it from a backup, without it no token can be unsealed');
  return text;
}

/**
 * The key of the file, which is made (32 random bytes in base64, mode 0600) where there is none.
 * Two processes that start at once get the same key: a complete file is linked into place, and the second one to come
 * finds the name taken and reads what is there.
 * @throws KeyFileError
 */
export function readOrMakeKeyFile(
  path: string,
  random: (bytes: number) => Uint8Array = randomBytes,
): { key: string; made: boolean } {
  const present = readKeyFile(path);
  if (present !== null) return { key: present, made: false };
  const key = Buffer.from(random(KEY_BYTES)).toString('base64');
  const partial = `${path}.${Buffer.from(random(6)).toString('hex')}`;
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
    throw new KeyFileError(path, 'cannot be made; check that the folder belongs to this user', error);
  } finally {
    rmSync(partial, { force: true });
  }
}
