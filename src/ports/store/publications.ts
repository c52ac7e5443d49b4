/**
 * The ledger of out folders: which sets the database published or adopted there, and which run may publish now. A set
 * in a folder counts only if the database has it.
 */
import type { Fence } from './runs.ts';

/** A set of an out folder, as its chain of manifests lists it. */
export interface PublishedSet {
  /** Relative to the out folder: `2026-11-20/nightly-r1`. */
  path: string;
  manifestSha256: string;
}

/**
 * `known`: published by this database, or adopted. `aborted`: of a run that the ledger aborted, so that it was never
 * published. `unknown`: anything else.
 */
export type SetPlacement = 'known' | 'aborted' | 'unknown';

/** Subject of a right to publish: a settled run, or a staged statement about a month. */
export type PublishedThing = { runId: string } | { statementKey: number };

/** The published sets of runs: at most one a run. */
export interface PublicationStore {
  /** The id of this database. The first proposal is kept forever; a copy of the database has the same id. */
  databaseId(proposal: string): Promise<string>;
  /**
   * Takes the right to publish one set to a folder, before its rename. Idempotent. `out` is the absolute path of the out folder.
   * @throws LeaseLostError; RunStateError, PeriodStateError where the ledger does not await this publication.
   */
  take(place: { folderId: string; path: string; out: string }, thing: PublishedThing, fence: Fence): Promise<void>;
  /** Records after the rename that the set is in its place. @throws as `take` */
  placed(folderId: string, set: PublishedSet, thing: PublishedThing, fence: Fence): Promise<void>;
  /** By path. @param folderId null for a folder that has no id yet */
  standing(
    folderId: string | null,
    sets: readonly PublishedSet[],
  ): Promise<ReadonlyMap<PublishedSet['path'], SetPlacement>>;
  /** The newest set that was published to a folder; null where none was. */
  last(folderId: string): Promise<PublishedSet | null>;
  /** The newest set that was published to an out folder by its absolute path; null where none was, or it was adopted since. */
  lastAt(out: string): Promise<PublishedSet | null>;
  /** Takes over sets that another database published. Later revisions are numbered after the adopted ones. */
  adopt(place: { folderId: string; out: string }, sets: readonly AdoptedSet[]): Promise<void>;
}

/** A set that the database did not know, found in its own out folder. */
export interface AdoptedSet extends PublishedSet {
  /** Null for the set of a month. */
  run: { job: string; businessDate: string; revision: number } | null;
}
