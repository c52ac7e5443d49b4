/** v3 quotes (spec §2.7): every method at once, without a rate; the network fee is the asset's. */
import { Decimal } from '../domain/decimal.ts';
import { currentPaymentMethod } from '../domain/method-names.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { Direction } from '../domain/record.ts';
import type { Drift } from '../domain/snapshot.ts';
import { type Normalised, readWire } from './drift.ts';
import { isExactObject } from './exact-json.ts';
import { assetOf } from './normalise-purchase.ts';
import { allOf, currencyDrift, type QuoteInput, quoteOf, reading } from './quote-input.ts';
import { assetTerms, DERIVED_PLACES, type NetworkFee, networkFee } from './quoted-prices.ts';
import {
  offrampQuoteV3,
  onrampQuoteV3,
  paymentMethodQuote,
  payoutMethodQuote,
  quoteRequestV3,
  type WireMethodQuote,
} from './wire/quote-v3.ts';
import { decimalOf, decimalOrNull } from './wire-values.ts';

/** Reads a v3 quote of either direction. */
export function normaliseQuoteV3(input: QuoteInput): Normalised<Quote> {
  const schema = input.direction === 'onramp' ? onrampQuoteV3 : offrampQuoteV3;
  const request = readWire(quoteRequestV3, input.request, reading(input, 'request'));
  const response = readWire(schema, input.response, reading(input, 'response'));
  if (!request.ok || !response.ok) return allOf(request, response);

  const { asset } = response.value;
  const { fiatCurrency } = request.value;
  const identity = assetOf(asset);
  const fee = networkFee(asset, fiatCurrency);
  const methods: QuotedMethod[] = [];
  const drift: Drift[] = [];
  for (const [name, quoted] of Object.entries(response.value)) {
    if (!isMethodQuote(name, quoted)) continue;
    const method = readMethod(input, name, quoted);
    const wrongCurrency = method.ok
      ? currencyDrift(method.value.fiatCurrency, fiatCurrency, `response.${name}.fiatCurrency`)
      : null;
    if (!method.ok) drift.push(...method.drift);
    else if (wrongCurrency !== null) drift.push(wrongCurrency);
    else methods.push(methodV3(input.direction, name, method.value, identity.decimals, fee));
  }
  if (drift.length > 0) return { ok: false, drift };
  return { ok: true, value: quoteOf(input, asset, fiatCurrency, assetTerms(asset, fiatCurrency), methods) };
}

/** Methods that the specification does not name are methods all the same; other unknown fields are not. */
function isMethodQuote(name: string, value: unknown): boolean {
  return name !== 'asset' && isExactObject(value) && 'appliedFee' in value && 'cryptoAmount' in value;
}

function readMethod(input: QuoteInput, name: string, quoted: unknown): Normalised<WireMethodQuote> {
  const schema = input.direction === 'onramp' ? paymentMethodQuote : payoutMethodQuote;
  return readWire(schema, quoted, { identifierName: input.identifierName, prefix: `response.${name}` });
}

function methodV3(
  direction: Direction,
  name: string,
  wire: WireMethodQuote,
  decimals: number,
  fee: NetworkFee,
): QuotedMethod {
  const fiatValue = decimalOf(wire.fiatValue);
  const appliedFee = decimalOf(wire.appliedFee);
  const tokens = Decimal.of(BigInt(wire.cryptoAmount), decimals);
  // A user pays the crypto's value and the fee, and is paid the crypto's value without it.
  const cv = direction === 'onramp' ? fiatValue.minus(appliedFee) : fiatValue.plus(appliedFee);
  return {
    method: direction === 'onramp' ? currentPaymentMethod(name) : name,
    fiatValue,
    cryptoUnits: tokens.unscaled,
    appliedFee,
    baseFee: decimalOrNull(wire.baseServiceFee),
    networkFee: fee.amount,
    networkFeeExact: fee.exact,
    hostFeeCut: decimalOrNull(wire.hostFeeCut),
    exchangeRate: tokens.isZero ? null : cv.dividedBy(tokens, DERIVED_PLACES),
  };
}
