/** What the records of a run have in common, and the moves of prices that no market explains. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function surveys(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table runs add column survey ${t.text}`.execute(db);
      await sql`create table price_moves (
        record_key ${t.integer} primary key references tracked_records,
        market ${t.text} not null,
        from_hour ${t.integer} not null,
        to_hour ${t.integer} not null,
        share ${t.text} not null,
        loss ${t.text} not null
      ) ${t.end}`.execute(db);
      await sql`create index price_moves_by_market on price_moves (market, to_hour)`.execute(db);
    },
  };
}
