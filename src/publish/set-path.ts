/** Where a set lies in its out folder: `2026-11-20/nightly-r1`. */
import { join } from 'node:path';
import { type FileSystem, orNull } from './file-system.ts';
import { MANIFEST } from './manifest.ts';

export interface SetName {
  businessDate: string;
  job: string;
  /** 1, 2, … */
  revision: number;
}

export const DATE_FOLDER = /^\d{4}-\d{2}-\d{2}$/;
const PATH = /^(\d{4}-\d{2}-\d{2})\/(.+)-r([1-9]\d*)$/;

/** Relative to the out folder, with `/` on every system, as manifests and links have it. */
export function setPath({ businessDate, job, revision }: SetName): string {
  return `${businessDate}/${job}-r${revision}`;
}

/** Null for a path that no set has. */
export function parseSetPath(path: string): SetName | null {
  const [, businessDate, job, revision] = PATH.exec(path) ?? [];
  if (businessDate === undefined || job === undefined || revision === undefined) return null;
  return { businessDate, job, revision: Number.parseInt(revision, 10) };
}

/** The sets of an out folder, in order of name; none where there is no such folder. */
export function setPaths(out: string, fileSystem: FileSystem): string[] {
  const namesIn = (folder: string) => (orNull(() => fileSystem.list(folder)) ?? []).sort();
  return namesIn(out)
    .filter((date) => DATE_FOLDER.test(date))
    .flatMap((date) => namesIn(join(out, date)).map((name) => `${date}/${name}`))
    .filter((path) => parseSetPath(path) !== null && namesIn(join(out, path)).includes(MANIFEST));
}

/**
 * The temporary folder beside a set: `2026-11-20/.nightly-r1.<who>.partial`. `who` may be any text: it is encoded into the
 * name.
 */
export function attemptPath(name: SetName, who: string): string {
  return `${name.businessDate}/.${name.job}-r${name.revision}.${encodeURIComponent(who)}.partial`;
}
