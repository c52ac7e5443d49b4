/** The events of breaks one by one: of breaks on the records of closed months, and of all. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BreakState } from '../domain/break.ts';
import type { PeriodStore } from '../ports/store/periods.ts';
import type { WorkListStore } from '../ports/store/store.ts';
import { type Row, readDecimalOrNull } from './cells.ts';
import type { Engine } from './engine.ts';

type Scope = Parameters<PeriodStore['breakSteps']>[0]['own'];

/**
 * On a record of the closes, or about the payment of their months' revenue (`2026-10-EUR`). By the whole primary key: with the
 * record's key alone, SQLite would read a whole statement for each record.
 */
function isIn(closes: readonly Scope[]): RawBuilder<SqlBool> {
  const statements = sql.join(closes.map(({ key }) => key));
  const months = sql.join(closes.map(({ period }) => `${period}-`));
  return sql<SqlBool>`(exists (
    select 1 from period_records as p
    where p.statement_key in (${statements}) and p.kind = b.kind and p.record_id = b.record_id)
    or (b.kind = 'payout' and substr(b.record_id, 1, 8) in (${months})))`;
}

const STEP_COLUMNS = ['b.break_key', 'b.rule', 'e.state', 'e.record_currency', 'e.money_at_stake'] as const;

/** What STEP_COLUMNS read, from the first column on. */
const readStep = (row: Row) => ({
  breakKey: row[0] as number,
  rule: row[1] as string,
  state: row[2] as BreakState,
  currency: row[3] as string | null,
  moneyAtStake: readDecimalOrNull(row[4] ?? null),
});

export const breakSteps =
  (engine: Engine): PeriodStore['breakSteps'] =>
  async ({ own, earlier, upTo }, after, limit) => {
    const isOwn = isIn([own]);
    const rows = await engine.rows(
      engine.db
        .selectFrom('break_events as e')
        .innerJoin('breaks as b', 'b.break_key', 'e.break_key')
        .select([...STEP_COLUMNS, 'e.event_key'])
        .select(sql<number>`case when ${isOwn} then 1 else 0 end`.as('own'))
        .where('e.event_key', '>', after)
        .where('e.event_key', '<=', upTo)
        .where(isIn([own, ...earlier]))
        .orderBy('e.event_key')
        .limit(limit),
    );
    return rows.map((row) => ({ ...readStep(row), eventKey: row[5] as number, isOfMonth: row[6] === 1 }));
  };

/** Break by break: the steps of one follow each other, so that a movement needs one break in memory. */
export const breakMoves =
  (engine: Engine): WorkListStore['moves'] =>
  async (after, breaks, to) => {
    const upTo = sql`(select max(break_key) from (
      select break_key from breaks where break_key > ${after} order by break_key limit ${breaks}) as page)`;
    const rows = await engine.rows(
      engine.db
        .selectFrom('breaks as b')
        .innerJoin('break_events as e', 'e.break_key', 'b.break_key')
        .select([...STEP_COLUMNS, 'e.at'])
        .where('b.break_key', '>', after)
        .where(sql<SqlBool>`b.break_key <= ${upTo}`)
        .where('e.at', '<', to)
        .orderBy('b.break_key')
        .orderBy('e.event_key'),
    );
    const [last] = await engine.rows({ compile: () => sql`select ${upTo}`.compile(engine.db) });
    const moves = rows.map((row) => ({ ...readStep(row), at: row[5] as number }));
    return { moves, last: last?.[0] == null ? null : Number(last[0]) };
  };
