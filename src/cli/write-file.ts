/** Files and folders named on the command line. */
import { accessSync, closeSync, constants, fchmodSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, TieoutError, UsageError } from '../domain/errors.ts';
import { makeFolders } from '../ports/folders.ts';
import { count } from '../text/counts.ts';
import type { Output } from './output.ts';

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder',
  ELOOP: 'a link of its path leads back to itself',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** @throws UsageError where the place is to blame; the disk's own errors (it is full, it fails) as they are */
export async function writing<T>(path: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const code = error instanceof TieoutError ? null : codeOf(error);
    if (code === 'EEXIST') throw new UsageError(`${path} exists`, { remedy: 'name another file', cause: error });
    const reason = REASONS[code ?? ''];
    if (reason === undefined) throw error;
    throw new UsageError(`${path}: cannot be written: ${reason} (${code})`, {
      remedy: 'name a place on a disk that this user may write to',
      cause: error,
    });
  }
}

/** For its owner alone. @throws UsageError */
export async function makeFolder(path: string): Promise<void> {
  await writing(path, () => makeFolders(path, (folder) => mkdirSync(folder, 0o700)));
}

/** A folder for files of others to be written to. @throws UsageError before the work for them, where it takes none */
export async function makeOutFolder(path: string): Promise<void> {
  await makeFolder(path);
  await writing(path, () => accessSync(`${path}/.`, constants.W_OK));
}

/** For its owner alone; makes the folder it is in. @throws UsageError */
export async function writePrivate(path: string, content: string | Uint8Array, flag: 'w' | 'wx' = 'w'): Promise<void> {
  await makeFolder(dirname(path));
  await writing(path, () => {
    const file = openSync(path, flag, 0o600);
    try {
      // `openSync` applies its mode to new files only.
      fchmodSync(file, 0o600);
      writeFileSync(file, content);
    } catch (error) {
      // What a full disk left of a new file would refuse the next attempt.
      if (flag === 'wx') rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
  });
}

/** Never over another file. @throws UsageError */
export async function writePack(out: Output, file: string, bytes: Uint8Array, named: Record<string, string>) {
  await writePrivate(file, bytes, 'wx');
  await out.result({ ...named, file, bytes: bytes.length }, `${file}: ${count(bytes.length)} bytes`);
}
