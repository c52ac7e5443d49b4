/** Makes files and folders that only their owner can read, with any umask. */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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

/** Other programs leave `.partial` files too. */
const PARTIAL = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tieout\.partial$/;
const DAY_MS = 86_400_000;

/**
 * Makes the empty file that is written before it gets its name: of this call alone, as another one to the same name would take it away.
 * Removes those of the folder that nothing was written to for a day: their processes were killed.
 */
export function makePartial(path: string): string {
  const partial = `${path}.${randomUUID()}.tieout.partial`;
  makePrivateFile(partial);
  // By the clock of the file system, which may be that of another machine.
  removeLeft(dirname(path), statSync(partial).mtimeMs - DAY_MS);
  return partial;
}

/** What cannot be listed or removed, as the file of another user, stays. */
function removeLeft(folder: string, before: number): void {
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  for (const name of attempt(() => readdirSync(folder))?.filter((each) => PARTIAL.test(each)) ?? []) {
    const left = join(folder, name);
    attempt(() => lstatSync(left).mtimeMs < before && unlinkSync(left));
  }
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
