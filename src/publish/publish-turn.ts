/**
 * One publication at a time per out folder: two jobs that end together must not both hang on the same manifest. The turn is
 * a symbolic link that points at its holder's name: made in one step, name and all, and by one process only.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './errors.ts';
import { type FileSystem, orNull } from './file-system.ts';

const TURN = '.publishing';
/** A turn takes milliseconds; whoever holds it for a minute is stuck. */
const TRIES = 600;
const PAUSE_MS = 100;

export interface TurnOptions {
  out: string;
  who: string;
  /** True only where that process is certainly gone. */
  isGone: (who: string) => boolean;
  fileSystem: FileSystem;
}

/** Waits for the turn and answers how to give it back. @throws Error where somebody else holds it for a minute. */
export async function takeTurn({ out, who, isGone, fileSystem }: TurnOptions): Promise<() => void> {
  const path = join(out, TURN);
  const mine = encodeURIComponent(who);
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      fileSystem.makeLink(mine, path);
      return () => fileSystem.remove(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const holder = orNull(() => fileSystem.readLink(path));
    if (holder !== null && isGone(decodeURIComponent(holder))) takeAway(path, holder, mine, fileSystem);
    else await delay(PAUSE_MS);
  }
  throw new Error(
    `another process has been publishing to ${out} for a minute; if none is running, remove ${path}, then run again with --resume`,
  );
}

/** Moves the dead holder's link aside before removing it, so that of two who find it dead only one takes it away. */
function takeAway(path: string, holder: string, mine: string, fileSystem: FileSystem): void {
  const aside = `${path}.${mine}`;
  const moved = orNull(() => {
    fileSystem.rename(path, aside);
    return fileSystem.readLink(aside);
  });
  if (moved === null) return;
  // Somebody was faster and holds the turn already: it is theirs again.
  if (moved !== holder) fileSystem.rename(aside, path);
  else fileSystem.remove(aside);
}
