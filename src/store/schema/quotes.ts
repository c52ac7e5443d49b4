/** Tables of captured quotes and of reference data. */
import type { Quote, QuoteApi, QuotedAssetTerms, QuotedMethod } from '../../domain/quote.ts';
import type { Direction } from '../../domain/record.ts';
import type { AssetTerms } from '../../domain/reference.ts';
import { decimalCell, flagCell, type Row, readDecimalOrNull, readUnitsOrNull, unitsCell } from '../cells.ts';
import { ASSET, ASSET_CHAIN_PRESUMED, ASSET_TYPE, readAsset } from './asset.ts';
import {
  bytes,
  COMPARED,
  decimal,
  flag,
  id,
  integer,
  key,
  ROWS,
  risingKey,
  SUM,
  table,
  text,
  units,
} from './column.ts';
import { readShown, SHOWN } from './facts.ts';
import { cell, type PlacesOf, placedReaderOf, writerOf } from './places.ts';
import { TEXT } from './tracking.ts';

export type ReferenceType = 'assets' | 'methods' | 'currencies' | 'countries';

/** A quote without its methods. */
export const QUOTE = {
  quote_id: id,
  direction: id.as<Direction>(),
  api: text.as<QuoteApi>(),
  captured_at: integer,
  ...ASSET,
  /** 1 where the chain follows from a token standard alone. */
  asset_chain_presumed: ASSET_CHAIN_PRESUMED,
  fiat_currency: id,
  /** Null exactly where the quote brought no asset terms (v1). */
  terms_currency: text.orNull.from(({ assetTerms }: Quote) => assetTerms?.currencyCode ?? null),
  terms_min_purchase: text.orNull.from(({ assetTerms }: Quote) => decimalCell(assetTerms?.minPurchaseAmount ?? null)),
  terms_max_purchase: text.orNull.from(({ assetTerms }: Quote) => decimalCell(assetTerms?.maxPurchaseAmount ?? null)),
  terms_min_units: text.orNull.from(({ assetTerms }: Quote) => unitsCell(assetTerms?.minPurchaseCryptoUnits ?? null)),
  terms_price: text.orNull.from(({ assetTerms }: Quote) => decimalCell(assetTerms?.price ?? null)),
  ...SHOWN,
  shown_method: text.orNull.from(({ shown }: Quote) => shown?.method ?? null),
  country: text.orNull.ifAny,
  asset_type: ASSET_TYPE,
  /** Price of a token in EUR, and of the fiat currency (v1 alone). */
  rate_eur: decimal.orNull.ifAny.named('exchangeRateEur'),
  fiat_rate_eur: decimal.orNull.ifAny,
};

export const METHOD = {
  method: id,
  fiat_value: decimal,
  crypto_units: units,
  applied_fee: decimal,
  base_fee: decimal.orNull,
  network_fee: decimal.orNull,
  network_fee_exact: flag,
  host_fee_cut: decimal.orNull,
  exchange_rate: decimal.orNull,
};

/** What an asset of a list is. */
export const LISTED = {
  asset_chain: id.named('chain'),
  asset_symbol: id.named('symbol'),
  asset_decimals: integer.named('decimals'),
  asset_address: text.orNull.from(({ address }: AssetTerms) => address ?? null),
  asset_type: text.orNull.ifAny.named('type'),
};

/** What moves of it from capture to capture, in the order of `reference-figures.ts`. */
export const ASSET_FIGURES = {
  enabled: flag,
  hidden: integer.orNull.from(({ hidden }: AssetTerms) => flagCell(hidden === true)),
  min_purchase: decimal.orNull.named('minPurchaseAmount'),
  max_purchase: decimal.orNull.named('maxPurchaseAmount'),
  min_units: units.orNull.named('minPurchaseCryptoUnits'),
  network_fee: decimal.orNull,
  price: decimal.orNull,
  price_eur: text.orNull.from(({ priceEur }: AssetTerms) => decimalCell(priceEur ?? null)),
};

/** What moves of a list as a whole. */
export const GLOBAL_FIGURES = {
  global_min_purchase: decimal.orNull.named('minPurchaseAmount'),
  global_max_purchase: decimal.orNull.named('maxPurchaseAmount'),
  global_min_fee: decimal.orNull.named('minFeeAmount'),
  global_min_fee_percent: decimal.orNull.named('minFeePercent'),
  global_max_fee_percent: decimal.orNull.named('maxFeePercent'),
};

