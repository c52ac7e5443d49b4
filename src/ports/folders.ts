/** Folders for output. */
import { dirname } from 'node:path';
import { codeOf, UsageError } from '../domain/errors.ts';

/**
 * Makes a folder, and those above it that are missing. The `recursive` of `node:fs` never returns where the parent exists and still takes
 * no folder, as in /proc or in a folder that was deleted.
 * @param make makes one in a folder that exists, as `mkdirSync` does
 * @returns those that it made, from above
 * @throws UsageError where the folder above takes none, and what `make` throws
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
  if (second === 'no parent') {
    throw new UsageError(`${path}: ${dirname(path)} takes no folder`, { remedy: 'name a place on a disk' });
  }
  return second ? [...above, path] : above;
}
