/** The ledger's part in a publication: a set becomes visible only while the database agrees. */
import type { PublishedSet, SetPlacement } from './store/publications.ts';

/** The right to publish a run: taken in the ledger, lost with the lease. */
export interface PublishingRight {
  /** Id of the database; written into the out folder, which belongs to that database from then on. */
  databaseId: string;
  /** A new id, for an out folder that has none yet. */
  newFolderId: () => string;
  /** Takes the right to publish, before the rename. @throws LeaseLostError where another process took over. */
  take(place: { folderId: string; path: string }): Promise<void>;
  /** Confirms the right after the rename, before the set is listed. @throws as `take` */
  confirm(folderId: string, set: PublishedSet): Promise<void>;
  standing(folderId: string, sets: readonly PublishedSet[]): Promise<ReadonlyMap<PublishedSet['path'], SetPlacement>>;
}
