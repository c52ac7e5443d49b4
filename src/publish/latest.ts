/** `<out>/latest`: a link to the newest complete set, replaced in one step. */
import { join } from 'node:path';
import { type FileSystem, syncFolder } from './file-system.ts';

/** Moves `latest` to a set, unless it already points at one of a later business date: a night caught up is not news. */
export function moveLatest(out: string, path: string, suffix: string, fileSystem: FileSystem): void {
  const link = join(out, 'latest');
  const now = currentTarget(link, fileSystem);
  if (now !== null && dateOf(now) > dateOf(path)) return;
  const next = join(out, `.latest.${suffix}`);
  fileSystem.rmSync(next, { force: true });
  fileSystem.symlinkSync(path, next);
  fileSystem.renameSync(next, link);
  syncFolder(fileSystem, out);
}

function currentTarget(link: string, fileSystem: FileSystem): string | null {
  try {
    return fileSystem.readlinkSync(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const dateOf = (path: string) => path.slice(0, 10);
