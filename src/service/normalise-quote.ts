/**
 * Quote responses of both versions as one kind of quote. v1 answers for one payment method and gives its own rate and
 * network fee; v3 answers for every method, and both are derived from its other fields.
 */

import type { z } from 'zod';
import type { Asset, RenamedAsset } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { currentPaymentMethod } from '../domain/method-names.ts';
import type { Quote, QuotedAssetTerms, QuotedMethod } from '../domain/quote.ts';
import type { Direction } from '../domain/record.ts';
import type { Drift } from '../domain/snapshot.ts';
import { type Normalised, readWire, type WireReading } from './drift.ts';
import { isExactObject } from './exact-json.ts';
import { assetOf } from './normalise-record.ts';
import { type Answered, type AskedFor, contradictionsIn } from './quote-contradictions.ts';
import type { WireAssetInfoV3 } from './wire/assets.ts';
import {
  offrampQuoteV3,
  onrampQuoteV3,
  paymentMethodQuote,
  payoutMethodQuote,
  quoteRequestV1,
  quoteRequestV3,
  quoteV1,
  type WireMethodQuote,
  type WireQuoteV1,
} from './wire/quotes.ts';
import { decimalOf, decimalOrNull, limitOrNull, priceIn, unitsLimitOrNull } from './wire-values.ts';

/** Digits of derived rates and converted fees: more than any token has. */
const DERIVED_PLACES = 18;

export interface QuoteInput extends Pick<Quote, 'quoteId' | 'direction' | 'api' | 'capturedAt'> {
  /** Bodies as read by exact-json.ts, in the deployment's own names. */
  request: unknown;
  response: unknown;
  identifierName: string;
  renamedAssets?: readonly RenamedAsset[] | undefined;
  /** An answer for another amount than requested will do. */
  ofAnyAmount?: boolean;
}

/** Paths in drifts begin with `request` or `response`. */
export function normaliseQuote(input: QuoteInput): Normalised<Quote> {
  if (input.api === 'v3') return normaliseQuoteV3(input);
  if (input.direction === 'onramp') return normaliseQuoteV1(input);
  const expected = 'onramp, the only direction that v1 quotes have';
  return failed({ field: 'direction', problem: 'value', found: 'offramp', expected, hint: 'api_version may be v3' });
}

/** v1 (spec §2.10): one payment method, with its own rate and network fee; on-ramp only. */
function normaliseQuoteV1(input: QuoteInput): Normalised<Quote> {
  const request = readWire(quoteRequestV1, input.request, reading(input, 'request'));
  const response = readWire(quoteV1, input.response, reading(input, 'response'));
  if (!request.ok || !response.ok) return allOf(request, response);
  const wire = response.value;
  const wrongCurrency = currencyDrift(wire.fiatCurrency, request.value.fiatCurrency, 'response.fiatCurrency');
  if (wrongCurrency !== null) return failed(wrongCurrency);
  const identity = assetOf(wire.asset, wire.cryptoAssetSymbol, request.value.cryptoAssetSymbol);
  const method = methodV1(wire);
  const [rateEur, fiatRateEur] = [decimalOrNull(wire.assetExchangeRateEur), decimalOrNull(wire.fiatExchangeRateEur)];
  const quote: Quote = {
    ...quoteOf(input, identity, wire.fiatCurrency, null, [method]),
    ...(rateEur === null ? {} : { exchangeRateEur: rateEur }),
    ...(fiatRateEur === null ? {} : { fiatRateEur }),
  };
  const answers = [{ path: 'response', name: method.method, method }];
  const { paymentMethodType: named } = request.value;
  const asked = { ...askedFor(request.value, input), method: named ? currentPaymentMethod(named) : null };
  const drift = contradictionsIn(quote, asked, answers, wire.cryptoAssetSymbol ?? null, input.renamedAssets);
  return drift.length > 0 ? { ok: false, drift } : { ok: true, value: quote };
}

function methodV1(wire: WireQuoteV1): QuotedMethod {
  return {
    method: currentPaymentMethod(wire.paymentMethodType),
    fiatValue: decimalOf(wire.fiatValue),
    cryptoUnits: BigInt(wire.cryptoAmount),
    appliedFee: decimalOf(wire.appliedFee),
    baseFee: decimalOf(wire.baseServiceFee),
    networkFee: decimalOf(wire.networkFee),
    networkFeeExact: true,
    hostFeeCut: decimalOrNull(wire.hostFeeCut),
    exchangeRate: decimalOf(wire.assetExchangeRate),
  };
}

