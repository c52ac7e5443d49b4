/** Tables of publications and of seals. */
import { bytes, id, integer, risingKey, table, text } from './column.ts';

const SEALS = 'seals themselves, and counted';

export const PUBLICATIONS = {
  /** The database's own id, in one row. */
  database_ids: table(
    { one: integer, database_id: text },
    { seal: 'is compared with the id in the out folder', key: ['one'], check: 'one = 1' },
  ),

  /** The sets of its out folders. */
  publications: table(
    {
      publication_key: risingKey,
      folder_id: id,
      path: id,
      /** `right`: a process may be about to rename it. `placed`: it is in its place. `adopted`: another database published it. */
      state: text.as<'right' | 'placed' | 'adopted'>(),
      /** Null while it is a right. */
      manifest_sha256: text.orNull,
      /** Of the fencing token that it was published under; null where it was adopted. */
      lease: text.orNull,
      token: integer.orNull,
      /** Of the run; null for the set of a month. */
      job: id.orNull,
      business_day: integer.orNull,
      revision: integer.orNull,
      /** The absolute path of the out folder; null where it was adopted, or is older than the column. */
      out_folder: text.orNull,
    },
    {
      seal: 'are compared with the manifests in the out folder',
      unique: [['folder_id', 'path']],
      indexes: ['publications_revisions (job, business_day, revision)'],
    },
  ),

  /** Keyed seals; `since`, whose `upto` is the newest event that was stored without one. */
  row_seals: table(
    {
      /** `run 17` (its findings), `event 42`, `ran 17`, `items 17`, `statement 3`, `rows of quotes` (their number in `upto`). */
      name: id,
      /** Null for rows stored before seals were introduced. */
      key_id: text.orNull,
      digest: bytes.orNull,
      upto: integer.orNull,
    },
    { seal: SEALS, key: ['name'] },
  ),

  /** Keyed seals of single rows, by table: a multiset of digests. */
  sealed_rows: table(
    {
      table_name: id,
      digest: id,
      key_id: text,
      /** Rows that are equal in all sealed columns. */
      n: integer,
    },
    { seal: SEALS, key: ['table_name', 'digest'], clustered: true },
  ),

  /** Runs that were made under a wrong clock: their dates decide nothing about later runs. */
  doubted_runs: table(
    { run_key: integer.references('runs') },
    { seal: 'only whether the clock of a later run is doubted', key: ['run_key'] },
  ),
};
