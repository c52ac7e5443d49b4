/** Tables of publications: the database's own id, and the sets of its out folders. */
import type { Generated } from 'kysely';

export interface DatabaseIdTable {
  /** Always 1: there is one row. */
  one: number;
  database_id: string;
}

export interface PublicationTable {
  publication_key: Generated<number>;
  folder_id: string;
  path: string;
  /** `right`: a process may be about to rename it. `placed`: it is in its place. `adopted`: another database published it. */
  state: 'right' | 'placed' | 'adopted';
  /** Null while it is a right. */
  manifest_sha256: string | null;
  /** Of the fencing token that it was published under; null where it was adopted. */
  lease: string | null;
  token: number | null;
  /** Of the run; null for the set of a month. */
  job: string | null;
  business_day: number | null;
  revision: number | null;
  /** The absolute path of the out folder; null where it was adopted, or is older than the column. */
  out_folder: string | null;
}

/** Keyed seals; `since`, whose `upto` is the newest event that was stored without one. */
export interface RowSealTable {
  /** `run 17` (its findings), `event 42`, `ran 17`, `items 17`, `statement 3`, `rows of quotes` (their number in `upto`). */
  name: string;
  /** Null for rows stored before seals were introduced. */
  key_id: string | null;
  digest: Uint8Array | null;
  upto: number | null;
}

/** Keyed seals of single rows, by table: a multiset of digests. */
export interface SealedRowTable {
  table_name: string;
  digest: string;
  key_id: string;
  /** Rows that are equal in all sealed columns. */
  n: number;
}

/** Runs that were made under a wrong clock: their dates decide nothing about later runs. */
export interface DoubtedRunTable {
  run_key: number;
}