/** v3 (spec §2.7): every method at once, without a rate; the network fee is the asset's. */
function normaliseQuoteV3(input: QuoteInput): Normalised<Quote> {
  const schema = input.direction === 'onramp' ? onrampQuoteV3 : offrampQuoteV3;
  const request = readWire(quoteRequestV3, input.request, reading(input, 'request'));
  const response = readWire(schema, input.response, reading(input, 'response'));
  if (!request.ok || !response.ok) return allOf(request, response);

  const { asset } = response.value;
  const { fiatCurrency } = request.value;
  const identity = assetOf(asset, request.value.cryptoAssetSymbol);
  const answers: Answered[] = [];
  const drift: Drift[] = [];
  for (const [name, quoted] of Object.entries(response.value)) {
    if (!isMethodQuote(name, quoted)) continue;
    const method = readMethod(input, name);
    const wrongCurrency = method.ok
      ? currencyDrift(method.value.fiatCurrency, fiatCurrency, `response.${name}.fiatCurrency`)
      : null;
    if (!method.ok) drift.push(...method.drift);
    else if (wrongCurrency !== null) drift.push(wrongCurrency);
    else {
      const quoted = methodV3(input.direction, name, method.value, identity.decimals, asset);
      answers.push({ path: `response.${name}`, name, method: quoted });
    }
  }
  const methods = answers.map(({ method }) => method);
  const priceEur = priceOf(asset, 'EUR');
  const quote: Quote = {
    ...quoteOf(input, identity, fiatCurrency, assetTerms(asset, fiatCurrency), methods),
    ...(priceEur === null ? {} : { exchangeRateEur: priceEur }),
  };
  if (drift.length === 0) {
    const asked = { ...askedFor(request.value, input), method: null };
    drift.push(...contradictionsIn(quote, asked, answers, null, input.renamedAssets));
  }
  return drift.length > 0 ? { ok: false, drift } : { ok: true, value: quote };
}

/** Methods that the specification does not name are accepted; other unknown fields are not methods. */
function isMethodQuote(name: string, value: unknown): boolean {
  return name !== 'asset' && isExactObject(value) && 'appliedFee' in value && 'cryptoAmount' in value;
}

/** Reads it as received: the response that was read already has the specification's names, which count once only. */
function readMethod(input: QuoteInput, name: string): Normalised<WireMethodQuote> {
  const schema = input.direction === 'onramp' ? paymentMethodQuote : payoutMethodQuote;
  const quoted = isExactObject(input.response) ? input.response[name] : undefined;
  return readWire(schema, quoted, { identifierName: input.identifierName, prefix: `response.${name}` });
}

function methodV3(
  direction: Direction,
  name: string,
  wire: WireMethodQuote,
  decimals: number,
  asset: WireAssetInfoV3,
): QuotedMethod {
  const fiatValue = decimalOf(wire.fiatValue);
  const appliedFee = decimalOf(wire.appliedFee);
  const tokens = Decimal.of(BigInt(wire.cryptoAmount), decimals);
  // A buyer pays the crypto's value plus the fee; a seller receives the crypto's value minus the fee.
  const cv = direction === 'onramp' ? fiatValue.minus(appliedFee) : fiatValue.plus(appliedFee);
  // A quote without tokens is refused.
  const exchangeRate = tokens.isZero ? null : cv.dividedBy(tokens, DERIVED_PLACES);
  const fee = networkFee(asset, wire.fiatCurrency, exchangeRate);
  return {
    method: direction === 'onramp' ? currentPaymentMethod(name) : name,
    fiatValue,
    cryptoUnits: tokens.unscaled,
    appliedFee,
    baseFee: decimalOrNull(wire.baseServiceFee),
    networkFee: fee.amount,
    networkFeeExact: fee.exact,
    hostFeeCut: decimalOrNull(wire.hostFeeCut),
    exchangeRate,
  };
}

