/** Quotes and their methods as columns. */
import type { Quote, QuotedAssetTerms, QuotedMethod } from '../domain/quote.ts';
import {
  decimalCell,
  flagCell,
  readDecimal,
  readDecimalOrNull,
  readUnits,
  readUnitsOrNull,
  unitsCell,
} from './cells.ts';
import type { Cell, Row } from './engine.ts';

/** In the order in which `quoteCells` writes and `readQuote` reads. */
export const QUOTE_COLUMNS = [
  'quote_id',
  'direction',
  'api',
  'captured_at',
  'asset_chain',
  'asset_symbol',
  'asset_decimals',
  'fiat_currency',
  'terms_currency',
  'terms_min_purchase',
  'terms_max_purchase',
  'terms_min_units',
  'terms_price',
] as const;

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
    asset: { chain: row[at + 4] as string, symbol: row[at + 5] as string, decimals: row[at + 6] as number },
    fiatCurrency: row[at + 7] as string,
    assetTerms: readTerms(row, at + 8),
    methods,
  };
}

/** In the order in which `methodCells` writes and `readMethod` reads. */
export const METHOD_COLUMNS = [
  'method',
  'fiat_value',
  'crypto_units',
  'applied_fee',
  'base_fee',
  'network_fee',
  'network_fee_exact',
  'host_fee_cut',
  'exchange_rate',
] as const;

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
