/** Closed months: their list, the basis of a statement, and the records that a run changed after a close. */

import { type RawBuilder, sql } from 'kysely';
import type { ClosedPeriod, PeriodStore } from '../ports/store/periods.ts';
import { breakSteps } from './break-steps.ts';
import type { Engine } from './engine.ts';
import { periodReader } from './period-looks.ts';
import { readStatement, statementWriter } from './period-statements.ts';
import { addRows, setRows } from './rows.ts';
import { runHead } from './run-rows.ts';
import type { STATE as FIGURES } from './schema/state.ts';
import { COUNTED_DATE, findRow, findRows, newestKey } from './statements.ts';

/** A month with a delta that is not reviewed is only closed. */
const STATE = sql<ClosedPeriod['state']>`case when exists (
  select 1 from period_statements as d left join delta_reviews as r on r.statement_key = d.statement_key
  where d.period = p.period and d.type = 'delta' and d.state = 'sealed' and r.statement_key is null
) then 'closed' else p.state end`;

async function closedPeriods(engine: Engine, period: string | null): Promise<readonly ClosedPeriod[]> {
  let query = engine.db
    .selectFrom('periods as p')
    .innerJoin('period_statements as s', 's.statement_key', 'p.statement_key')
    .select(['s.period', 's.timezone', STATE.as('state'), 's.stated_by as closedBy', 's.stated_at as closedAt'])
    .select(['s.accepted_open as acceptedOpen', 'p.reviewed_by as reviewedBy', 'p.reviewed_at as reviewedAt'])
    .select(['s.folder', 's.manifest_sha256 as manifestSha256', 's.figures'])
    .orderBy('p.period');
  if (period !== null) query = query.where('p.period', '=', period);
  return (await query.execute()).map((row) => ({
    ...row,
    folder: row.folder ?? '',
    manifestSha256: row.manifestSha256 ?? '',
    figures: row.figures ?? '{}',
  }));
}

export function periodStore(engine: Engine): PeriodStore {
  return {
    list: () => closedPeriods(engine, null),
    get: async (period) => (await closedPeriods(engine, period))[0] ?? null,
    review: (period, by, at) =>
      engine.write(async (tx) => {
        const cells = { state: 'reviewed', reviewed_by: by, reviewed_at: at } as const;
        return (await setRows(tx, 'periods', { period }, cells, { state: 'closed' })) === 1;
      }),
    reviewDelta: (statementKey, by, at) =>
      engine.write(async (tx) => {
        const known = await findRow(tx.db, 'delta_reviews', { statement_key: statementKey }, ['statement_key']);
        if (known !== undefined) return false;
        const review = { statement_key: statementKey, reviewed_by: by, reviewed_at: at };
        await addRows(tx, 'delta_reviews', [review]);
        return true;
      }),
    statements: async (period) => {
      const rows = await engine.db
        .selectFrom('period_statements as s')
        .leftJoin('delta_reviews as r', 'r.statement_key', 's.statement_key')
        .selectAll('s')
        .select(['r.reviewed_by', 'r.reviewed_at'])
        .where('s.period', '=', period)
        .orderBy('s.statement_key')
        .execute();
      return rows.map(readStatement);
    },
    span: async () => {
      const { first, last } = await engine.db
        .selectFrom('tracked_records as t')
        .select(({ fn }) => [
          fn.min<number | null>(COUNTED_DATE).as('first'),
          fn.max<number | null>(COUNTED_DATE).as('last'),
        ])
        .executeTakeFirstOrThrow();
      return first === null || last === null ? null : { first, last };
    },
    // In one transaction, so that a run that settles meanwhile counts with both its observations and its events, or not
    // at all.
    basis: (since) =>
      engine.write(async (tx) => {
        const breakEvent = await newestKey(tx.db, 'break_events', 'event_key');
        const isSettled = sql`state in ('settled', 'complete', 'incomplete') and (started_at >= ${since} or as_of >= ${since})`;
        const runs = await findRows(tx.db, 'runs', isSettled, ['run_key'], 'run_key');
        return { breakEvent, runs: runs.map((row) => row.run_key) };
      }),
    ...periodReader(engine),
    breakSteps: breakSteps(engine),
    ...statementWriter(engine),
    touched: async (runId, months) => {
      const run = await runHead(engine, runId);
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from (
          ${otherFields(run.run_key)}
          union ${movedBreaks(run.run_key, run.break_watermark ?? 0)}
          union ${lateRecords(run.run_key, months)}) as touched`.execute(engine.db);
      return Number(rows[0]?.n ?? 0);
    },
  };
}

/** Fields that a close compares. A change of `updated_at` alone is no difference. */
const COMPARED = [
  ...(['status', 'asset_chain', 'asset_symbol', 'crypto_units', 'fiat_currency', 'fiat_value'] as const),
  ...(['exchange_rate', 'base_fee', 'network_fee', 'applied_fee', 'host_fee_cut'] as const),
  ...(['payment_method', 'final_tx_hash'] as const),
] satisfies (keyof typeof FIGURES)[];

/**
 * The last close or carried statement of a record. Deltas do not count: the open month must still carry their changes.
 */
const LAST_STATED = sql`
  select max(p2.statement_key)
  from period_records as p2
  join period_statements as s2 on s2.statement_key = p2.statement_key
  where p2.record_key = i.record_key and s2.state = 'sealed' and s2.type in ('close', 'carried')`;

/** By the whole primary key: with the record's key alone, SQLite would read a whole statement for each record. */
function otherFields(runKey: number): RawBuilder<unknown> {
  const differs = COMPARED.map(
    (column) => sql`${sql.ref(`was.${column}`)} is distinct from ${sql.ref(`now.${column}`)}`,
  );
  return sql`
    select i.record_key
    from run_items as i
    join period_records as p on p.statement_key = (${LAST_STATED}) and p.kind = i.kind and p.record_id = i.record_id
    join contents as now on now.content_key = i.content_key
    left join contents as was on was.content_key = p.content_key
    where i.run_key = ${runKey} and i.outcome = 'verified'
      and (p.content_key is null or (p.content_key <> i.content_key and (${sql.join(differs, sql` or `)})))`;
}

const isStated = (record: string) => sql`exists (
  select 1 from period_records as p
  join period_statements as s on s.statement_key = p.statement_key
  where p.record_key = ${sql.ref(record)} and s.state = 'sealed' and s.type in ('close', 'carried'))`;

function movedBreaks(runKey: number, watermark: number): RawBuilder<unknown> {
  return sql`
    select b.record_key
    from break_events as e
    join breaks as b on b.break_key = e.break_key
    where e.event_key > ${watermark} and e.run_key = ${runKey} and e.type in ('opened', 'reopened', 'resolved')
      and ${isStated('b.record_key')}`;
}

function lateRecords(runKey: number, months: { from: number; to: number }): RawBuilder<unknown> {
  return sql`
    select i.record_key
    from run_items as i
    join tracked_records as t on t.record_key = i.record_key
    where i.run_key = ${runKey} and ${COUNTED_DATE} >= ${months.from} and ${COUNTED_DATE} < ${months.to}
      and not ${isStated('i.record_key')}`;
}
