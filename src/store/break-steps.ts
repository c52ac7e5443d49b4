/** What became of the breaks on the records of closed months, event by event. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BreakState } from '../domain/break.ts';
import type { PeriodStore } from '../ports/store/periods.ts';
import { readDecimalOrNull } from './cells.ts';
import type { Engine } from './engine.ts';

/** By the whole primary key: with the record's key alone, SQLite would read a whole statement for each record. */
function isIn(statementKeys: readonly number[]): RawBuilder<SqlBool> {
  if (statementKeys.length === 0) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`exists (
    select 1 from period_records as p
    where p.statement_key in (${sql.join(statementKeys)}) and p.kind = b.kind and p.record_id = b.record_id)`;
}

export const breakSteps =
  (engine: Engine): PeriodStore['breakSteps'] =>
  async ({ own, earlier, upTo }, after, limit) => {
    const isOwn = isIn([own]);
    const rows = await engine.rows(
      engine.db
        .selectFrom('break_events as e')
        .innerJoin('breaks as b', 'b.break_key', 'e.break_key')
        .select(['e.event_key', 'b.break_key', 'b.rule', 'e.state', 'e.record_currency', 'e.money_at_stake'])
        .select(sql<number>`case when ${isOwn} then 1 else 0 end`.as('own'))
        .where('e.event_key', '>', after)
        .where('e.event_key', '<=', upTo)
        .where(isIn([own, ...earlier]))
        .orderBy('e.event_key')
        .limit(limit),
    );
    return rows.map((row) => ({
      eventKey: row[0] as number,
      breakKey: row[1] as number,
      rule: row[2] as string,
      state: row[3] as BreakState,
      currency: row[4] as string | null,
      moneyAtStake: readDecimalOrNull(row[5] ?? null),
      isOfMonth: row[6] === 1,
    }));
  };
