/** Facts of bodies, quotes and listings that rules compare: types of assets, expiry, missing fields, rates and availability. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function whatIsJudged(t: ColumnTypes): Migration {
  const added: readonly [table: string, column: string, type: typeof t.text][] = [
    ['contents', 'asset_type', t.text],
    ['contents', 'end_time', t.integer],
    ['contents', 'lacks', t.text],
    ['contents', 'other_token', t.integer],
    ['quotes', 'asset_type', t.text],
    ['quotes', 'rate_eur', t.text],
    ['quotes', 'fiat_rate_eur', t.text],
    ['reference_assets', 'asset_type', t.text],
    ['reference_assets', 'hidden', t.integer],
    ['reference_assets', 'price_eur', t.text],
    ['reference_contents', 'currencies', t.text],
  ];
  return {
    async up(db) {
      for (const [table, column, type] of added) {
        await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${type}`.execute(db);
      }
    },
  };
}
