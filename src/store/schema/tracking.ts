/** Tables of tracked records and of what was seen of them. */
import type { Generated } from 'kysely';
import type { Kind, Origin } from '../../domain/record.ts';

/** What is known of a record from all its snapshots; the same columns stand, frozen, in `run_items`. */
export interface ProjectionColumns {
  status: string | null;
  status_since: number | null;
  peak_status: string | null;
  peak_at: number | null;
  terminal_day: number | null;
  first_snapshot: number | null;
  terminal_snapshot: number | null;
  last_snapshot: number | null;
  last_verified_at: number | null;
  last_verified_day: number | null;
}

export interface TrackedRecordTable extends ProjectionColumns {
  record_key: Generated<number>;
  kind: Kind;
  record_id: string;
  origin: Origin;
  tracked_at: number;
  key_id: string;
  token: Uint8Array;
  /** Keyed, so that equal tokens are recognised without unsealing and cannot be guessed from the file. */
  token_fingerprint: Uint8Array;
  told_created_at: number | null;
  host_reference: string | null;
  quote_id: string | null;
  expected_status: string | null;
  conflict: string | null;
  /** JSON array of [type, instant]; null for none. */
  webhook_events: string | null;
  /** Status at the last verification; `status` may have been learned from a webhook since. */
  last_verified_status: string | null;
  /** Creation time by the newest body. */
  body_created_at: number | null;
}

/** Append-only: who claimed what about an id that was already taken. */
export interface TrackingConflictTable {
  conflict_key: Generated<number>;
  record_key: number;
  type: 'token' | 'kind';
  origin: Origin;
  at: number;
  key_id: string | null;
  token: Uint8Array | null;
  token_fingerprint: Uint8Array | null;
}

/** One row per record and distinct body; the typed columns of a RecordState, without its identity. */
export interface ContentTable {
  content_key: Generated<number>;
  sha256: string;
  record_key: number;
  status: string | null;
  created_at: number | null;
  updated_at: number | null;
  asset_chain: string;
  asset_symbol: string;
  asset_decimals: number;
  asset_address: string | null;
  crypto_units: string;
  fiat_currency: string;
  fiat_value: string;
  exchange_rate: string | null;
  exchange_rate_eur: string | null;
  fiat_rate_eur: string | null;
  base_fee: string | null;
  network_fee: string | null;
  applied_fee: string | null;
  host_fee_cut: string | null;
  payment_method: string | null;
  receiver_address: string | null;
  final_tx_hash: string | null;
}

/** Evidence texts, deflated; apart from `contents`, so that a scan of the typed columns never touches them. */
export interface BodyTable {
  content_key: number;
  deflated: Uint8Array;
}

export interface SnapshotTable {
  snapshot_key: Generated<number>;
  record_key: number;
  content_key: number;
  origin: Origin;
  received_at: number;
  http_status: number | null;
}

/** Bodies that could not be read, sealed: one may be another record's. */
export interface SealedBodyTable {
  sealed_key: Generated<number>;
  record_key: number;
  sha256: string;
  stored_at: number;
  key_id: string;
  sealed: Uint8Array;
}

export interface DeliveryTable {
  delivery_key: Generated<number>;
  record_key: number;
  origin: Origin;
  /** Empty where the envelope had none. */
  event_type: string;
  /** Of what the body says, as the contract's `identity`; the bytes have their own beside the snapshot. */
  sha256: string;
  snapshot_key: number | null;
  delivered_at: number;
  /** When the record was first asked for after it; null until then. */
  looked_at: number | null;
}

/** Fiat currencies met so far. */
export interface CurrencyTable {
  currency: string;
}

/** Keys that something is sealed with. */
export interface SealingKeyTable {
  key_id: string;
}
