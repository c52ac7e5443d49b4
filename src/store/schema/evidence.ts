/** Tables of evidence from other sources than the Service. */
import type { LineType, Payout } from '../../domain/payout.ts';
import type { Kind } from '../../domain/record.ts';
import { decimalCell, readUnits } from '../cells.ts';
import { bytes, decimal, id, integer, ROWS, risingKey, SUM, table, text, units } from './column.ts';
import { KEY, TEXT } from './tracking.ts';

export const PAYOUT = {
  payout_id: id,
  source: text,
  paid_at: integer,
  currency: id,
  amount: decimal,
  added_at: integer.unsealed('decides nothing'),
  reference: text.orNull,
  period: id.orNull,
  sha256: id,
  /** Tax or charges that the payer kept back, in the payment's currency; null for none. */
  withheld: decimal.orNull,
  /** The currency of the revenue that it pays, and the payment's units for one of it; null for the payment's own. */
  settled_currency: text.orNull.from(({ settles }: Payout) => settles?.currency ?? null),
  rate: text.orNull.from(({ settles }: Payout) => decimalCell(settles?.rate ?? null)),
  statement_id: text.orNull,
  /** `txName` of the transaction that it was made in. */
  tx_name: text.orNull.named('tx'),
  /** Null for a share: rows older than the column are shares. */
  type: text.as<LineType>().orNull.whenSet.from(({ type }: Payout) => (type === 'share' ? null : type)),
};

/** What a record says of its delivery. */
export const DELIVERY_CLAIM = {
  kind: id.as<Kind>(),
  record_id: id,
  receiver: id,
  asset_address: text.orNull.named('asset'),
  units: id.holds(readUnits, String),
  created_at: integer.orNull,
};

export const EVIDENCE = {
  chain_sightings: table(
    {
      sighting_key: risingKey,
      /** `txName` of the transaction. */
      tx_name: id,
      /** 1 where it is found and final: it is never requested again. */
      settled: integer,
      /** JSON of the Sighting, units as text. */
      sighting: text,
      sha256: id,
    },
    { seal: ROWS, indexes: ['chain_sightings_tx (tx_name, sighting_key)'] },
  ),

  /** The answers behind sightings, by the hash of their text. */
  chain_answers: table({ sha256: id, deflated: bytes }, { seal: TEXT, key: ['sha256'] }),

  /** Records that name a transaction as their delivery. */
  delivery_claims: table(
    {
      claim_key: risingKey.unsealed(KEY),
      tx_name: id,
      ...DELIVERY_CLAIM,
    },
    { seal: ROWS, unique: [['tx_name', 'kind', 'record_id', 'receiver', 'units']] },
  ),

  payouts: table(
    {
      payout_key: risingKey.unsealed(KEY),
      ...PAYOUT,
    },
    { seal: ROWS, unique: [['payout_id']] },
  ),

  /** The host's revenue as of the judging of a night. */
  run_revenue: table(
    {
      run_key: integer.references('runs'),
      /** JSON of the RunRevenue, amounts as text. */
      revenue: text,
    },
    { seal: ROWS, key: ['run_key'] },
  ),

  /** The unexplained move of one record's price, as long as it is of the last days: shares in parts of 10^12, hours since 1970. */
  price_moves: table(
    {
      record_key: integer.references('tracked_records'),
      market: text,
      from_hour: integer,
      to_hour: integer,
      share: units,
      loss: decimal,
    },
    {
      seal: SUM,
      key: ['record_key'],
      indexes: ['price_moves_by_market (market, to_hour)'],
    },
  ),
};
