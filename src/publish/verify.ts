/**
 * Verifies published sets as an auditor would: hashes, row counts, totals, footing, verdict counts and the chain. Trusts
 * nothing but the files, and names the first thing of each file and link that does not hold.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CHAIN } from './chain.ts';
import { type FileSystem, orNull, realFileSystem } from './file-system.ts';
import { MANIFEST } from './manifest.ts';
import { parseSetPath, setPaths } from './set-path.ts';
import { openChain, type VerifiedChain } from './verify-chain.ts';
import { verifyFiles } from './verify-files.ts';

export interface VerifiedSet {
  /** The set's folder, or the list of sets where it is that which does not hold. */
  path: string;
  runId: string | null;
  files: number;
  rows: number;
  /** What does not hold, in words with what was expected and the remedy; none is good. */
  problems: readonly string[];
}

/**
 * @param paths each one set, a date's folder, or a whole out folder.
 * @throws the file system's own errors, but for files that are missing: those are problems.
 */
export async function verifySets(
  paths: string | readonly string[],
  fileSystem: FileSystem = realFileSystem,
): Promise<readonly VerifiedSet[]> {
  const verified: VerifiedSet[] = [];
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    // `latest` is a link: what it points at has a place in the chain, and the link has none.
    const real = orNull(() => fileSystem.realPath(path)) ?? resolve(path);
    verified.push(...(await verifyPath(real, fileSystem)));
  }
  return verified;
}

async function verifyPath(path: string, fileSystem: FileSystem): Promise<VerifiedSet[]> {
  const out = outFolderOf(path, fileSystem);
  const chain = openChain(out, fileSystem);
  const sets = setsBelow(path, out, fileSystem);
  const verified: VerifiedSet[] = [];
  for (const set of sets) {
    const found = await verifyFiles(set, fileSystem);
    verified.push({ ...found, problems: [...found.problems, ...linkProblem(chain, out, set)] });
  }
  // The list speaks for the whole folder, so it is looked at where the whole folder is asked for.
  const problems = path === out && !sets.includes(path) ? chain.problems(sets.length) : [];
  if (problems.length > 0) verified.push({ path: join(out, CHAIN), runId: null, files: 0, rows: 0, problems });
  if (verified.length === 0) verified.push(nothingAt(path, fileSystem));
  return verified;
}

function linkProblem(chain: VerifiedChain, out: string, set: string): string[] {
  const problem = chain.problemOf(relative(out, set).split(sep).join('/'));
  return problem === null ? [] : [problem];
}

/** The folder that holds the dates: the path itself, or one above it; for a set that was copied elsewhere, itself. */
function outFolderOf(path: string, fileSystem: FileSystem): string {
  const above = [path, dirname(path), dirname(dirname(path))];
  const listed = above.find((folder) => namesIn(folder, fileSystem).includes(CHAIN));
  if (listed !== undefined) return listed;
  const [self, parent, grandparent = path] = above;
  if (parseSetPath(`${basename(parent ?? '')}/${basename(path)}`) !== null) return grandparent;
  return parent !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(basename(path)) ? parent : (self ?? path);
}

function setsBelow(path: string, out: string, fileSystem: FileSystem): string[] {
  if (namesIn(path, fileSystem).includes(MANIFEST)) return [path];
  return setPaths(out, fileSystem)
    .map((set) => join(out, set))
    .filter((set) => path === out || set.startsWith(path + sep));
}

function nothingAt(path: string, fileSystem: FileSystem): VerifiedSet {
  const names = orNull(() => fileSystem.list(path));
  const problem =
    names === null
      ? 'there is no such folder'
      : `there is no ${MANIFEST} in it or in the dates below it: this is no report set; give the folder of one, of a date, or the out folder`;
  return { path, runId: null, files: 0, rows: 0, problems: [problem] };
}

function namesIn(folder: string, fileSystem: FileSystem): string[] {
  return orNull(() => fileSystem.list(folder)) ?? [];
}
