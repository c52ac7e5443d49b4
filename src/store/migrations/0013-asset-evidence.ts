/** Columns that distinguish assets of an unknown chain; correction of tokens that were stored as their own chain. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function assetEvidence(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table contents add column asset_chain_presumed ${t.integer}`.execute(db);
      await sql`alter table quotes add column asset_address ${t.text}`.execute(db);
      await sql`alter table quotes add column asset_chain_presumed ${t.integer}`.execute(db);
      await sql`alter table reference_assets add column asset_address ${t.text}`.execute(db);
      // A body that named no chain was stored with its symbol as the chain. A token's contract proves that wrong; of a v1
      // quote's asset the contract was not kept.
      await sql`update contents set asset_chain = '' where asset_chain = asset_symbol and asset_address is not null`.execute(
        db,
      );
      await sql`update quotes set asset_chain = '' where api = 'v1' and asset_chain = asset_symbol`.execute(db);
      // A search names no chain: a quote that names none may fit too.
      await sql`drop index quotes_captured`.execute(db);
      await sql`create index quotes_captured on quotes
        (direction, asset_symbol, fiat_currency, captured_at)`.execute(db);
    },
  };
}