export const QUOTES = {
  quotes: table(
    {
      quote_key: risingKey,
      added_at: integer.unsealed('decides nothing after the run that used it'),
      ...QUOTE,
    },
    {
      seal: ROWS,
      unique: [['quote_id']],
      // Without the chain: a quote that names none may fit too.
      indexes: ['quotes_captured (direction, asset_symbol, fiat_currency, captured_at)'],
    },
  ),

  quote_methods: table(
    {
      quote_key: integer.references('quotes'),
      /** Order in the response. */
      position: integer.unsealed('the order of the methods decides nothing'),
      ...METHOD,
    },
    { seal: ROWS, key: ['quote_key', 'method'], clustered: true },
  ),

  quote_bodies: table(
    {
      quote_key: integer.references('quotes'),
      /** Hash of the whole capture: a repeated import has the same one, a conflicting import another. */
      content_sha256: id,
      /** JSON array of request and response, deflated together: a request alone is too short to gain anything. */
      exchange: bytes,
    },
    {
      seal: COMPARED,
      key: ['quote_key'],
    },
  ),

  reference_contents: table(
    {
      content_key: key,
      type: id.as<ReferenceType>(),
      /** Empty where the type has no direction or no currency: NULL would match nothing in a unique index. */
      direction: id.as<Direction | ''>(),
      currency: id,
      sha256: id,
      deflated: bytes.unsealed(TEXT),
      /** Currency of the global figures; null for all types but `assets`. */
      global_currency: text.orNull,
      ...GLOBAL_FIGURES,
      /** Of type `currencies`: JSON array of [code, on-ramp, off-ramp]; null in rows older than the column. */
      currencies: text.orNull,
    },
    { seal: SUM, unique: [['type', 'direction', 'currency', 'sha256']] },
  ),

  /** One capture of reference data: a pass over all lists; their contents are in `reference_contents`. */
  reference_captures: table(
    {
      capture_key: risingKey,
      /** `pass` with `entries`; in rows of earlier versions, the type of the one list that it is of. */
      type: id.as<ReferenceType | 'pass'>(),
      direction: id.as<Direction | ''>(),
      currency: id,
      captured_at: integer,
      content_key: integer.references('reference_contents'),
      /** JSON of the PassEntries; null in rows of earlier versions. */
      entries: text.orNull,
      /** The lists whose figures are not those of their contents, packed (`reference-figures.ts`); null where there are none. */
      figures: bytes.orNull,
    },
    {
      seal: SUM,
      indexes: ['reference_captures_time (type, direction, currency, captured_at, capture_key)'],
    },
  ),

  reference_assets: table(
    {
      content_key: integer.references('reference_contents'),
      ...LISTED,
      ...ASSET_FIGURES,
    },
    { seal: SUM, key: ['content_key', 'asset_chain', 'asset_symbol'], clustered: true },
  ),

  reference_methods: table(
    {
      content_key: integer.references('reference_contents'),
      name: id,
      /** JSON arrays of text. */
      currencies: text,
      countries: text,
    },
    { seal: SUM, key: ['content_key', 'name'], clustered: true },
  ),
};

export const quoteCells = writerOf(QUOTE);

type QuotePlaces = PlacesOf<typeof QUOTE>;

function readTerms(row: Row, at: QuotePlaces): QuotedAssetTerms | null {
  const currencyCode = cell(row, at.terms_currency);
  if (currencyCode === null) return null;
  return {
    currencyCode,
    minPurchaseAmount: readDecimalOrNull(cell(row, at.terms_min_purchase)),
    maxPurchaseAmount: readDecimalOrNull(cell(row, at.terms_max_purchase)),
    minPurchaseCryptoUnits: readUnitsOrNull(cell(row, at.terms_min_units)),
    price: readDecimalOrNull(cell(row, at.terms_price)),
  };
}

const readParts = placedReaderOf(QUOTE);

export function readQuote(row: Row, at: QuotePlaces, methods: readonly QuotedMethod[]): Quote {
  const [asset, assetTerms] = [readAsset(row, at), readTerms(row, at)];
  const quote: Quote = { ...readParts(row, at), asset, assetTerms, methods };
  const shown = readShown(cell(row, at.shown_total), cell(row, at.shown_fee));
  if (shown !== null) quote.shown = { ...shown, method: cell(row, at.shown_method) };
  return quote;
}

export const methodCells = writerOf(METHOD);
export const readMethod: (row: Row, at: PlacesOf<typeof METHOD>) => QuotedMethod = placedReaderOf(METHOD);
