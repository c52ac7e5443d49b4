/**
 * Where a set lies in its out folder: `2026-11-20/nightly-r1` for a run, `periods/2026-10` for a closed month and
 * `periods/2026-10-delta-001` for later findings on it. Attempts have their temporary folders beside their sets.
 */
import { join } from 'node:path';
import { UsageError } from '../domain/errors.ts';
import { type FileSystem, orNull } from './file-system.ts';
import { MANIFEST } from './manifest.ts';

export interface RunSetName {
  businessDate: string;
  job: string;
  /** 1, 2, … */
  revision: number;
}

export interface PeriodSetName {
  /** `2026-10` */
  period: string;
  /** 1, 2, …; 0 is the closed month itself. */
  delta: number;
}

export type SetName = RunSetName | PeriodSetName;

const PERIODS = 'periods';
/** The folder of the packs of months in the out folder: an out folder itself, with its own list. */
export const PACKS = 'packs';
const DATE_FOLDER = /^\d{4}-\d{2}-\d{2}$/;
const RUN_PATH = /^(\d{4}-\d{2}-\d{2})\/([^./\\]{1,100})-r([1-9]\d*)$/;
const PERIOD_PATH = /^periods\/(\d{4}-\d{2})(?:-delta-(\d{3,}))?$/;

/**
 * Relative to the out folder, with `/` on every system, as manifests and links have it.
 * @throws UsageError for a name that leads out of the folder: an archive may hold one
 */
export function setPath(name: SetName): string {
  return requireSetPath(`${folderOf(name)}/${baseOf(name)}`);
}

/** @throws UsageError */
export function requireSetPath(path: string): string {
  if (parseSetPath(path) === null) throw new UsageError(`${path} is no place of a report set`);
  return path;
}

function folderOf(name: SetName): string {
  return 'period' in name ? PERIODS : name.businessDate;
}

function baseOf(name: SetName): string {
  if (!('period' in name)) return `${name.job}-r${name.revision}`;
  return name.delta === 0 ? name.period : `${name.period}-delta-${String(name.delta).padStart(3, '0')}`;
}

/** Null for a path that no set has. */
export function parseSetPath(path: string): SetName | null {
  const [, period, delta] = PERIOD_PATH.exec(path) ?? [];
  if (period !== undefined) return { period, delta: Number.parseInt(delta ?? '0', 10) };
  const [, businessDate, job, revision] = RUN_PATH.exec(path) ?? [];
  if (businessDate === undefined || job === undefined || revision === undefined) return null;
  return { businessDate, job, revision: Number.parseInt(revision, 10) };
}

/** True for a folder of the out folder that holds sets. */
export function holdsSets(name: string): boolean {
  return name === PERIODS || DATE_FOLDER.test(name);
}

/** The sets of an out folder, in order of name; none where there is no such folder. */
export function setPaths(out: string, fileSystem: FileSystem): string[] {
  return pathsIn(out, fileSystem).flatMap(({ path, isSet }) => (isSet ? [path] : []));
}

/** What the folders of an out folder hold, in order of name. */
function pathsIn(out: string, fileSystem: FileSystem): { name: string; path: string; isSet: boolean }[] {
  const namesIn = (folder: string) => (orNull(() => fileSystem.list(folder)) ?? []).sort();
  return namesIn(out)
    .filter(holdsSets)
    .flatMap((folder) => namesIn(join(out, folder)).map((name) => ({ name, path: `${folder}/${name}` })))
    .map((each) => {
      const isSet = parseSetPath(each.path) !== null && namesIn(join(out, each.path)).includes(MANIFEST);
      return { ...each, isSet };
    });
}

/**
 * The temporary folder beside a set: `2026-11-20/.nightly-r1.<who>.partial`. `who` may be any text: it is encoded into the
 * name.
 */
export function attemptPath(name: SetName, who: string): string {
  return `${setPath(name).replace('/', '/.')}.${encodeURIComponent(who)}.partial`;
}

/** `.nightly-r1.<who>.partial` in a date's folder, `.2026-10.<who>.partial` in that of the periods. */
const ATTEMPT = /^\.([^.]{1,100}-r[1-9]\d{0,9}|\d{4}-\d{2}(?:-delta-\d{3,9})?)\.(.{1,255})\.partial$/;
/** What lies beside the sets and is neither a set nor an attempt at one, relative to the out folder. */
export function foreignEntries(out: string, fileSystem: FileSystem): string[] {
  return pathsIn(out, fileSystem).flatMap(({ name, path, isSet }) => (isSet || ATTEMPT.test(name) ? [] : [path]));
}

/** `.latest.<who>`, in the out folder: a link or list that was not yet renamed. */
const SCRAP = /^\.(?:latest|latest-audit|manifests\.ndjson|publishing|tieout-folder\.json)\.(.+)$/;

type LeftoverOptions = SetName & {
  out: string;
  /** Names the process that is about to publish. */
  suffix: string;
  /** True only where the process of that suffix has certainly ended; without it, the caller is the only process. */
  isGone?: (suffix: string) => boolean;
};

/**
 * Removes earlier attempts at this set, and all leftovers of processes that have certainly ended. Files of a running process
 * stay, and so do files with other names.
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
      if (isGone === undefined ? isThisSet : isOurs(decoded(who), isThisSet ? suffix : null, isGone))
        fileSystem.remove(join(out, date, name));
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
    // Not a name that a publication gives: the file stays.
    return who;
  }
}
