// Keeps the program compiled between starts, which takes a third off the start of a short command. The folder belongs to the
// user alone: a cache that others could write to would be a way into the program, so one with other rights is not used.
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
// Imported as a namespace: under an old Node, a missing name would end the launcher before it can start the newer
// Node.
import * as modules from 'node:module';
import { dirname, join } from 'node:path';

export function useCompileCache() {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME, HOME } = process.env;
  // Node has its own folder by then, or was told to have none.
  if (NODE_COMPILE_CACHE !== undefined || NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  const base = XDG_CACHE_HOME || (HOME ? join(HOME, '.cache') : '');
  if (base === '') return;
  const folder = join(base, 'tieout', 'compiled');
  try {
    makeFolders(folder);
    const { mode, uid } = lstatSync(folder);
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (isOurs) modules.enableCompileCache(folder);
  } catch {
    // There is no place for a cache (a read-only home, for example): the start only takes a little longer.
  }
}

/** As those of the database: Node never returns from `recursive` in /proc, where a home may be. */
function makeFolders(path) {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  mkdirSync(path, 0o700);
}
