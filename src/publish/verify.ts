/**
 * Verifies published sets as an auditor would: signatures, hashes, row counts, totals, footing, verdict counts and the
 * chain. Trusts nothing but the files and the keys that it is given, and names the first thing of each that does not hold.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CHAIN } from './chain.ts';
import { type FileSystem, orNull, realFileSystem } from './file-system.ts';
import type { PublicKey } from './keys.ts';
import { MANIFEST } from './manifest.ts';
import { foreignEntries, holdsSets, PACKS, parseSetPath, setPaths } from './set-path.ts';
import { SIGNATURE, short } from './sign.ts';
import { deltaProblem, openChain, type VerifiedChain } from './verify-chain.ts';
import { verifyClaim } from './verify-claim.ts';
import { nothing, type VerifiedSet, verifyFiles } from './verify-files.ts';

export interface VerifyOptions {
  /** Keys to check signatures with; without any, a signature that is there is `unchecked`. */
  keys?: readonly PublicKey[];
  /** A set from before signing was turned on is a problem too. */
  requireSigned?: boolean;
  fileSystem?: FileSystem;
}

/**
 * @param paths each one set, a date's folder, the folder of the periods, a whole out folder, or an unpacked claim.
 * @throws the file system's own errors, but for files that are missing: those are problems.
 */
export async function verifySets(
  paths: string | readonly string[],
  { keys = [], requireSigned = false, fileSystem = realFileSystem }: VerifyOptions = {},
): Promise<readonly VerifiedSet[]> {
  const verified: VerifiedSet[] = [];
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    // `latest` is a link; its target has a place in the chain.
    const real = orNull(() => fileSystem.realPath(path)) ?? resolve(path);
    verified.push(...(await verifyPath(real, { keys, requireSigned, fileSystem })));
  }
  return verified;
}

async function verifyPath(path: string, options: Required<VerifyOptions>): Promise<VerifiedSet[]> {
  const { fileSystem } = options;
  const claim = verifyClaim(path, options);
  if (claim !== null) return [claim];
  const out = outFolderOf(path, fileSystem);
  const chain = openChain(out, fileSystem);
  const sets = namesIn(path, fileSystem).includes(MANIFEST)
    ? [path]
    : setPaths(out, fileSystem)
        .map((set) => join(out, set))
        .filter((set) => path === out || set.startsWith(path + sep));
  const verified: VerifiedSet[] = [];
  for (const set of sets) {
    // As the chain writes it.
    const inOut = relative(out, set).split(sep).join('/');
    const found = withChain(await verifyFiles(set, options.keys, fileSystem), chain, inOut, options);
    const linked = chain.problemOf(inOut);
    const isElsewhere = fileSystem.realPath(set) !== set;
    verified.push({
      ...found,
      problems: [
        // What lies elsewhere is not copied with the folder, and may be other files tomorrow.
        ...(isElsewhere ? ['its folder is a link to another one; move the set itself here'] : []),
        ...found.problems,
        ...(linked === null ? [] : [linked]),
        ...deltaProblem(out, set, fileSystem),
      ],
    });
  }
  // The list is about the whole folder, so it is checked with the whole folder alone.
  if (path === out && !sets.includes(path)) {
    const problems = chain.problems(sets.length);
    if (problems.length > 0) verified.push({ ...nothing(join(out, CHAIN)), problems });
    for (const stranger of foreignEntries(out, fileSystem).filter((each) => !chain.isListed(each))) {
      verified.push({
        ...nothing(join(out, stranger)),
        problems: ['was not published here; move it out of the folder'],
      });
    }
  }
  // Packs have a list of their own; renderings are copies to work on.
  const packs = join(out, PACKS);
  if (path === out && namesIn(packs, fileSystem).includes(CHAIN)) verified.push(...(await verifyPath(packs, options)));
  if (verified.length === 0) verified.push(nothingAt(path, fileSystem));
  return verified;
}

/**
 * Unsigned sets from before signing was turned on hold. An unsigned set that was published after a signed one does not: its
 * signature was removed, together with the key that its manifest named.
 */
function withChain(
  found: VerifiedSet,
  chain: VerifiedChain,
  path: string,
  { requireSigned }: Required<VerifyOptions>,
): VerifiedSet {
  if (found.signature !== 'unsigned' || found.runId === null) return found;
  const before = chain.signedBefore(path);
  if (before === null && !requireSigned) return found;
  const why =
    before === null
      ? 'not signed: the set was published without a signing key'
      : `is not there, though ${before.path}, published before it, is signed with the key ${short(before.keyId)}`;
  return { ...found, signature: 'bad', problems: [`${SIGNATURE}: ${why}`, ...found.problems] };
}

/** The folder that holds the dates: the path itself, or one above it; for a set that was copied elsewhere, itself. */
function outFolderOf(path: string, fileSystem: FileSystem): string {
  const above = [path, dirname(path), dirname(dirname(path))];
  const listed = above.find((folder) => namesIn(folder, fileSystem).includes(CHAIN));
  if (listed !== undefined) return listed;
  const [self, parent, grandparent = path] = above;
  if (parseSetPath(`${basename(parent ?? '')}/${basename(path)}`) !== null) return grandparent;
  return parent !== undefined && holdsSets(basename(path)) ? parent : (self ?? path);
}

const REMEDY = 'give the folder of a set, of a date, the out folder, or that a claim was unpacked into';

function nothingAt(path: string, fileSystem: FileSystem): VerifiedSet {
  const isFolder = orNull(() => fileSystem.list(path)) !== null;
  const problem = isFolder
    ? `there is no ${MANIFEST} in it or in the dates below it: this is not a report set; ${REMEDY}`
    : orNull(() => fileSystem.realPath(path)) !== null
      ? `this is a file, not a folder; ${REMEDY}`
      : 'there is no such folder';
  return { ...nothing(path), problems: [problem] };
}

function namesIn(folder: string, fileSystem: FileSystem): string[] {
  return orNull(() => fileSystem.list(folder)) ?? [];
}
