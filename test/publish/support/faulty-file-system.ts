/** A real file system with a fault in it. */
import { type FileSystem, realFileSystem } from '../../../src/publish/file-system.ts';

type Call = keyof FileSystem;

export interface Watched {
  fileSystem: FileSystem;
  /** The system calls made, in order: `rename /tmp/a`. */
  calls: string[];
}

/** @param before is called before each call, with its number from 0, and may throw instead of it. */
export function watchedFileSystem(before: (index: number, call: Call, args: readonly unknown[]) => void): Watched {
  const calls: string[] = [];
  const fileSystem = Object.fromEntries(
    (Object.keys(realFileSystem) as Call[]).map((call) => [
      call,
      (...args: unknown[]) => {
        const index = calls.length;
        calls.push(`${call} ${String(args[0])}`);
        before(index, call, args);
        return (realFileSystem[call] as (...all: unknown[]) => unknown)(...args);
      },
    ]),
  ) as unknown as FileSystem;
  return { fileSystem, calls };
}

/** What a process that is killed leaves to its successors: this call and all after it are not made. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

export function killedAt(index: number): Watched {
  return watchedFileSystem((at) => {
    if (at >= index) throw new KilledError(`killed at call ${index}`);
  });
}

/** One call fails, and only one. */
export function failingAt(index: number, code: string): Watched {
  return watchedFileSystem((at, call) => {
    if (at === index) throw Object.assign(new Error(`${code}: ${call}`), { code });
  });
}
