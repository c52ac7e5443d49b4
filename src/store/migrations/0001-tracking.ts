/** Tracked records, their bodies, and deliveries. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function tracking(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table tracked_records (
        record_key ${t.key},
        kind ${t.id} not null,
        record_id ${t.id} not null,
        origin ${t.text} not null,
        tracked_at ${t.integer} not null,
        key_id ${t.text} not null,
        token ${t.bytes} not null,
        token_fingerprint ${t.bytes} not null,
        told_created_at ${t.integer},
        host_reference ${t.text},
        quote_id ${t.id},
        expected_status ${t.text},
        conflict ${t.text},
        webhook_events ${t.text},
        status ${t.text},
        status_since ${t.integer},
        peak_status ${t.text},
        peak_at ${t.integer},
        terminal_day ${t.integer},
        first_snapshot ${t.integer},
        terminal_snapshot ${t.integer},
        last_snapshot ${t.integer},
        last_verified_at ${t.integer},
        last_verified_day ${t.integer},
        last_verified_status ${t.text},
        body_created_at ${t.integer},
        unique (kind, record_id)
      ) ${t.end}`.execute(db);

      await sql`create table tracking_conflicts (
        conflict_key ${t.key},
        record_key ${t.integer} not null references tracked_records,
        type ${t.text} not null,
        origin ${t.text} not null,
        at ${t.integer} not null,
        key_id ${t.text},
        token ${t.bytes},
        token_fingerprint ${t.bytes}
      ) ${t.end}`.execute(db);
      await sql`create index tracking_conflicts_record on tracking_conflicts (record_key)`.execute(db);

      await sql`create table contents (
        content_key ${t.key},
        sha256 ${t.id} not null,
        record_key ${t.integer} not null references tracked_records,
        status ${t.text},
        created_at ${t.integer},
        updated_at ${t.integer},
        asset_chain ${t.id} not null,
        asset_symbol ${t.id} not null,
        asset_decimals ${t.integer} not null,
        asset_address ${t.text},
        crypto_units ${t.text} not null,
        fiat_currency ${t.id} not null,
        fiat_value ${t.text} not null,
        exchange_rate ${t.text},
        exchange_rate_eur ${t.text},
        fiat_rate_eur ${t.text},
        base_fee ${t.text},
        network_fee ${t.text},
        applied_fee ${t.text},
        host_fee_cut ${t.text},
        payment_method ${t.id},
        receiver_address ${t.text},
        final_tx_hash ${t.text},
        unique (sha256, record_key)
      ) ${t.end}`.execute(db);

      await sql`create table bodies (
        content_key ${t.integer} primary key references contents,
        deflated ${t.bytes} not null
      ) ${t.end}`.execute(db);

      await sql`create table snapshots (
        snapshot_key ${t.key},
        record_key ${t.integer} not null references tracked_records,
        content_key ${t.integer} not null references contents,
        origin ${t.text} not null,
        received_at ${t.integer} not null,
        http_status ${t.integer}
      ) ${t.end}`.execute(db);

      await sql`create table sealed_bodies (
        sealed_key ${t.key},
        record_key ${t.integer} not null references tracked_records,
        sha256 ${t.id} not null,
        stored_at ${t.integer} not null,
        key_id ${t.text} not null,
        sealed ${t.bytes} not null,
        unique (record_key, sha256)
      ) ${t.end}`.execute(db);

      await sql`create table deliveries (
        delivery_key ${t.key},
        record_key ${t.integer} not null references tracked_records,
        origin ${t.text} not null,
        event_type ${t.text} not null,
        sha256 ${t.id} not null,
        snapshot_key ${t.integer} references snapshots,
        delivered_at ${t.integer} not null,
        looked_at ${t.integer},
        unique (record_key, origin, event_type, sha256)
      ) ${t.end}`.execute(db);
      // Partial index of deliveries that wait for a fetch: a fetch removes its record's rows from the index.
      await sql`create index deliveries_waiting on deliveries (record_key) where looked_at is null`.execute(db);
      await sql`create index deliveries_time on deliveries (delivered_at)`.execute(db);

      await sql`create table currencies_seen (currency ${t.id} primary key) ${t.clustered}`.execute(db);
      await sql`create table sealing_keys (key_id ${t.id} primary key) ${t.clustered}`.execute(db);
    },
  };
}
