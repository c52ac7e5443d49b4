/** `<out>/latest`: a link to the newest complete set, replaced in one step. */
import { join } from 'node:path';
import type { Link } from './chain.ts';
import { type FileSystem, orNull, syncFolder } from './file-system.ts';
import { MANIFEST } from './manifest.ts';
import { parseSetPath } from './set-path.ts';

export const LATEST = 'latest';

/**
 * Moves `latest` to a set, unless it points at a newer one: of a later business date (a night caught up is not news), of
 * the same date and job with a higher revision, or of the same date and another job that was published after it.
 *
 * @param links the chain, with the set already in it.
 */
export function moveLatest(out: string, path: string, links: readonly Link[], suffix: string, fileSystem: FileSystem) {
  const link = join(out, LATEST);
  const now = orNull(() => fileSystem.readLink(link));
  if (now === path || (now !== null && isThere(out, now, fileSystem) && isNewer(now, path, links))) return;
  const next = join(out, `.${LATEST}.${encodeURIComponent(suffix)}`);
  fileSystem.remove(next);
  // Relative, so that the out folder can be moved or mounted elsewhere.
  fileSystem.makeLink(path, next);
  fileSystem.rename(next, link);
  syncFolder(fileSystem, out);
}

function isThere(out: string, path: string, fileSystem: FileSystem): boolean {
  return orNull(() => fileSystem.readFile(join(out, path, MANIFEST))) !== null;
}

function isNewer(a: string, b: string, links: readonly Link[]): boolean {
  const [one, other] = [parseSetPath(a), parseSetPath(b)];
  // A link that somebody pointed elsewhere is no set of ours: it is put right.
  if (one === null || other === null || 'period' in one || 'period' in other) return false;
  if (one.businessDate !== other.businessDate) return one.businessDate > other.businessDate;
  if (one.job === other.job) return one.revision > other.revision;
  const position = (path: string) => links.findIndex((link) => link.path === path);
  return position(a) > position(b);
}
