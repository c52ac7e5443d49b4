/** The system calls that a publication makes: few, named, and replaceable, so that a fault can be put into each of them. */
import * as fs from 'node:fs';

export type FileSystem = Pick<
  typeof fs,
  | 'chmodSync'
  | 'closeSync'
  | 'existsSync'
  | 'fsyncSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'readlinkSync'
  | 'renameSync'
  | 'rmSync'
  | 'symlinkSync'
  | 'writeSync'
>;

export const realFileSystem: FileSystem = fs;

/** Makes the names in a folder durable; without it a crash may forget a rename that already happened. */
export function syncFolder(fileSystem: FileSystem, path: string): void {
  const folder = fileSystem.openSync(path, 'r');
  try {
    fileSystem.fsyncSync(folder);
  } finally {
    fileSystem.closeSync(folder);
  }
}

/** Creates a folder only its owner may enter, whatever the umask; parents that exist are left as they are. */
export function makePrivateFolder(fileSystem: FileSystem, path: string): void {
  const first = fileSystem.mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first !== undefined) fileSystem.chmodSync(path, 0o700);
}
