/** v1 quotes (spec §2.10): one payment method, with its own rate and network fee. */

import { currentPaymentMethod } from '../domain/method-names.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import { type Normalised, readWire } from './drift.ts';
import { allOf, currencyDrift, failed, type QuoteInput, quoteOf, reading } from './quote-input.ts';
import { quoteRequestV1, quoteV1, type WireQuoteV1 } from './wire/quote-v1.ts';
import { decimalOf, decimalOrNull } from './wire-values.ts';

/** Reads a v1 quote; an on-ramp one, as v1 has no other. */
export function normaliseQuoteV1(input: QuoteInput): Normalised<Quote> {
  const request = readWire(quoteRequestV1, input.request, reading(input, 'request'));
  const response = readWire(quoteV1, input.response, reading(input, 'response'));
  if (!request.ok || !response.ok) return allOf(request, response);
  const wire = response.value;
  const wrongCurrency = currencyDrift(wire.fiatCurrency, request.value.fiatCurrency, 'response.fiatCurrency');
  if (wrongCurrency !== null) return failed(wrongCurrency);
  return { ok: true, value: quoteOf(input, wire.asset, wire.fiatCurrency, null, [methodV1(wire)]) };
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
