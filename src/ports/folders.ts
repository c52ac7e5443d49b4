/** Folders for output. */
import { dirname } from 'node:path';
import { codeOf, UsageError } from '../domain/errors.ts';

/** The folder exists, and none can be made in it, as in /proc. Exit code 2. */
export class NoFolderError extends UsageError {
  constructor(path: string) {
    super(`${path}: ${dirname(path)} takes no folder`, { remedy: 'name a place on a disk' });
  }
}

/**
 * Makes a folder, and those above it that are missing. The `recursive` of `node:fs` never returns where the parent exists and still takes
 * no folder, as in /proc or in a folder that was deleted.
 * @param make makes one in a folder that exists, as `mkdirSync` does
 * @returns those that it made, from above
 * @throws NoFolderError, and what `make` throws
 */
export function makeFolders(path: string, make: (path: string) => unknown): readonly string[] {
  const made = (): boolean | 'no parent' => {
    try {
      make(path);
      return true;
    } catch (error) {
      // Another process may make it at the same time.
      if (codeOf(error) === 'EEXIST') return false;
      if (codeOf(error) === 'ENOENT' && dirname(path) !== path) return 'no parent';
      throw error;
    }
  };
  const first = made();
  if (first !== 'no parent') return first ? [path] : [];
  const above = makeFolders(dirname(path), make);
  const second = made();
  if (second === 'no parent') throw new NoFolderError(path);
  return second ? [...above, path] : above;
}
