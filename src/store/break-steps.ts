/** The events of breaks one by one: of breaks on the records of closed months, and of all. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PeriodStore } from '../ports/store/periods.ts';
import type { WorkListStore } from '../ports/store/store.ts';
import { readDecimalOrNull } from './cells.ts';
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

const STEP = [
  'b.break_key as breakKey',
  'b.rule',
  'e.state',
  'e.record_currency as currency',
  'e.money_at_stake as moneyAtStake',
] as const;

const withMoney = <Row extends { moneyAtStake: string | null }>(row: Row) => ({
  ...row,
  moneyAtStake: readDecimalOrNull(row.moneyAtStake),
});

export const breakSteps =
  (engine: Engine): PeriodStore['breakSteps'] =>
  async ({ own, earlier, upTo }, after, limit) => {
    const rows = await engine.db
      .selectFrom('break_events as e')
      .innerJoin('breaks as b', 'b.break_key', 'e.break_key')
      .select([...STEP, 'e.event_key as eventKey'])
      .select(sql<number>`case when ${isIn([own])} then 1 else 0 end`.as('own'))
      .where('e.event_key', '>', after)
      .where('e.event_key', '<=', upTo)
      .where(isIn([own, ...earlier]))
      .orderBy('e.event_key')
      .limit(limit)
      .execute();
    return rows.map(({ own: isOwn, ...step }) => ({ ...withMoney(step), isOfMonth: isOwn === 1 }));
  };

/** Break by break: the steps of one follow each other, so that a movement needs one break in memory. */
export const breakMoves =
  (engine: Engine): WorkListStore['moves'] =>
  async (after, breaks, to) => {
    const upTo = sql<number | null>`(select max(break_key) from (
      select break_key from breaks where break_key > ${after} order by break_key limit ${breaks}) as page)`;
    const rows = await engine.db
      .selectFrom('breaks as b')
      .innerJoin('break_events as e', 'e.break_key', 'b.break_key')
      .select([...STEP, 'e.at'])
      .where('b.break_key', '>', after)
      .where(sql<SqlBool>`b.break_key <= ${upTo}`)
      .where('e.at', '<', to)
      .orderBy(sql`b.break_key, e.event_key`)
      .execute();
    const { last } = await engine.db.selectNoFrom(upTo.as('last')).executeTakeFirstOrThrow();
    return { moves: rows.map(withMoney), last: last === null ? null : Number(last) };
  };
