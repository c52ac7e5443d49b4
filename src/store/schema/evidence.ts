/** Tables of evidence from other sources than the Service. */
import type { LineType } from '../../domain/payout.ts';
import type { Kind } from '../../domain/record.ts';
import { bytes, id, integer, ROWS, risingKey, SUM, table, text } from './column.ts';
import { KEY, TEXT } from './tracking.ts';

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
      kind: id.as<Kind>(),
      record_id: id,
      receiver: id,
      asset_address: text.orNull,
      units: id,
      created_at: integer.orNull,
    },
    { seal: ROWS, unique: [['tx_name', 'kind', 'record_id', 'receiver', 'units']] },
  ),

  payouts: table(
    {
      payout_key: risingKey.unsealed(KEY),
      payout_id: id,
      source: text,
      paid_at: integer,
      currency: id,
      /** A plain decimal. */
      amount: text,
      added_at: integer.unsealed('decides nothing'),
      reference: text.orNull,
      period: id.orNull,
      sha256: id,
      /** Tax or charges that the payer kept back, in the payment's currency; null for none. */
      withheld: text.orNull,
      /** The currency of the revenue that it pays, and the payment's units for one of it; null for the payment's own. */
      settled_currency: text.orNull,
      rate: text.orNull,
      /** The id in its statement. */
      statement_id: text.orNull,
      /** `txName` of the transaction that it was made in. */
      tx_name: text.orNull,
      /** Null for a share. */
      type: text.as<LineType>().orNull.whenSet,
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
      share: text,
      loss: text,
    },
    {
      seal: SUM,
      key: ['record_key'],
      indexes: ['price_moves_by_market (market, to_hour)'],
    },
  ),
};
