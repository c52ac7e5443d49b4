/** Tables of captured quotes and of reference data. */
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
import { bytes, id, integer, key, ROWS, risingKey, SUM, table, text } from './column.ts';
import { readShown } from './facts.ts';
import { TEXT } from './tracking.ts';

export type ReferenceType = 'assets' | 'methods' | 'currencies' | 'countries';

export const QUOTES = {
  quotes: table(
    {
      quote_key: risingKey,
      quote_id: id,
      direction: id.as<Direction>(),
      api: text.as<QuoteApi>(),
      captured_at: integer,
      added_at: integer.unsealed('decides nothing after the run that used it'),
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
      method: id,
      /** Order in the response. */
      position: integer.unsealed('the order of the methods decides nothing'),
      fiat_value: text,
      crypto_units: text,
      applied_fee: text,
      base_fee: text.orNull,
      network_fee: text.orNull,
      network_fee_exact: integer,
      host_fee_cut: text.orNull,
      exchange_rate: text.orNull,
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
      global_min_purchase: text.orNull,
      global_max_purchase: text.orNull,
      global_min_fee: text.orNull,
      global_min_fee_percent: text.orNull,
      global_max_fee_percent: text.orNull,
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
      asset_chain: id,
      asset_symbol: id,
      asset_decimals: integer,
      enabled: integer,
      min_purchase: text.orNull,
      max_purchase: text.orNull,
      min_units: text.orNull,
      network_fee: text.orNull,
      price: text.orNull,
      asset_address: text.orNull,
      asset_type: text.orNull,
      hidden: integer.orNull,
      price_eur: text.orNull,
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
