/** The run ledger. */
import { sql } from 'kysely';
import { runIdOf } from '../domain/run.ts';
import { RunStateError } from '../ports/store/errors.ts';
import type { RunStore } from '../ports/store/store.ts';
import { dayOf } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { settleRun, startJudging } from './judging.ts';
import { writeUnder } from './leases.ts';
import { changeSealed } from './row-seals.ts';
import { deleteRows, setRows } from './rows.ts';
import { RUN_COLUMNS, readRun, runHead, runHeadIn, runRow } from './run-rows.ts';
import { only } from './schema/column.ts';
import { writerOf } from './schema/places.ts';
import { RUNS } from './schema/runs.ts';
import { findRows, given, isTrue, type Where } from './statements.ts';
import { changeSummedPages } from './summed-rows.ts';
import { insertRows } from './write-rows.ts';

/**
 * Records that an aborted run verified were never judged. Without this, a record could count as verified, and a
 * discrepancy in it stay unreported, for a month.
 */
async function makeDueAgain(tx: WriteTransaction, runKey: number): Promise<void> {
  const isVerified = sql`last_verified_day is not null and record_key in (
    select record_key from run_items where run_key = ${runKey} and outcome = 'verified')`;
  await changeSummedPages(tx, 'tracked_records', isVerified, sql`last_verified_day = null`);
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
  const runsWhere = async (isOne: Where<'runs'>, limit: number) => {
    // Keys are sorted, and not rows: one takes kilobytes, and the rechecks of a year are tens of thousands.
    const newest = sql`run_key in (select run_key from runs where ${isTrue(isOne)} order by run_key desc limit ${limit})`;
    return (await findRows(engine.db, 'runs', newest, RUN_COLUMNS, 'run_key desc')).map(readRun);
  };
  return {
    create: (run, fence) =>
      writeUnder(engine, fence, async (tx) => {
        const day = dayOf(run.businessDate);
        const ofDate = { job: run.job, business_day: day };
        const named = ['run_id', 'revision', 'state'] as const;
        const earlier = await findRows(tx.db, 'runs', ofDate, named, 'revision desc');
        // Another database may have published revisions of the date to a folder of this one.
        const adopted = await findRows(tx.db, 'publications', ofDate, ['revision']);
        const revision = Math.max(0, ...[...earlier, ...adopted].map((each) => each.revision ?? 0)) + 1;
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
    get: async (runId) => (await runsWhere({ run_id: runId }, 1))[0] ?? null,
    list: ({ limit, ...filter }) => runsWhere(given(filter), limit),
    unfinished: async (job) => (await runsWhere({ job, state: ['fetching', 'judging', 'settled'] }, 1))[0] ?? null,
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
    addRequests: (runId, fence, requests) =>
      writeUnder(engine, fence, async (tx) => {
        const { run_key: key } = await runHead(tx, runId);
        await sql`update runs set requests_sent = requests_sent + ${requests} where run_key = ${key}`.execute(tx.db);
      }),
    startJudging: startJudging(engine),
    keepSurvey: (runId, fence, survey) =>
      writeUnder(engine, fence, async (tx) => {
        const { run_key: key } = await runHeadIn(tx, runId, ['judging'], 'be surveyed');
        await setRows(tx, 'runs', { run_key: key, survey: null }, { survey: JSON.stringify(survey) });
        return readRun(await runRow(tx.db, runId));
      }),
    lastSurvey: async () => {
      const isWhole = sql`survey is not null and state in ('settled', 'complete', 'incomplete')
        and (selection like '{"type":"due"%' or selection like '{"type":"all"%')`;
      return (await runsWhere(isWhole, 1))[0]?.survey ?? null;
    },
    settle: settleRun(engine),
    /** Idempotent: a process may have died between this commit and its output. */
    finish: (runId, fence, state, publishedTo) =>
      writeUnder(engine, fence, async (tx) => {
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
        await changeSealed(tx, `ran ${run.run_key}`, () =>
          setRows(tx, 'runs', { run_key: run.run_key }, { state, published_to: published }),
        );
        return readRun({ ...run, state, published_to: published });
      }),
  };
}
