/** What both versions of quotes are read from, and what they have in common. */
import type { Quote, QuoteApi, QuotedAssetTerms, QuotedMethod } from '../domain/quote.ts';
import type { Direction, Instant } from '../domain/record.ts';
import type { Drift } from '../domain/snapshot.ts';
import type { Normalised, WireReading } from './drift.ts';
import { assetOf } from './normalise-purchase.ts';
import type { WirePurchase } from './wire/purchase.ts';

export interface QuoteInput {
  quoteId: string;
  direction: Direction;
  api: QuoteApi;
  capturedAt: Instant;
  /** Bodies as read by exact-json.ts, in the deployment's own names. */
  request: unknown;
  response: unknown;
  identifierName: string;
}

export function quoteOf(
  input: QuoteInput,
  asset: WirePurchase['asset'],
  fiatCurrency: string,
  terms: QuotedAssetTerms | null,
  methods: readonly QuotedMethod[],
): Quote {
  const { quoteId, direction, api, capturedAt } = input;
  const { chain, symbol, decimals } = assetOf(asset);
  return {
    quoteId,
    direction,
    api,
    capturedAt,
    asset: { chain, symbol, decimals },
    fiatCurrency,
    assetTerms: terms,
    methods,
  };
}

/** `prefix` is `request` or `response`. */
export const reading = (input: QuoteInput, prefix: string): WireReading => ({
  identifierName: input.identifierName,
  prefix,
});

/** A quote that answers in another currency than it was asked in promises nothing that can be compared. */
export function currencyDrift(found: string, asked: string, field: string): Drift | null {
  if (found === asked) return null;
  return { field, problem: 'value', found, expected: `${asked}, as the request asked`, hint: null };
}

export function failed(...drift: Drift[]): { ok: false; drift: readonly Drift[] } {
  return { ok: false, drift };
}

/** Everything that is wrong with the request and with the response. */
export function allOf(...readings: readonly Normalised<unknown>[]): { ok: false; drift: readonly Drift[] } {
  return { ok: false, drift: readings.flatMap((each) => (each.ok ? [] : each.drift)) };
}
