/**
 * The visible steps of a publication: take the publication lock, put the set in its place, list it, move `latest`. One
 * process at a time publishes to an out folder, so that no two manifests name the same predecessor.
 */
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { businessDateOf } from '../domain/calendar.ts';
import { codeOf } from '../domain/errors.ts';
import { isWholeNight } from '../domain/run.ts';
import { type Link, tipOf, writeChain } from './chain.ts';
import { PlaceTakenError } from './errors.ts';
import { type FileSystem, orNull, syncFolder, writePrivateFile } from './file-system.ts';
import { MANIFEST, type Manifest, readManifest, sha256Of } from './manifest.ts';
import { parseSetPath } from './set-path.ts';
import { SIGNATURE, type Signer } from './sign.ts';

export interface FinishedSet {
  out: string;
  /** The sets before it, in the order of publication. */
  links: readonly Link[];
  /** The set's path in the out folder. */
  path: string;
  /** The temporary folder, with everything in it but the manifest. */
  temporary: string;
  /** The manifest's text, given the hash of the one before it and the key that it is signed with. */
  manifest: (previous: string | null, signingKey: string | null) => string;
  /** Null where sets are not signed. */
  signer: Signer | null;
  /** The link that points at it once it is the newest of its sort; null for a set that no link is for. */
  link: { name: LatestLink; today: string } | null;
  suffix: string;
  fileSystem: FileSystem;
}

/**
 * Puts the set in its place with one rename, after which it is published. Idempotent for the same set.
 * @returns the chain with the set in it, for `listSet`.
 * @throws Error where the place is taken by another set; ChainDamagedError; the file system's own errors.
 */
export function placeSet(set: FinishedSet): Link[] {
  const { out, path, links, fileSystem } = set;
  const known = links.find((link) => link.path === path);
  const previous = known === undefined ? tipOf(links) : known.previous;
  const there = orNull(() => fileSystem.readFile(join(out, path, MANIFEST)));
  // A set that is in place stays signed, or unsigned, as it is: the key may have changed since a crash.
  const text = set.manifest(previous, there === null ? (set.signer?.keyId ?? null) : keyNamedBy(there));
  const sha256 = sha256Of(text);
  const published = there === null ? known?.sha256 : sha256Of(there);
  if (published !== undefined && published !== sha256) {
    throw new PlaceTakenError(
      `${join(out, path)} was published before with other content, and a published set is never changed; a new look at that date is a new revision`,
    );
  }
  // After a crash behind the rename, the same set is in place. A listed set that was removed since is restored.
  if (there === null) moveIntoPlace(set, text);
  else fileSystem.remove(set.temporary);
  return known === undefined ? [...links, { path, sha256, previous }] : [...links];
}

function keyNamedBy(manifest: Uint8Array): string | null {
  const read = readManifest(manifest);
  return 'problem' in read ? null : (read.manifest.signing_key ?? null);
}

function moveIntoPlace({ out, path, temporary, signer, fileSystem }: FinishedSet, manifest: string): void {
  const target = join(out, path);
  const bytes = Buffer.from(manifest, 'utf8');
  if (signer !== null)
    writePrivateFile(fileSystem, join(temporary, SIGNATURE), Buffer.from(signer.sign(bytes), 'utf8'));
  // The manifest is written last: a folder with a manifest is a complete set.
  writePrivateFile(fileSystem, join(temporary, MANIFEST), bytes);
  syncFolder(fileSystem, temporary);
  fileSystem.rename(temporary, target);
  syncFolder(fileSystem, dirname(target));
}

/** Takes a set out of sight that the ledger does not stand for. @param temporary a folder that attempts are made in */
export function withdrawSet(out: string, path: string, temporary: string, fileSystem: FileSystem): void {
  fileSystem.remove(temporary);
  // Renamed first: a reader sees the whole set or none.
  fileSystem.rename(join(out, path), temporary);
  fileSystem.remove(temporary);
  syncFolder(fileSystem, dirname(join(out, path)));
}

/**
 * Writes the chain and moves the set's link, unless that points at a newer set; after a crash, the next publication completes
 * both.
 */
export function listSet({ out, path, link, suffix, fileSystem }: FinishedSet, links: readonly Link[]): void {
  writeChain(out, links, suffix, fileSystem);
  if (link === null) return;
  const now = orNull(() => fileSystem.readLink(join(out, link.name)));
  if (
    now === path ||
    (now !== null &&
      orNull(() => fileSystem.readFile(join(out, now, MANIFEST))) !== null &&
      staysBefore(now, path, link, links))
  )
    return;
  const next = join(out, `.${link.name}.${encodeURIComponent(suffix)}`);
  fileSystem.remove(next);
  // Relative, so that the out folder can be moved or mounted elsewhere.
  fileSystem.makeLink(path, next);
  fileSystem.rename(next, join(out, link.name));
  syncFolder(fileSystem, out);
}

