/** The unit of a break's difference, the user's loss, and the money at stake of its record, on the leading break. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

const COLUMNS = ['unit', 'loss', 'record_currency', 'money_at_stake', 'leading_break_id'];

export function moneyAtStake(t: ColumnTypes): Migration {
  return {
    async up(db) {
      for (const table of ['break_events', 'staged_break_events']) {
        for (const column of COLUMNS) {
          await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${t.text}`.execute(db);
        }
      }
      // Breaks that no later run judges stay in the sums of money; differences of rates leave these sums.
      await sql`
        update break_events set unit = case
          when breaks.field like '%rate%' then 'rate'
          when breaks.field = 'crypto_amount' then 'crypto'
          else 'money' end
        from breaks
        where breaks.break_key = break_events.break_key and break_events.difference is not null`.execute(db);
    },
  };
}
