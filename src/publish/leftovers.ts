/** Clears away what publications left that died: folders of unfinished sets, and the files beside them. */
import { join } from 'node:path';
import { type FileSystem, orNull } from './file-system.ts';
import { holdsSets, type SetName, setPath } from './set-path.ts';

/** `.nightly-r1.<who>.partial` in a date's folder, `.2026-10.<who>.partial` in that of the periods. */
const ATTEMPT = /^\.(.+?-r[1-9]\d*|\d{4}-\d{2}(?:-delta-\d{3,})?)\.(.+)\.partial$/;
/** `.latest.<who>`, in the out folder: a link or list that was not yet renamed. */
const SCRAP = /^\.(?:latest|manifests\.ndjson|publishing)\.(.+)$/;

export type LeftoverOptions = SetName & {
  out: string;
  /** Who is about to publish. */
  suffix: string;
  /** True only where the process of that suffix is certainly gone; without it, whoever asks is the only one. */
  isGone?: (suffix: string) => boolean;
};

/**
 * Removes attempts at this very set, and everything of processes that are certainly gone. What a living process is writing
 * stays, as does anything whose name we did not give.
 */
export function clearLeftovers(options: LeftoverOptions, fileSystem: FileSystem): void {
  const { out, suffix, isGone } = options;
  const namesIn = (folder: string) => orNull(() => fileSystem.list(folder)) ?? [];
  const names = namesIn(out);
  for (const name of names) {
    const who = SCRAP.exec(name)?.[1];
    if (who !== undefined && isOurs(decoded(who), suffix, isGone)) fileSystem.remove(join(out, name));
  }
  for (const date of names.filter(holdsSets)) {
    for (const name of namesIn(join(out, date))) {
      const [, set, who] = ATTEMPT.exec(name) ?? [];
      if (set === undefined || who === undefined) continue;
      const isThisSet = `${date}/${set}` === setPath(options);
      if (isGone === undefined ? isThisSet : isOurs(decoded(who), isThisSet ? suffix : null, isGone)) {
        fileSystem.remove(join(out, date, name));
      }
    }
  }
}

function isOurs(who: string, suffix: string | null, isGone: ((who: string) => boolean) | undefined): boolean {
  return isGone === undefined || who === suffix || isGone(who);
}

function decoded(who: string): string {
  try {
    return decodeURIComponent(who);
  } catch {
    // Not a name that we gave: it stands for nobody, and stays.
    return who;
  }
}
