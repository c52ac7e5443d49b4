/** Verifies the chain: every listed set is there, every manifest is the one listed, and names the one before it. */
import { join } from 'node:path';
import { z } from 'zod';
import { CHAIN, ChainDamagedError, type Link, readChain, unlisted } from './chain.ts';
import { type FileSystem, orNull } from './file-system.ts';
import { MANIFEST, manifestIn, readManifest, sha256Of } from './manifest.ts';
import { parseSetPath } from './set-path.ts';
import { LATEST_LINKS, linkTarget } from './show-set.ts';

const RESTORE = 'restore it from a backup';

export interface VerifiedChain {
  isListed(path: string): boolean;
  /** What does not hold of one set's link, or null; null too where there is no list to compare with. */
  problemOf(path: string): string | null;
  /** The newest signed set that was published before this one; null where there is none or the order is unknown. */
  signedBefore(path: string): { path: string; keyId: string } | null;
  /** What does not hold of the list as a whole. @param sets how many sets the folder has. */
  problems(sets: number): string[];
}

export function openChain(out: string, fileSystem: FileSystem): VerifiedChain {
  const links = readLinks(out, fileSystem);
  const unknown = { isListed: () => false, problemOf: () => null, signedBefore: () => null };
  if (links instanceof ChainDamagedError) return { ...unknown, problems: () => [links.message] };
  if (links.length === 0) {
    const state = orNull(() => fileSystem.readFile(join(out, CHAIN))) === null ? 'is missing' : 'is empty';
    return {
      ...unknown,
      problems: (sets) => (sets === 0 ? [] : [`${state}, so nothing shows whether a set was removed; ${RESTORE}`]),
    };
  }
  // Its process ended before it listed the set; the next publication lists it.
  const followers = unlisted(out, links, fileSystem);
  const waiting = new Set(followers.map(({ path }) => path));
  return {
    isListed: (path) => links.some((link) => link.path === path),
    problemOf: (path) => {
      const index = links.findIndex((link) => link.path === path);
      const link = links[index];
      if (link !== undefined) return linkProblem(out, link, links[index - 1], fileSystem);
      return waiting.has(path)
        ? null
        : `is not in ${CHAIN} and does not follow the last set there: it was not published here; move it out of the folder`;
    },
    signedBefore: lastSigned(out, links, fileSystem),
    problems: () => [...wholeProblems(out, links, fileSystem), ...latestProblems(out, links, followers, fileSystem)],
  };
}

/** Reads each manifest once, on demand. A set that is not listed comes after all listed ones. */
function lastSigned(out: string, links: readonly Link[], fileSystem: FileSystem): VerifiedChain['signedBefore'] {
  let signed: { index: number; path: string; keyId: string }[] | null = null;
  return (path) => {
    signed ??= links.flatMap((link, index) => {
      const keyId = manifestIn(join(out, link.path), fileSystem)?.signing_key;
      return keyId === undefined ? [] : [{ index, path: link.path, keyId }];
    });
    const place = links.findIndex((link) => link.path === path);
    return signed.findLast(({ index }) => place === -1 || index < place) ?? null;
  };
}

function readLinks(out: string, fileSystem: FileSystem): Link[] | ChainDamagedError {
  try {
    return readChain(out, fileSystem);
  } catch (error) {
    if (error instanceof ChainDamagedError) return error;
    throw error;
  }
}

