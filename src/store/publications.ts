/** Published sets by out folder, and the right to publish. */
import type { Transaction } from 'kysely';
import { PeriodStateError, RunStateError } from '../ports/store/errors.ts';
import type { PublicationStore, PublishedSet, PublishedThing, SetPlacement } from '../ports/store/publications.ts';
import type { Fence } from '../ports/store/runs.ts';
import { dayOf } from './cells.ts';
import type { Engine } from './engine.ts';
import { writeUnder } from './leases.ts';
import { runRow } from './run-rows.ts';
import type { RowOf, Tables } from './schema/tables.ts';
import { findRow } from './statements.ts';

type RunColumns = Pick<RowOf<'publications'>, 'job' | 'business_day' | 'revision'>;

const NO_RUN: RunColumns = { job: null, business_day: null, revision: null };

/** @throws RunStateError, PeriodStateError where the ledger does not await this publication. */
async function requireAwaited(db: Transaction<Tables>, thing: PublishedThing): Promise<RunColumns> {
  if ('runId' in thing) {
    const run = await runRow(db, thing.runId);
    if (run.state !== 'settled') throw new RunStateError(run.run_id, run.state, 'be published');
    return { job: run.job, business_day: run.business_day, revision: run.revision };
  }
  const ofKey = { statement_key: thing.statementKey };
  const statement = await findRow(db, 'period_statements', ofKey, ['period', 'state']);
  if (statement?.state === 'staged') return NO_RUN;
  throw new PeriodStateError(statement?.period ?? 'the month', statement?.state ?? 'forgotten', 'be published');
}

/** A set without a row: published before the database kept rows, or by a process that died before it could add one. */
async function unrecorded(engine: Engine, { path, manifestSha256 }: PublishedSet): Promise<SetPlacement> {
  const [day = '', name = ''] = path.split('/');
  const run = await findRow(engine.db, 'runs', { run_id: name.replace(/-r(\d+)$/, `-${day}-r$1`) }, ['state']);
  if (run !== undefined) {
    if (run.state === 'aborted') return 'aborted';
    return run.state === 'fetching' || run.state === 'judging' ? 'unknown' : 'known';
  }
  const same = { folder: path, manifest_sha256: manifestSha256 };
  const statement = await findRow(engine.db, 'period_statements', same, ['statement_key']);
  return statement === undefined ? 'unknown' : 'known';
}

async function standingOf(engine: Engine, folderId: string | null, set: PublishedSet): Promise<SetPlacement> {
  const place = { folder_id: folderId ?? '', path: set.path };
  const row = await findRow(engine.db, 'publications', place, ['state', 'manifest_sha256']);
  if (row === undefined) return unrecorded(engine, set);
  if (row.state !== 'right') return row.manifest_sha256 === set.manifestSha256 ? 'known' : 'unknown';
  if (!set.path.startsWith('periods/')) return unrecorded(engine, set);
  // The set of a month is completed, or taken back, by the next close.
  return 'known';
}

export function publicationStore(engine: Engine): PublicationStore {
  type Place = { folderId: string; path: string; out?: string };
  const write = (place: Place, thing: PublishedThing, fence: Fence, sha256: string | null) =>
    writeUnder(engine, fence, async (tx) => {
      const run = await requireAwaited(tx.db, thing);
      const where = place.out === undefined ? {} : { out_folder: place.out };
      const right = { lease: fence.name, token: fence.token, ...run, ...where };
      const placed = sha256 === null ? right : { ...right, state: 'placed' as const, manifest_sha256: sha256 };
      await tx.db
        .insertInto('publications')
        .values({ folder_id: place.folderId, path: place.path, state: 'right', manifest_sha256: null, ...placed })
        .onConflict((conflict) => conflict.columns(['folder_id', 'path']).doUpdateSet(placed))
        .execute();
    });
  return {
    databaseId: (proposal) =>
      engine.write(async ({ db }) => {
        await db
          .insertInto('database_ids')
          .values({ one: 1, database_id: proposal })
          .onConflict((conflict) => conflict.column('one').doNothing())
          .execute();
        return (await findRow(db, 'database_ids', {}, ['database_id']))?.database_id ?? proposal;
      }),
    take: (place, thing, fence) => write(place, thing, fence, null),
    placed: (folderId, { path, manifestSha256 }, thing, fence) =>
      write({ folderId, path }, thing, fence, manifestSha256),
    standing: async (folderId, sets) => {
      const standings = new Map<string, SetPlacement>();
      for (const set of sets) standings.set(set.path, await standingOf(engine, folderId, set));
      return standings;
    },
    last: (folderId) => newest(engine, 'folder_id', folderId),
    lastAt: (out) => newest(engine, 'out_folder', out),
    adopt: ({ folderId, out }, sets) =>
      engine.write(async ({ db }) => {
        await db.updateTable('publications').set({ out_folder: null }).where('out_folder', '=', out).execute();
        for (const { path, manifestSha256, run } of sets) {
          const columns =
            run === null ? NO_RUN : { job: run.job, business_day: dayOf(run.businessDate), revision: run.revision };
          const adopted = { state: 'adopted' as const, manifest_sha256: manifestSha256, ...columns };
          await db
            .insertInto('publications')
            .values({ folder_id: folderId, path, lease: null, token: null, ...adopted })
            .onConflict((conflict) => conflict.columns(['folder_id', 'path']).doUpdateSet(adopted))
            .execute();
        }
      }),
  };
}

async function newest(engine: Engine, column: 'folder_id' | 'out_folder', value: string) {
  const placed = { [column]: value, state: 'placed' as const };
  const named = ['path', 'manifest_sha256'] as const;
  const row = await findRow(engine.db, 'publications', placed, named, 'publication_key desc');
  return row?.manifest_sha256 == null ? null : { path: row.path, manifestSha256: row.manifest_sha256 };
}
