/**
 * A publication's steps in the ledger. The right to publish is taken before the rename and confirmed after it, both with the
 * fencing token: a process that lost its lease publishes nothing, and the set of an aborted run is never listed.
 */
import { join } from 'node:path';
import type { PublishingRight } from '../ports/publishing.ts';
import type { PublishedSet } from '../ports/store/publications.ts';
import { type Link, readChain, tipOf, unlisted } from './chain.ts';
import { orNull } from './file-system.ts';
import { readFolderMark, writeFolderMark } from './folder-mark.ts';
import { attemptPath, parseSetPath } from './set-path.ts';
import { type FinishedSet, withdrawSet } from './show-set.ts';

interface LedgerStepsOptions extends Pick<FinishedSet, 'out' | 'suffix' | 'fileSystem'> {
  /** Null where no ledger is asked: a rendering into a folder of its own. */
  right: PublishingRight | null;
}

/** Marks a new folder as this database's. @throws the file system's own errors. */
export function ledgerSteps({ out, suffix, right, fileSystem }: LedgerStepsOptions) {
  const known = right === null ? null : readFolderMark(out, fileSystem);
  const folderId = known?.folderId ?? right?.newFolderId() ?? null;
  if (right !== null && known === null && folderId !== null)
    writeFolderMark(out, { folderId, databaseId: right.databaseId }, suffix, fileSystem);
  const withdraw = (path: string) => {
    const name = parseSetPath(path);
    if (name !== null) orNull(() => withdrawSet(out, path, join(out, attemptPath(name, suffix)), fileSystem));
  };
  return {
    /**
     * The listed sets, and those that a process put in place without listing them before it ended. Of the latter only those
     * count that the ledger stands for; the set of an aborted run is removed.
     * @throws ChainDamagedError
     */
    async linksBefore(): Promise<Link[]> {
      const links = readChain(out, fileSystem);
      const waiting = unlisted(out, links, fileSystem);
      if (right === null || folderId === null || waiting.length === 0) return [...links, ...waiting];
      const standing = await right.standing(folderId, waiting.map(asPublished));
      for (const link of waiting) {
        if (standing.get(link.path) === 'known' && link.previous === tipOf(links)) links.push(link);
        if (standing.get(link.path) === 'aborted') withdraw(link.path);
      }
      return links;
    },

    /** @throws LeaseLostError */
    async take(path: string): Promise<void> {
      if (folderId !== null) await right?.take({ folderId, path });
    },

    /**
     * A process that lost its lease since `take` removes its set again, unless its successor stands for the set.
     * @throws LeaseLostError
     */
    async confirm(path: string, links: readonly Link[]): Promise<void> {
      const link = links.find((each) => each.path === path);
      if (right === null || folderId === null || link === undefined) return;
      const set = asPublished(link);
      try {
        await right.confirm(folderId, set);
      } catch (error) {
        // Where the database is away, the set stays unlisted, and the next publication decides.
        const standing = await right.standing(folderId, [set]).catch(() => null);
        if (standing?.get(path) === 'aborted') withdraw(path);
        throw error;
      }
    },
  };
}

export function asPublished({ path, sha256 }: Link): PublishedSet {
  return { path, manifestSha256: sha256 };
}
