/** The run ledger. */
import { sql } from 'kysely';
import { runIdOf } from '../domain/run.ts';
import { RunStateError } from '../ports/store/errors.ts';
import type { RunStore } from '../ports/store/store.ts';
import { dayOf } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { settleRun, startJudging } from './judging.ts';
import { checkFence } from './leases.ts';
import { changeRun } from './row-seals.ts';
import { deleteRows, setRows } from './rows.ts';
import { readRun, runHead, runHeadIn, runRow } from './run-rows.ts';
import { only } from './schema/column.ts';
import { writerOf } from './schema/places.ts';
import { RUNS } from './schema/runs.ts';
import { findRows } from './statements.ts';
import { insertRows } from './write-rows.ts';

/** The highest revision of a date that another database published to a folder of this one; 0 where there is none. */
async function adoptedRevision(tx: WriteTransaction, job: string, day: number): Promise<number> {
  const { highest } = await tx.db
    .selectFrom('publications')
    .select((row) => row.fn.max('revision').as('highest'))
    .where('job', '=', job)
    .where('business_day', '=', day)
    .executeTakeFirstOrThrow();
  return highest ?? 0;
}

/**
 * Records that an aborted run verified were never judged. Without this, a record could count as verified, and a
 * discrepancy in it stay unreported, for a month.
 */
async function makeDueAgain(tx: WriteTransaction, runKey: number): Promise<void> {
  await tx.db
    .updateTable('tracked_records')
    .set({ last_verified_day: null })
    .where('record_key', 'in', (select) =>
      select
        .selectFrom('run_items')
        .select('record_key')
        .where('run_key', '=', runKey)
        .where('outcome', '=', 'verified'),
    )
    .execute();
}

const newRunCells = writerOf(
  only(
    RUNS.runs.columns,
    ...(['job', 'business_day', 'selection', 'timezone', 'started_at', 'as_of'] as const),
    ...(['terms', 'rules_hash', 'config_hash', 'code_version', 'sources'] as const),
  ),
);
const NOTHING_DONE = { state: 'fetching', requests_sent: 0, planned: 0, population: 0, observed: 0 } as const;

export function runStore(engine: Engine): RunStore {
  const newestFirst = engine.db.selectFrom('runs').selectAll().orderBy('run_key', 'desc');
  return {
    create: (run, fence) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        const day = dayOf(run.businessDate);
        const earlier = await tx.db
          .selectFrom('runs')
          .select(['run_id', 'revision', 'state'])
          .where('job', '=', run.job)
          .where('business_day', '=', day)
          .orderBy('revision', 'desc')
          .execute();
        const revision = Math.max(earlier[0]?.revision ?? 0, await adoptedRevision(tx, run.job, day)) + 1;
        const finished = earlier.find((row) => row.state === 'complete' || row.state === 'incomplete');
        const runId = runIdOf(run.job, run.businessDate, revision);
        await insertRows(tx, 'runs', [
          {
            ...newRunCells(run),
            ...NOTHING_DONE,
            run_id: runId,
            revision,
            supersedes: finished?.run_id ?? null,
          },
        ]);
        return readRun(await runRow(tx.db, runId));
      }),
    get: async (runId) => {
      const row = await engine.db.selectFrom('runs').selectAll().where('run_id', '=', runId).executeTakeFirst();
      return row === undefined ? null : readRun(row);
    },
    list: async ({ job, limit }) => {
      const ofJob = job === undefined ? newestFirst : newestFirst.where('job', '=', job);
      return (await ofJob.limit(limit).execute()).map(readRun);
    },
    unfinished: async (job) => {
      const open = newestFirst.where('job', '=', job).where('state', 'in', ['fetching', 'judging', 'settled']);
      const row = await open.limit(1).executeTakeFirst();
      return row === undefined ? null : readRun(row);
    },
    newestInstant: async () => {
      const instant = sql<number>`coalesce(finished_at, started_at)`;
      const row = await engine.db
        .selectFrom('runs')
        .select(['run_id', instant.as('at')])
        .where('state', '!=', 'aborted')
        .where('run_key', 'not in', (doubted) => doubted.selectFrom('doubted_runs').select('run_key'))
        .orderBy(instant, 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : { runId: row.run_id, at: row.at };
    },
    addRequests: async (runId, fence, requests) => {
      await engine.write(async (tx) => {
        await checkFence(tx, fence);
        const { run_key: key } = await runHead(tx, runId);
        await tx.db
          .updateTable('runs')
          .set((row) => ({ requests_sent: row('requests_sent', '+', requests) }))
          .where('run_key', '=', key)
          .execute();
      });
    },
    startJudging: startJudging(engine),
    keepSurvey: (runId, fence, survey) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        const { run_key: key } = await runHeadIn(tx, runId, ['judging'], 'be surveyed');
        await setRows(tx, 'runs', { run_key: key, survey: null }, { survey: JSON.stringify(survey) });
        return readRun(await runRow(tx.db, runId));
      }),
    lastSurvey: async () => {
      const row = await newestFirst
        .where('survey', 'is not', null)
        .where('state', 'in', ['settled', 'complete', 'incomplete'])
        .where(({ eb, or }) =>
          or([eb('selection', 'like', '{"type":"due"%'), eb('selection', 'like', '{"type":"all"%')]),
        )
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : readRun(row).survey;
    },
    settle: settleRun(engine),
    /** Idempotent: a process may have died between this commit and its output. */
    finish: (runId, fence, state, publishedTo) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        const run = await runRow(tx.db, runId);
        if (run.state === state && run.published_to === publishedTo) return readRun(run);
        const allowed =
          state === 'aborted' ? run.state !== 'complete' && run.state !== 'incomplete' : run.state === 'settled';
        if (!allowed) throw new RunStateError(runId, run.state, `become ${state}`);
        if (state === 'aborted') {
          // An aborted run has no effect: its staged events are deleted.
          await deleteRows(tx, 'staged_break_events', { run_key: run.run_key });
          if (run.state !== 'settled') await makeDueAgain(tx, run.run_key);
        }
        const published = state === 'aborted' ? null : publishedTo;
        // Without a report of its own, its status changes are reported by the next run over those records.
        if (published === null) {
          const rows = await findRows(tx.db, 'status_changes', { run_key: run.run_key }, ['change_key']);
          const keys = rows.map((row) => row.change_key);
          await setRows(tx, 'status_changes', tx.inList('change_key', keys), { run_key: null });
        }
        await changeRun(tx, run.run_key, () =>
          setRows(tx, 'runs', { run_key: run.run_key }, { state, published_to: published }),
        );
        return readRun({ ...run, state, published_to: published });
      }),
  };
}
