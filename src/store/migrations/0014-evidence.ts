/**
 * Evidence from other sources than the Service: sightings of transactions with the answers behind them, the records
 * that claim them, and payments.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function evidence(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`alter table runs add column evidence_watermark ${t.text}`.execute(db);

      await sql`create table chain_sightings (
        sighting_key ${t.risingKey},
        tx_name ${t.id} not null,
        settled ${t.integer} not null,
        sighting ${t.text} not null,
        sha256 ${t.id} not null
      ) ${t.end}`.execute(db);
      await sql`create index chain_sightings_tx on chain_sightings (tx_name, sighting_key)`.execute(db);

      await sql`create table chain_answers (
        sha256 ${t.id} primary key,
        deflated ${t.bytes} not null
      ) ${t.end}`.execute(db);

      await sql`create table delivery_claims (
        claim_key ${t.risingKey},
        tx_name ${t.id} not null,
        kind ${t.id} not null,
        record_id ${t.id} not null,
        receiver ${t.id} not null,
        asset_address ${t.text},
        units ${t.id} not null,
        created_at ${t.integer},
        unique (tx_name, kind, record_id, receiver, units)
      ) ${t.end}`.execute(db);

      await sql`create table payouts (
        payout_key ${t.risingKey},
        payout_id ${t.id} not null unique,
        source ${t.text} not null,
        paid_at ${t.integer} not null,
        currency ${t.id} not null,
        amount ${t.text} not null,
        reference ${t.text},
        period ${t.id},
        sha256 ${t.id} not null,
        added_at ${t.integer} not null
      ) ${t.end}`.execute(db);
    },
  };
}