/** `latest`: the newest whole night of a business date up to today. `latest-audit`: the audit that was published last. */
export const LATEST_LINKS = ['latest', 'latest-audit'] as const;
type LatestLink = (typeof LATEST_LINKS)[number];

/** The part of a manifest that says which link may point at its set. */
type LinkFacts = Pick<Manifest, 'job' | 'business_date' | 'timezone' | 'finished_at' | 'status' | 'selection'>;

/** None for a night that is incomplete or of a date that has not come, nor for a part of one. */
export function linkFor(facts: LinkFacts): FinishedSet['link'] {
  const today = businessDateOf(Date.parse(facts.finished_at), facts.timezone);
  if (facts.job === 'audit') return { name: 'latest-audit', today };
  const isWhole = isWholeNight(facts);
  return isWhole && facts.status === 'complete' && facts.business_date <= today ? { name: 'latest', today } : null;
}

/** Where a link points after these sets were published in this order; null where none of them moves it. */
export function linkTarget(
  name: LatestLink,
  sets: readonly { path: string; facts: LinkFacts }[],
  links: readonly Link[],
): string | null {
  let target: string | null = null;
  for (const { path, facts } of sets) {
    // The manifest of a closed month has a selection, too.
    const link = parseSetPath(path) !== null && !path.startsWith('periods/') ? linkFor(facts) : null;
    if (link?.name === name && (target === null || !staysBefore(target, path, link, links))) target = path;
  }
  return target;
}

/** True where the set that the link points at is newer: runs catch up with missed dates. */
function staysBefore(
  now: string,
  path: string,
  { name, today }: { name: LatestLink; today: string },
  links: readonly Link[],
) {
  if (name === 'latest-audit') return false;
  const date = parseSetPath(now);
  // A link to a date that has not come, which an earlier version made, would hide every night until then.
  if (date !== null && 'businessDate' in date && date.businessDate > today) return false;
  return isNewer(now, path, links);
}

/**
 * A later business date; on the same date a higher revision of a job; and of two jobs the one published later.
 * @param links the chain, with both sets in it.
 */
function isNewer(a: string, b: string, links: readonly Link[]): boolean {
  const [one, other] = [parseSetPath(a), parseSetPath(b)];
  // A link that was pointed elsewhere by hand names no set, and is replaced.
  if (one === null || other === null || 'period' in one || 'period' in other) return false;
  if (one.businessDate !== other.businessDate) return one.businessDate > other.businessDate;
  if (one.job === other.job) return one.revision > other.revision;
  const position = (path: string) => links.findIndex((link) => link.path === path);
  return position(a) > position(b);
}

/** The lock: a symbolic link whose target is the holder's name, because a link is created with its content in one step. */
const LOCK = '.publishing';
/** The lock is held for milliseconds; a holder of a minute is stuck. */
const TRIES = 600;
const PAUSE_MS = 100;

interface LockOptions {
  out: string;
  who: string;
  /** True only where that process has certainly ended. */
  isGone: (who: string) => boolean;
  fileSystem: FileSystem;
}

/** Waits for the publication lock; returns its release. @throws Error where another process holds it for a minute. */
export async function takeLock({ out, who, isGone, fileSystem }: LockOptions): Promise<() => void> {
  const path = join(out, LOCK);
  const mine = encodeURIComponent(who);
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      fileSystem.makeLink(mine, path);
      return () => fileSystem.remove(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const holder = orNull(() => fileSystem.readLink(path));
    if (holder !== null && isGone(decodeURIComponent(holder))) breakLock(path, holder, mine, fileSystem);
    else await delay(PAUSE_MS);
  }
  throw new Error(
    `another process has been publishing to ${out} for a minute; if none is running, remove ${path}, then run again with --resume`,
  );
}

/** Renames the link before removing it, so that of two processes that find its holder gone only one removes it. */
function breakLock(path: string, holder: string, mine: string, fileSystem: FileSystem): void {
  const aside = `${path}.${mine}`;
  const moved = orNull(() => {
    fileSystem.rename(path, aside);
    return fileSystem.readLink(aside);
  });
  if (moved === null) return;
  // Another process broke the lock first and holds it now: its link is put back.
  if (moved !== holder) fileSystem.rename(aside, path);
  else fileSystem.remove(aside);
}
