/** Captured quotes and reference data. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function quotes(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table quotes (
        quote_key ${t.risingKey},
        quote_id ${t.id} not null unique,
        direction ${t.id} not null,
        api ${t.text} not null,
        captured_at ${t.integer} not null,
        added_at ${t.integer} not null,
        asset_chain ${t.id} not null,
        asset_symbol ${t.id} not null,
        asset_decimals ${t.integer} not null,
        fiat_currency ${t.id} not null,
        terms_currency ${t.text},
        terms_min_purchase ${t.text},
        terms_max_purchase ${t.text},
        terms_min_units ${t.text},
        terms_price ${t.text}
      ) ${t.end}`.execute(db);
      await sql`create index quotes_captured on quotes
        (direction, asset_chain, asset_symbol, fiat_currency, captured_at)`.execute(db);

      await sql`create table quote_methods (
        quote_key ${t.integer} not null references quotes,
        method ${t.id} not null,
        position ${t.integer} not null,
        fiat_value ${t.text} not null,
        crypto_units ${t.text} not null,
        applied_fee ${t.text} not null,
        base_fee ${t.text},
        network_fee ${t.text},
        network_fee_exact ${t.integer} not null,
        host_fee_cut ${t.text},
        exchange_rate ${t.text},
        primary key (quote_key, method)
      ) ${t.clustered}`.execute(db);

      await sql`create table quote_bodies (
        quote_key ${t.integer} primary key references quotes,
        content_sha256 ${t.id} not null,
        exchange ${t.bytes} not null
      ) ${t.end}`.execute(db);

      await sql`create table reference_contents (
        content_key ${t.key},
        type ${t.id} not null,
        direction ${t.id} not null,
        currency ${t.id} not null,
        sha256 ${t.id} not null,
        deflated ${t.bytes} not null,
        global_currency ${t.text},
        global_min_purchase ${t.text},
        global_max_purchase ${t.text},
        global_min_fee ${t.text},
        global_min_fee_percent ${t.text},
        global_max_fee_percent ${t.text},
        unique (type, direction, currency, sha256)
      ) ${t.end}`.execute(db);

      await sql`create table reference_captures (
        capture_key ${t.risingKey},
        type ${t.id} not null,
        direction ${t.id} not null,
        currency ${t.id} not null,
        captured_at ${t.integer} not null,
        content_key ${t.integer} not null references reference_contents
      ) ${t.end}`.execute(db);
      await sql`create index reference_captures_time on reference_captures
        (type, direction, currency, captured_at, capture_key)`.execute(db);

      await sql`create table reference_assets (
        content_key ${t.integer} not null references reference_contents,
        asset_chain ${t.id} not null,
        asset_symbol ${t.id} not null,
        asset_decimals ${t.integer} not null,
        enabled ${t.integer} not null,
        min_purchase ${t.text},
        max_purchase ${t.text},
        min_units ${t.text},
        network_fee ${t.text},
        price ${t.text},
        primary key (content_key, asset_chain, asset_symbol)
      ) ${t.clustered}`.execute(db);

      await sql`create table reference_methods (
        content_key ${t.integer} not null references reference_contents,
        name ${t.id} not null,
        currencies ${t.text} not null,
        countries ${t.text} not null,
        primary key (content_key, name)
      ) ${t.clustered}`.execute(db);
    },
  };
}
