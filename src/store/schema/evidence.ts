/** Tables of evidence from other sources than the Service. */
import type { Generated } from 'kysely';
import type { LineType, Payout } from '../../domain/payout.ts';
import type { Kind } from '../../domain/record.ts';

export interface ChainSightingTable {
  sighting_key: Generated<number>;
  /** `txName` of the transaction. */
  tx_name: string;
  /** 1 where it is found and final: it is never requested again. */
  settled: number;
  /** JSON of the Sighting, units as text. */
  sighting: string;
  sha256: string;
}

/** The answers behind sightings, by the hash of their text. */
export interface ChainAnswerTable {
  sha256: string;
  deflated: Uint8Array;
}

export interface DeliveryClaimTable {
  claim_key: Generated<number>;
  tx_name: string;
  kind: Kind;
  record_id: string;
  receiver: string;
  asset_address: string | null;
  units: string;
  created_at: number | null;
}

export interface PayoutTable extends Pick<Payout, 'source' | 'currency' | 'reference' | 'period' | 'sha256'> {
  payout_key: Generated<number>;
  payout_id: string;
  paid_at: number;
  /** A plain decimal. */
  amount: string;
  added_at: number;
  /** Tax or charges that the payer kept back, in the payment's currency; null for none. */
  withheld: string | null;
  /**
   * The currency of the revenue that it pays, and the payment's units for one unit of that currency; null for the
   * payment's own.
   */
  settled_currency: string | null;
  rate: string | null;
  /** The id in its statement. */
  statement_id: string | null;
  /** `txName` of the transaction that it was made in. */
  tx_name: string | null;
  /** Null for a share. */
  type: LineType | null;
}

/** The host's revenue as of the judging of a night. */
export interface RunRevenueTable {
  run_key: number;
  /** JSON of the RunRevenue, amounts as text. */
  revenue: string;
}

/** The unexplained move of one record's price, as long as it is of the last days: shares in parts of 10^12, hours since 1970. */
export interface PriceMoveTable {
  record_key: number;
  market: string;
  from_hour: number;
  to_hour: number;
  share: string;
  loss: string;
}
