/**
 * The out folder and the database identify each other: each holds the other's id and the last publication. A database
 * that does not know the newest set of the folder is another one, or an older copy; its night would be empty or
 * repeated, and still succeed.
 */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { TieoutError, UnavailableError } from '../domain/errors.ts';
import type { Run } from '../domain/run.ts';
import type { PublishingRight } from '../ports/publishing.ts';
import type { AdoptedSet, PublishedThing } from '../ports/store/publications.ts';
import type { Fence, Store } from '../ports/store/store.ts';
import { type Link, readChain, unlisted } from '../publish/chain.ts';
import { PublicationError } from '../publish/errors.ts';
import { makePrivateFolders, realFileSystem } from '../publish/file-system.ts';
import { readFolderMark, writeFolderMark } from '../publish/folder-mark.ts';
import { asPublished } from '../publish/ledger-steps.ts';
import { type Manifest, manifestIn } from '../publish/manifest.ts';
import { parseSetPath, setPath } from '../publish/set-path.ts';
import type { outFolderOf } from './wiring.ts';

type OutFolder = ReturnType<typeof outFolderOf>;

/** Before hours of fetching: makes the folder that a set will be published to. @throws UsageError, PublicationError */
export function requireOut(out: string): void {
  try {
    makePrivateFolders(realFileSystem, out);
    // A file of that name, or a link to nowhere.
    realFileSystem.list(out);
  } catch (error) {
    throw error instanceof TieoutError ? error : new PublicationError('The out folder cannot be used', error);
  }
}

/** Before anything is fetched or imported. @throws UnavailableError, ChainDamagedError */
export async function requireOwnFolder({ out, database, publications }: OutFolder): Promise<void> {
  const { mark, sets } = look(out);
  const newest = sets.listed.at(-1) ?? sets.waiting.at(-1);
  if (newest === undefined) {
    const gone = await publications.lastAt(resolve(out));
    if (gone === null) return;
    throw new UnavailableError(`the out folder ${out} is empty, and ${gone.path} was published there last`, {
      remedy:
        'check that its volume is mounted, or restore it from a backup; to begin anew in it, run once with --adopt',
    });
  }
  const remedy =
    'check that database.url names the database that published there and that its volume is mounted, or restore it from a ' +
    'backup; where this database is meant to go on from here, run once with --adopt';
  const id = await publications.databaseId(randomUUID());
  if (mark !== null && mark.databaseId !== id)
    throw new UnavailableError(`the out folder ${out} belongs to another database than ${database}`, { remedy });
  const folderId = mark?.folderId ?? null;
  const standing = await publications.standing(folderId, [asPublished(newest)]);
  if (standing.get(newest.path) === 'unknown') {
    throw new UnavailableError(`database ${database} does not know ${newest.path}, the newest set in ${out}`, {
      remedy,
    });
  }
  const last = folderId === null ? null : await publications.last(folderId);
  const all = [...sets.listed, ...sets.waiting];
  if (last !== null && !all.some(({ path, sha256 }) => path === last.path && sha256 === last.manifestSha256)) {
    throw new UnavailableError(`${last.path}, which was published last, is no longer in the list of ${out}`, {
      remedy: 'restore the folder from a backup; to continue without that set, run once with --adopt',
    });
  }
}

/** Makes the folder this database's, with all that was published there. */
export async function adoptFolder({ out, suffix, publications }: OutFolder): Promise<readonly string[]> {
  const { mark, sets } = look(out);
  const databaseId = await publications.databaseId(randomUUID());
  const all = [...sets.listed, ...sets.waiting];
  // A new id: sets that were published to the folder and are gone are forgotten with the old one.
  const folderId = randomUUID();
  await publications.adopt({ folderId, out: resolve(out) }, all.map(asAdopted));
  if (mark !== null || all.length > 0) writeFolderMark(out, { folderId, databaseId }, suffix, realFileSystem);
  return all.map(({ path }) => path);
}

/** The state and folder of a run's published set; null where there is none. */
export function placedSet(out: string, run: Run): { state: Manifest['status']; folder: string } | null {
  const folder = setPath(run);
  const manifest = manifestIn(join(out, folder));
  return manifest?.run_id === run.runId ? { state: manifest.status, folder } : null;
}

function look(out: string) {
  const listed = readChain(out, realFileSystem);
  return {
    mark: readFolderMark(out, realFileSystem),
    sets: { listed, waiting: unlisted(out, listed, realFileSystem) },
  };
}

function asAdopted(link: Link): AdoptedSet {
  const name = parseSetPath(link.path);
  return { ...asPublished(link), run: name === null || 'period' in name ? null : name };
}

/** The ledger's agreement to one publication. */
export async function publishingRight(
  publications: Store['publications'],
  thing: PublishedThing,
  fence: Fence,
  out: string,
): Promise<PublishingRight> {
  return {
    databaseId: await publications.databaseId(randomUUID()),
    newFolderId: randomUUID,
    take: (place) => publications.take({ ...place, out: resolve(out) }, thing, fence),
    confirm: (folderId, set) => publications.placed(folderId, set, thing, fence),
    standing: (folderId, sets) => publications.standing(folderId, sets),
  };
}
