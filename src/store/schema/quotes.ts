/** Tables of captured quotes and of reference data. */
import type { Generated } from 'kysely';
import type { Quote, QuoteApi, QuotedAssetTerms, QuotedMethod } from '../../domain/quote.ts';
import type { Direction } from '../../domain/record.ts';
import {
  type Cell,
  columns,
  decimalCell,
  flagCell,
  presumedCell,
  type Row,
  readDecimal,
  readDecimalOrNull,
  readPresumed,
  readUnits,
  readUnitsOrNull,
  unitsCell,
} from '../cells.ts';
import { type AssetColumns, readShown } from './facts.ts';

export interface QuoteTable extends AssetColumns {
  quote_key: Generated<number>;
  quote_id: string;
  direction: Direction;
  api: QuoteApi;
  captured_at: number;
  added_at: number;
  /** 1 where the chain follows from a token standard alone. */
  asset_chain_presumed: number | null;
  fiat_currency: string;
  /** Null exactly where the quote brought no asset terms (v1). */
  terms_currency: string | null;
  terms_min_purchase: string | null;
  terms_max_purchase: string | null;
  terms_min_units: string | null;
  terms_price: string | null;
  /** The amounts that the app showed for the quote; plain decimals. */
  shown_total: string | null;
  shown_fee: string | null;
  shown_method: string | null;
  country: string | null;
  asset_type: string | null;
  /** v1 alone: prices of a token and of the fiat currency in EUR. */
  rate_eur: string | null;
  fiat_rate_eur: string | null;
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
  /** Hash of the whole capture: a repeated import has the same one, a conflicting import another. */
  content_sha256: string;
  /** JSON array of request and response, deflated together: a request alone is too short to gain anything. */
  exchange: Uint8Array;
}

export type ReferenceType = 'assets' | 'methods' | 'currencies' | 'countries';

/** One capture of reference data: a pass over all lists; their contents are in `reference_contents`. */
export interface ReferenceCaptureTable {
  capture_key: Generated<number>;
  /** `pass` with `entries`; in rows of earlier versions, the type of the one list that it is of. */
  type: ReferenceType | 'pass';
  /** Empty where the type has no direction or no currency: NULL would match nothing in a unique index. */
  direction: Direction | '';
  currency: string;
  captured_at: number;
  content_key: number;
  /** JSON of the PassEntries; null in rows of earlier versions. */
  entries: string | null;
  /** The lists whose figures are not those of their contents, packed (`reference-figures.ts`); null where there are none. */
  figures: Uint8Array | null;
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
  /** Of type `currencies`: JSON array of [code, on-ramp, off-ramp]; null in rows older than the column. */
  currencies: string | null;
}

export interface ReferenceAssetTable extends AssetColumns {
  content_key: number;
  enabled: number;
  min_purchase: string | null;
  max_purchase: string | null;
  min_units: string | null;
  network_fee: string | null;
  price: string | null;
  asset_type: string | null;
  hidden: number | null;
  price_eur: string | null;
}

export interface ReferenceMethodTable {
  content_key: number;
  name: string;
  /** JSON arrays of text. */
  currencies: string;
  countries: string;
}

/** In the order in which `quoteCells` writes and `readQuote` reads. */
export const QUOTE_COLUMNS = columns(
  'quote_id direction api captured_at asset_chain asset_symbol asset_decimals fiat_currency',
  'terms_currency terms_min_purchase terms_max_purchase terms_min_units terms_price',
  'asset_address asset_chain_presumed shown_total shown_fee shown_method country',
  'asset_type rate_eur fiat_rate_eur',
);

export function quoteCells(quote: Quote): Cell[] {
  const terms = quote.assetTerms;
  return [
    quote.quoteId,
    quote.direction,
    quote.api,
    quote.capturedAt,
    quote.asset.chain,
    quote.asset.symbol,
    quote.asset.decimals,
    quote.fiatCurrency,
    terms?.currencyCode ?? null,
    decimalCell(terms?.minPurchaseAmount ?? null),
    decimalCell(terms?.maxPurchaseAmount ?? null),
    unitsCell(terms?.minPurchaseCryptoUnits ?? null),
    decimalCell(terms?.price ?? null),
    quote.asset.address ?? null,
    presumedCell(quote.asset),
    decimalCell(quote.shown?.total ?? null),
    decimalCell(quote.shown?.fee ?? null),
    quote.shown?.method ?? null,
    quote.country ?? null,
    quote.asset.type ?? null,
    decimalCell(quote.exchangeRateEur ?? null),
    decimalCell(quote.fiatRateEur ?? null),
  ];
}

function readTerms(row: Row, at: number): QuotedAssetTerms | null {
  const currencyCode = row[at] as string | null;
  if (currencyCode === null) return null;
  return {
    currencyCode,
    minPurchaseAmount: readDecimalOrNull(row[at + 1]),
    maxPurchaseAmount: readDecimalOrNull(row[at + 2]),
    minPurchaseCryptoUnits: readUnitsOrNull(row[at + 3]),
    price: readDecimalOrNull(row[at + 4]),
  };
}

export function readQuote(row: Row, at: number, methods: readonly QuotedMethod[]): Quote {
  return {
    quoteId: row[at] as string,
    direction: row[at + 1] as Quote['direction'],
    api: row[at + 2] as Quote['api'],
    capturedAt: row[at + 3] as number,
    asset: {
      chain: row[at + 4] as string,
      symbol: row[at + 5] as string,
      decimals: row[at + 6] as number,
      address: row[at + 13] as string | null,
      ...readPresumed(row[at + 14]),
      ...(row[at + 19] === null ? {} : { type: row[at + 19] as string }),
    },
    fiatCurrency: row[at + 7] as string,
    assetTerms: readTerms(row, at + 8),
    methods,
    ...readShownWith(row, at + 15),
    ...(row[at + 18] === null ? {} : { country: row[at + 18] as string }),
    ...(row[at + 20] === null ? {} : { exchangeRateEur: readDecimal(row[at + 20]) }),
    ...(row[at + 21] === null ? {} : { fiatRateEur: readDecimal(row[at + 21]) }),
  };
}

function readShownWith(row: Row, at: number): Pick<Quote, 'shown'> {
  const amounts = readShown(row, at);
  return amounts === null ? {} : { shown: { ...amounts, method: row[at + 2] as string | null } };
}

/** In the order in which `methodCells` writes and `readMethod` reads. */
export const METHOD_COLUMNS = columns(
  'method fiat_value crypto_units applied_fee base_fee network_fee network_fee_exact host_fee_cut',
  'exchange_rate',
);

export function methodCells(method: QuotedMethod): Cell[] {
  return [
    method.method,
    method.fiatValue.toString(),
    method.cryptoUnits.toString(),
    method.appliedFee.toString(),
    decimalCell(method.baseFee),
    decimalCell(method.networkFee),
    flagCell(method.networkFeeExact),
    decimalCell(method.hostFeeCut),
    decimalCell(method.exchangeRate),
  ];
}

export function readMethod(row: Row, at: number): QuotedMethod {
  return {
    method: row[at] as string,
    fiatValue: readDecimal(row[at + 1]),
    cryptoUnits: readUnits(row[at + 2]),
    appliedFee: readDecimal(row[at + 3]),
    baseFee: readDecimalOrNull(row[at + 4]),
    networkFee: readDecimalOrNull(row[at + 5]),
    networkFeeExact: row[at + 6] === 1,
    hostFeeCut: readDecimalOrNull(row[at + 7]),
    exchangeRate: readDecimalOrNull(row[at + 8]),
  };
}