/** One link against the manifest that it names, and against the link before it. */
function linkProblem(out: string, link: Link, before: Link | undefined, fileSystem: FileSystem): string | null {
  const bytes = orNull(() => fileSystem.readFile(join(out, link.path, MANIFEST)));
  // Sets that are gone are reported once, for the whole list.
  if (bytes === null) return null;
  if (sha256Of(bytes) !== link.sha256)
    return `${MANIFEST}: was changed after publication: its SHA-256 is ${sha256Of(bytes)}, ${CHAIN} holds ${link.sha256}; ${RESTORE}`;
  const read = readManifest(bytes);
  const named = 'problem' in read ? null : read.manifest.previous_manifest_sha256;
  const expected = before?.sha256 ?? null;
  if (named !== expected || link.previous !== expected) {
    const after = before === undefined ? 'nothing, as the first set' : `${before.path} (${expected})`;
    return `${MANIFEST}: follows the manifest ${named ?? 'null'}, but ${CHAIN} has it after ${after}; a set was removed, moved or changed: restore both from a backup`;
  }
  return null;
}

/** The first set that is gone, and the first link that does not follow: more would only repeat the same damage. */
function wholeProblems(out: string, links: readonly Link[], fileSystem: FileSystem): string[] {
  const problems: string[] = [];
  const gone = links.find(({ path }) => orNull(() => fileSystem.readFile(join(out, path, MANIFEST))) === null);
  if (gone !== undefined) problems.push(`${gone.path} was published and is gone; ${RESTORE}`);
  const loose = links.findIndex((link, i) => link.previous !== (links[i - 1]?.sha256 ?? null));
  const link = links[loose];
  if (link !== undefined)
    problems.push(`line ${loose + 1}: ${link.path} does not follow the line before it; ${RESTORE}`);
  return problems;
}

/**
 * A link that was moved or removed leads readers to older figures. One that is a publication behind was left by a crash, and is put
 * right by the next one.
 */
function latestProblems(
  out: string,
  links: readonly Link[],
  waiting: readonly Link[],
  fileSystem: FileSystem,
): string[] {
  const sets = [...links, ...waiting].flatMap(({ path }) => {
    const facts = manifestIn(join(out, path), fileSystem);
    return facts === null ? [] : [{ path, facts }];
  });
  const published = [...links, ...waiting];
  return LATEST_LINKS.flatMap((name) => {
    const target = orNull(() => fileSystem.readLink(join(out, name)));
    if (target !== null && !published.some(({ path }) => path === target))
      return [`${name} points at ${target}, which was not published here, or is gone with its line; ${RESTORE}`];
    const behind = sets.slice(0, links.length - 1);
    const allowed = [sets, sets.slice(0, links.length), behind].map((some) => linkTarget(name, some, published));
    if (allowed.includes(target)) return [];
    const newest = allowed[0];
    return [
      target === null
        ? `${name} is gone: it should point at ${newest}; make the link again`
        : `${name} points at ${target} and not at ${newest ?? 'nothing'}: it was moved by hand; make the link again`,
    ];
  });
}

/** Of a delta's manifest: what it is a delta to. */
const deltaOfSchema = z.object({ path: z.string(), manifest_sha256: z.string() });

export function deltaProblem(out: string, set: string, fileSystem: FileSystem): string[] {
  const deltaOf = manifestIn(set, fileSystem)?.delta_of;
  if (deltaOf === undefined) return [];
  const parsed = deltaOfSchema.safeParse(deltaOf);
  if (!parsed.success || parseSetPath(parsed.data.path) === null)
    return [`${MANIFEST}: delta_of does not name a set; restore the set from a backup`];
  const { path, manifest_sha256: named } = parsed.data;
  const sealed = orNull(() => fileSystem.readFile(join(out, path, MANIFEST)));
  if (sealed === null) {
    // A delta that was copied elsewhere alone cannot be compared; in its own out folder, its base must be there.
    const isAtHome = orNull(() => fileSystem.readFile(join(out, CHAIN))) !== null;
    return isAtHome ? [`${MANIFEST}: is a delta to ${path}, which is gone; restore it from a backup`] : [];
  }
  const found = sha256Of(sealed);
  if (found === named) return [];
  return [
    `${MANIFEST}: is a delta to ${path} with the manifest ${named}, but that set's manifest is ${found}; one of the two was changed: restore both from a backup`,
  ];
}
