/** Tables of captured quotes and of reference data. */
import type { Generated } from 'kysely';
import type { QuoteApi } from '../../domain/quote.ts';
import type { Direction } from '../../domain/record.ts';

export interface QuoteTable {
  quote_key: Generated<number>;
  quote_id: string;
  direction: Direction;
  api: QuoteApi;
  captured_at: number;
  added_at: number;
  asset_chain: string;
  asset_symbol: string;
  asset_decimals: number;
  fiat_currency: string;
  /** Null exactly where the quote brought no asset terms (v1). */
  terms_currency: string | null;
  terms_min_purchase: string | null;
  terms_max_purchase: string | null;
  terms_min_units: string | null;
  terms_price: string | null;
}

export interface QuoteMethodTable {
  quote_key: number;
  method: string;
  /** Order in the response. */
  position: number;
  fiat_value: string;
  crypto_units: string;
  applied_fee: string;
  base_fee: string | null;
  network_fee: string | null;
  network_fee_exact: number;
  host_fee_cut: string | null;
  exchange_rate: string | null;
}

export interface QuoteBodyTable {
  quote_key: number;
  /** Of everything the quote came with: tells a repeated import from a conflicting one. */
  content_sha256: string;
  /** JSON array of request and response, deflated together: a request alone is too short to gain anything. */
  exchange: Uint8Array;
}

export type ReferenceType = 'assets' | 'methods' | 'currencies' | 'countries';

/** One look at reference data: a few bytes; what it saw is in `reference_contents`. */
export interface ReferenceCaptureTable {
  capture_key: Generated<number>;
  type: ReferenceType;
  /** Empty where the type has no direction or no currency: NULL would match nothing in a unique index. */
  direction: Direction | '';
  currency: string;
  captured_at: number;
  content_key: number;
}

export interface ReferenceContentTable {
  content_key: Generated<number>;
  type: ReferenceType;
  direction: Direction | '';
  currency: string;
  sha256: string;
  deflated: Uint8Array;
  /** Currency of the global figures; null for all types but `assets`. */
  global_currency: string | null;
  global_min_purchase: string | null;
  global_max_purchase: string | null;
  global_min_fee: string | null;
  global_min_fee_percent: string | null;
  global_max_fee_percent: string | null;
}

export interface ReferenceAssetTable {
  content_key: number;
  asset_chain: string;
  asset_symbol: string;
  asset_decimals: number;
  enabled: number;
  min_purchase: string | null;
  max_purchase: string | null;
  min_units: string | null;
  network_fee: string | null;
  price: string | null;
}

export interface ReferenceMethodTable {
  content_key: number;
  name: string;
  /** JSON arrays of text. */
  currencies: string;
  countries: string;
}