function quoteOf(
  input: QuoteInput,
  asset: Asset,
  fiatCurrency: string,
  terms: QuotedAssetTerms | null,
  methods: readonly QuotedMethod[],
): Quote {
  const { quoteId, direction, api, capturedAt } = input;
  const country = countryIn(input.request);
  return {
    quoteId,
    direction,
    api,
    capturedAt,
    asset,
    fiatCurrency,
    assetTerms: terms,
    methods,
    ...(country === null ? {} : { country }),
  };
}

type WireRequest = Pick<z.infer<typeof quoteRequestV3>, 'cryptoAssetSymbol' | 'fiatValue' | 'cryptoAmount'>;

function askedFor(wire: WireRequest, { request, ofAnyAmount = false }: QuoteInput): Omit<AskedFor, 'method'> {
  const country = isExactObject(request) ? request.userCountryCode : null;
  return {
    cryptoAssetSymbol: wire.cryptoAssetSymbol,
    fiatValue: ofAnyAmount ? null : decimalOrNull(wire.fiatValue),
    cryptoUnits: ofAnyAmount ? null : unitsLimitOrNull(wire.cryptoAmount),
    country: typeof country === 'string' && country !== '' ? country : null,
  };
}

/** As the request names it (spec §2.6); the price of a quote may depend on it. */
function countryIn(request: unknown): string | null {
  if (!isExactObject(request)) return null;
  const { userCountryCode: code } = request as { userCountryCode?: unknown };
  return typeof code === 'string' && /^[A-Za-z]{2}$/.test(code) ? code.toLowerCase() : null;
}

/** `prefix` is `request` or `response`. */
const reading = (input: QuoteInput, prefix: string): WireReading => ({
  identifierName: input.identifierName,
  prefix,
});

/** An answer in another currency than the request's cannot be compared with anything. */
function currencyDrift(found: string, asked: string, field: string): Drift | null {
  if (found === asked) return null;
  return { field, problem: 'value', found, expected: `${asked}, as the request asked`, hint: null };
}

function failed(...drift: Drift[]): { ok: false; drift: readonly Drift[] } {
  return { ok: false, drift };
}

/** Every problem of the request and of the response. */
function allOf(...readings: readonly Normalised<unknown>[]): { ok: false; drift: readonly Drift[] } {
  return { ok: false, drift: readings.flatMap((each) => (each.ok ? [] : each.drift)) };
}

interface NetworkFee {
  amount: Decimal | null;
  exact: boolean;
}

/** The asset's network fee is in the asset's currency; its own price list brings it into the quote's, or the price that was quoted. */
function networkFee(asset: WireAssetInfoV3, fiatCurrency: string, quoted: Decimal | null): NetworkFee {
  const fee = decimalOrNull(asset.networkFee);
  const from = asset.currencyCode ?? null;
  if (fee === null || from === null) return { amount: null, exact: true };
  if (from === fiatCurrency) return { amount: fee, exact: true };
  const priceFrom = priceOf(asset, from);
  const priceTo = priceOf(asset, fiatCurrency) ?? quoted;
  if (priceFrom === null || priceTo === null) return { amount: null, exact: true };
  return { amount: fee.times(priceTo).dividedBy(priceFrom, DERIVED_PLACES), exact: false };
}

/** Null without a price, or where it is zero. */
function priceOf(asset: WireAssetInfoV3, currency: string): Decimal | null {
  const price = priceIn(asset.price, currency);
  return price?.isZero ? null : price;
}

/** Null where the response lacks a limit (a missing one is not "no limit"), or does not say in which currency they are. */
function assetTerms(asset: WireAssetInfoV3, fiatCurrency: string): QuotedAssetTerms | null {
  const { currencyCode, minPurchaseAmount, maxPurchaseAmount, minPurchaseCryptoAmount } = asset;
  const limits = [minPurchaseAmount, maxPurchaseAmount, minPurchaseCryptoAmount];
  if (!currencyCode || limits.some((limit) => (limit ?? null) === null)) return null;
  return {
    currencyCode,
    minPurchaseAmount: limitOrNull(minPurchaseAmount),
    maxPurchaseAmount: limitOrNull(maxPurchaseAmount),
    minPurchaseCryptoUnits: unitsLimitOrNull(minPurchaseCryptoAmount),
    price: priceOf(asset, fiatCurrency),
  };
}
