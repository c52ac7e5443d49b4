/** Makes files and folders that only their owner can read, with any umask. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import { makeFolders } from '../../ports/folders.ts';

/**
 * Makes the missing folders above a path, each 0700; folders that are there keep their mode. In one that it makes git sees no file: database
 * and key would be a `git add .` away from a server of others.
 */
export function makePrivateFolder(folder: string): void {
  const last = makeFolders(resolve(folder), (path) => {
    mkdirSync(path, 0o700);
    chmodSync(path, 0o700);
  }).at(-1);
  if (last !== undefined) writeFileSync(join(last, '.gitignore'), '*\n', { mode: 0o600 });
}

/**
 * Makes an empty file with mode 0600; false where the file exists. SQLite gives its -wal and -shm files the mode of the
 * database, so a private database stays private with everything beside it.
 */
export function makePrivateFile(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  // With any umask.
  chmodSync(path, 0o600);
  return true;
}

/** Flushes a file or folder to disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
