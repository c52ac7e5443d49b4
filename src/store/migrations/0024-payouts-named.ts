/**
 * Payments with the id of their statement and the transaction in which they were made: two lines with the same are
 * one payment.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function payoutsNamed(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table payouts add column statement_id ${t.text}`.execute(db);
      await sql`alter table payouts add column tx_name ${t.text}`.execute(db);
    },
  };
}
