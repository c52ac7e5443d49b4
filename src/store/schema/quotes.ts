/** Tables of captured quotes and of reference data. */
import type { Quote, QuoteApi, QuotedAssetTerms, QuotedMethod } from '../../domain/quote.ts';
import type { Direction } from '../../domain/record.ts';
import {
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
import { bytes, type CellsOf, id, integer, key, ROWS, risingKey, SUM, table, text } from './column.ts';
import { readShown } from './facts.ts';
import { cell, type PlacesOf } from './places.ts';
import { TEXT } from './tracking.ts';

export type ReferenceType = 'assets' | 'methods' | 'currencies' | 'countries';

/** A quote without its methods. */
export const QUOTE = {
  quote_id: id,
  direction: id.as<Direction>(),
  api: text.as<QuoteApi>(),
  captured_at: integer,
  asset_chain: id,
  asset_symbol: id,
  asset_decimals: integer,
  asset_address: text.orNull,
  /** 1 where the chain follows from a token standard alone. */
  asset_chain_presumed: integer.orNull,
  fiat_currency: id,
  /** Null exactly where the quote brought no asset terms (v1). */
  terms_currency: text.orNull,
  terms_min_purchase: text.orNull,
  terms_max_purchase: text.orNull,
  terms_min_units: text.orNull,
  terms_price: text.orNull,
  /** The amounts that the app showed for the quote; plain decimals. */
  shown_total: text.orNull,
  shown_fee: text.orNull,
  shown_method: text.orNull,
  country: text.orNull,
  asset_type: text.orNull,
  /** v1 alone: prices of a token and of the fiat currency in EUR. */
  rate_eur: text.orNull,
  fiat_rate_eur: text.orNull,
};

export const METHOD = {
  method: id,
  fiat_value: text,
  crypto_units: text,
  applied_fee: text,
  base_fee: text.orNull,
  network_fee: text.orNull,
  network_fee_exact: integer,
  host_fee_cut: text.orNull,
  exchange_rate: text.orNull,
};

/** What an asset of a list is. */
export const LISTED = {
  asset_chain: id,
  asset_symbol: id,
  asset_decimals: integer,
  asset_address: text.orNull,
  asset_type: text.orNull,
};

/** What moves of it from capture to capture, in the order of `reference-figures.ts`. */
export const ASSET_FIGURES = {
  enabled: integer,
  hidden: integer.orNull,
  min_purchase: text.orNull,
  max_purchase: text.orNull,
  min_units: text.orNull,
  network_fee: text.orNull,
  price: text.orNull,
  price_eur: text.orNull,
};

/** What moves of a list as a whole. */
export const GLOBAL_FIGURES = {
  global_min_purchase: text.orNull,
  global_max_purchase: text.orNull,
  global_min_fee: text.orNull,
  global_min_fee_percent: text.orNull,
  global_max_fee_percent: text.orNull,
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
      seal: 'evidence of the quote, by its hash; what is compared is in the sealed columns of quotes',
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

export function quoteCells(quote: Quote): CellsOf<typeof QUOTE> {
  const terms = quote.assetTerms;
  return {
    quote_id: quote.quoteId,
    direction: quote.direction,
    api: quote.api,
    captured_at: quote.capturedAt,
    asset_chain: quote.asset.chain,
    asset_symbol: quote.asset.symbol,
    asset_decimals: quote.asset.decimals,
    asset_address: quote.asset.address ?? null,
    asset_chain_presumed: presumedCell(quote.asset),
    fiat_currency: quote.fiatCurrency,
    terms_currency: terms?.currencyCode ?? null,
    terms_min_purchase: decimalCell(terms?.minPurchaseAmount ?? null),
    terms_max_purchase: decimalCell(terms?.maxPurchaseAmount ?? null),
    terms_min_units: unitsCell(terms?.minPurchaseCryptoUnits ?? null),
    terms_price: decimalCell(terms?.price ?? null),
    shown_total: decimalCell(quote.shown?.total ?? null),
    shown_fee: decimalCell(quote.shown?.fee ?? null),
    shown_method: quote.shown?.method ?? null,
    country: quote.country ?? null,
    asset_type: quote.asset.type ?? null,
    rate_eur: decimalCell(quote.exchangeRateEur ?? null),
    fiat_rate_eur: decimalCell(quote.fiatRateEur ?? null),
  };
}

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

export function readQuote(row: Row, at: QuotePlaces, methods: readonly QuotedMethod[]): Quote {
  const shown = readShown(cell(row, at.shown_total), cell(row, at.shown_fee));
  const [type, country] = [cell(row, at.asset_type), cell(row, at.country)];
  const [rateEur, fiatRateEur] = [cell(row, at.rate_eur), cell(row, at.fiat_rate_eur)];
  return {
    quoteId: cell(row, at.quote_id),
    direction: cell(row, at.direction),
    api: cell(row, at.api),
    capturedAt: cell(row, at.captured_at),
    asset: {
      chain: cell(row, at.asset_chain),
      symbol: cell(row, at.asset_symbol),
      decimals: cell(row, at.asset_decimals),
      address: cell(row, at.asset_address),
      ...readPresumed(cell(row, at.asset_chain_presumed)),
      ...(type === null ? {} : { type }),
    },
    fiatCurrency: cell(row, at.fiat_currency),
    assetTerms: readTerms(row, at),
    methods,
    ...(shown === null ? {} : { shown: { ...shown, method: cell(row, at.shown_method) } }),
    ...(country === null ? {} : { country }),
    ...(rateEur === null ? {} : { exchangeRateEur: readDecimal(rateEur) }),
    ...(fiatRateEur === null ? {} : { fiatRateEur: readDecimal(fiatRateEur) }),
  };
}

export function methodCells(method: QuotedMethod): CellsOf<typeof METHOD> {
  return {
    method: method.method,
    fiat_value: method.fiatValue.toString(),
    crypto_units: method.cryptoUnits.toString(),
    applied_fee: method.appliedFee.toString(),
    base_fee: decimalCell(method.baseFee),
    network_fee: decimalCell(method.networkFee),
    network_fee_exact: flagCell(method.networkFeeExact),
    host_fee_cut: decimalCell(method.hostFeeCut),
    exchange_rate: decimalCell(method.exchangeRate),
  };
}

export function readMethod(row: Row, at: PlacesOf<typeof METHOD>): QuotedMethod {
  return {
    method: cell(row, at.method),
    fiatValue: readDecimal(cell(row, at.fiat_value)),
    cryptoUnits: readUnits(cell(row, at.crypto_units)),
    appliedFee: readDecimal(cell(row, at.applied_fee)),
    baseFee: readDecimalOrNull(cell(row, at.base_fee)),
    networkFee: readDecimalOrNull(cell(row, at.network_fee)),
    networkFeeExact: cell(row, at.network_fee_exact) === 1,
    hostFeeCut: readDecimalOrNull(cell(row, at.host_fee_cut)),
    exchangeRate: readDecimalOrNull(cell(row, at.exchange_rate)),
  };
}
