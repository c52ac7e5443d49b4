/**
 * The system calls of a publication: few, named, and replaceable, so that a fault can be put into each of them. All are
 * synchronous: a row is encoded faster than a promise is made.
 */
import * as fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../domain/errors.ts';
import { makeFolders } from '../ports/folders.ts';

export type FileSystem = typeof realFileSystem;

/** What is read whole, in bytes: a manifest has some kilobytes, and the list of manifests of a century some megabytes. */
const LARGEST = 16 * 2 ** 20;

export const realFileSystem = {
  /** `wx` creates and never overwrites. */
  open: (path: string, flags: 'r' | 'wx', mode?: number) =>
    flags === 'r' ? openToRead(path, true) : fs.openSync(path, flags, mode),
  /** Returns the bytes taken, which on a disk that is nearly full may be fewer than were given. */
  write: (file: number, bytes: Uint8Array, from: number) => fs.writeSync(file, bytes, from),
  /** Returns the bytes read; 0 at the end. */
  read: (file: number, into: Uint8Array) => fs.readSync(file, into),
  sync: (file: number) => fs.fsyncSync(file),
  setMode: (path: string, mode: number) => fs.chmodSync(path, mode),
  close: (file: number) => fs.closeSync(file),
  makeFolder: (path: string, mode: number) => void fs.mkdirSync(path, mode),
  /** Names in a folder, in no order. */
  list: (path: string) => fs.readdirSync(path),
  /** @param most bytes; a larger file is none of ours */
  readFile: (path: string, most = LARGEST): Buffer => {
    const file = openToRead(path, false);
    try {
      if (fs.fstatSync(file).size > most) throw noFile(path);
      return fs.readFileSync(file);
    } finally {
      fs.closeSync(file);
    }
  },
  readLink: (path: string) => fs.readlinkSync(path),
  /** The path with every link in it followed. */
  realPath: (path: string) => fs.realpathSync(path),
  makeLink: (target: string, path: string) => fs.symlinkSync(target, path),
  rename: (from: string, to: string) => fs.renameSync(from, to),
  /** A file or a folder with all that is in it; nothing there is fine. */
  remove: (path: string) => fs.rmSync(path, { recursive: true, force: true }),
};

/** A pipe or a device that others put in a file's place is no file: reading it could last for ever, and so could opening it. */
function openToRead(path: string, mayBeFolder: boolean): number {
  const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const found = fs.fstatSync(file);
  if (found.isFile() || (mayBeFolder && found.isDirectory())) return file;
  fs.closeSync(file);
  throw noFile(path);
}

const noFile = (path: string) => Object.assign(new Error(`${path} is no file of a set`), { code: 'ENOENT' });

/** A file of a set, piece by piece; null where there is none. */
export function streamOf(path: string): fs.ReadStream | null {
  return orNull(() => fs.createReadStream(path, { fd: openToRead(path, false) }));
}

export function writeAll(fileSystem: FileSystem, file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const taken = fileSystem.write(file, bytes, at);
    // A disk may take less than it was given, but one that takes nothing forever must not hang the run.
    if (taken === 0) throw new Error('the file system takes no more bytes');
    at += taken;
  }
}

/** Creates a file that its owner alone can read, with any umask. */
export function createPrivateFile(fileSystem: FileSystem, path: string): number {
  const file = fileSystem.open(path, 'wx', 0o600);
  try {
    fileSystem.setMode(path, 0o600);
    return file;
  } catch (error) {
    fileSystem.close(file);
    throw error;
  }
}

/** Creates a private file with these bytes and makes it durable. */
export function writePrivateFile(fileSystem: FileSystem, path: string, bytes: Uint8Array): void {
  const file = createPrivateFile(fileSystem, path);
  try {
    writeAll(fileSystem, file, bytes);
    fileSystem.sync(file);
  } finally {
    fileSystem.close(file);
  }
}

/** Makes the names in a folder durable; without it a crash may forget a rename that already happened. */
export function syncFolder(fileSystem: FileSystem, path: string): void {
  const folder = fileSystem.open(path, 'r');
  try {
    fileSystem.sync(folder);
  } finally {
    fileSystem.close(folder);
  }
}

/**
 * Creates a folder, and those above it that are missing, for its owner alone; one that is there is left as it is.
 * @param root may be a link; one below it leads to where `tieout verify` refuses a set
 * @throws UsageError where the folder above takes none
 */
export function makePrivateFolders(fileSystem: FileSystem, path: string, root = path): void {
  makeFolders(path, (folder) => {
    makePrivateFolder(fileSystem, folder);
    syncFolder(fileSystem, dirname(folder));
  });
  if (fileSystem.realPath(path) !== join(fileSystem.realPath(root), relative(root, path)))
    throw new Error(`${path} is a link to another folder; put a folder in its place`);
}

/** @throws EEXIST, ENOENT and the like. */
export function makePrivateFolder(fileSystem: FileSystem, path: string): void {
  fileSystem.makeFolder(path, 0o700);
  fileSystem.setMode(path, 0o700);
}

/** A link that leads to itself, what is no link, or a socket stands where a file or a link of ours should be. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO'];

/** The result of `look`, or null where there is no such file, folder or link. Other errors are thrown. */
export function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (MISSING.includes(String(codeOf(error)))) return null;
    throw error;
  }
}

/** Replaces a file as a whole and durably: a crash leaves the old one or the new one. @param suffix names this process */
export function replaceFile(out: string, name: string, text: string, suffix: string, fileSystem: FileSystem): void {
  const next = join(out, `${name.startsWith('.') ? '' : '.'}${name}.${encodeURIComponent(suffix)}`);
  const bytes = Buffer.from(text, 'utf8');
  try {
    writePrivateFile(fileSystem, next, bytes);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    // A process of the same name ended here and left the file.
    fileSystem.remove(next);
    writePrivateFile(fileSystem, next, bytes);
  }
  fileSystem.rename(next, join(out, name));
  syncFolder(fileSystem, out);
}
