/**
 * The records of a run and the order in which its allowance is spent, decided in SQL (`due.ts`): a plan inserts them, a
 * preview counts them.
 */
import { type RawBuilder, sql } from 'kysely';
import { DUE_CLASSES, type DueClass } from '../domain/due.ts';
import type { ItemStore, PlanScope } from '../ports/store/store.ts';
import {
  type Circumstances,
  candidates,
  circumstancesOf,
  deferredFirst,
  dueClass,
  OPEN_BREAKS,
  requested,
} from './due.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { writeUnder } from './leases.ts';
import { setRows } from './rows.ts';
import { runHead, runHeadIn } from './run-rows.ts';
import { countRows } from './statements.ts';

/** Every tracked record in scope with its class, as a table `c`. */
function classified(engine: Engine, scope: PlanScope, circumstances: Circumstances): RawBuilder<unknown> {
  const turn = sql`${deferredFirst(circumstances)} as turn`;
  if (scope.selection.type !== 'due') {
    return sql`(
      select t.*, 'requested' as due_class, ${turn} from tracked_records as t
      where t.retracted_at is null and ${requested(engine, scope)}
    ) as c`;
  }
  const part = (condition: RawBuilder<boolean>) => sql`
    select t.*, ${dueClass(engine, scope, circumstances)} as due_class, ${turn}
    from tracked_records as t left join ${OPEN_BREAKS} on b.record_key = t.record_key
    where t.retracted_at is null and ${condition}`;
  return sql`(${sql.join(candidates(engine, scope, circumstances).map(part), sql` union all `)}) as c`;
}

export const previewPlan =
  (engine: Engine): ItemStore['preview'] =>
  async (scope) => {
    const records = classified(engine, scope, await circumstancesOf(engine.db, scope, null));
    const { rows } = await sql<{ due_class: DueClass; count: number }>`
    select c.due_class, count(*) as count from ${records} where c.due_class is not null group by c.due_class
  `.execute(engine.db);
    const counts = Object.fromEntries(DUE_CLASSES.map((name) => [name, 0])) as Record<DueClass, number>;
    for (const row of rows) counts[row.due_class] = row.count;
    return counts;
  };

const RANKS = DUE_CLASSES.map((name, rank) => sql`when ${sql.lit(name)} then ${sql.lit(rank)}`);

/**
 * The order of `DUE_CLASSES`; within a class, records that the last run deferred come first, so that records which can
 * never be verified do not exclude others forever; then those that were verified longest ago. Ties are in report
 * order, so that neighbours on disk are fetched together.
 */
const SPENDING_ORDER = sql`
  case c.due_class ${sql.join(RANKS, sql` `)} end, c.turn,
  case when c.last_verified_at is null then 0 else 1 end,
  coalesce(c.last_verified_at, c.tracked_at), c.kind, c.record_id`;

async function insertItems(tx: WriteTransaction, records: RawBuilder<unknown>, runKey: number): Promise<void> {
  await sql`
    insert into run_items (
      run_key, kind, record_id, record_key, position, due_class, quote_key, attempts,
      host_reference, quote_id, expected_status, conflict, webhook_events, told_created_at, shown_total, shown_fee,
      before_status, before_status_since, before_peak_status, before_peak_at, before_first_snapshot,
      before_terminal_snapshot, before_verified_at, before_verified_status)
    select ${runKey}, c.kind, c.record_id, c.record_key, row_number() over (order by ${SPENDING_ORDER}), c.due_class,
      q.quote_key, 0,
      c.host_reference, c.quote_id, c.expected_status, c.conflict, c.webhook_events, c.told_created_at, c.shown_total,
      c.shown_fee,
      c.status, c.status_since, c.peak_status, c.peak_at, c.first_snapshot,
      c.terminal_snapshot, c.last_verified_at, c.last_verified_status
    from ${records}
    left join quotes as q on q.quote_id = c.quote_id
    where c.due_class is not null
    order by c.kind, c.record_id`.execute(tx.db);
}

/** Planning twice changes nothing: the first plan stays. @throws LeaseLostError, RunStateError */
export const planRun =
  (engine: Engine): ItemStore['plan'] =>
  (runId, fence, scope) =>
    writeUnder(engine, fence, async (tx) => {
      const known = await runHead(tx, runId);
      if (known.planned === 1) return known.population;
      const run = await runHeadIn(tx, runId, ['fetching'], 'be planned');
      const records = classified(engine, scope, await circumstancesOf(tx.db, scope, run.revision));
      await insertItems(tx, records, run.run_key);
      const population = await countRows(tx.db, 'run_items', { run_key: run.run_key });
      const retracted = await countRows(tx.db, 'tracked_records', sql`retracted_at is not null`);
      const tracked = (await countRows(tx.db, 'tracked_records')) - retracted;
      await setRows(tx, 'runs', { run_key: run.run_key }, { planned: 1, population, tracked, retracted });
      return population;
    });
