/**
 * Quote responses of both versions as one kind of quote. v1 answers for one payment method and gives its own rate and
 * network fee; v3 answers for every method, and both must be derived from what it does give.
 */
import type { Quote } from '../domain/quote.ts';
import type { Normalised } from './drift.ts';
import { normaliseQuoteV1 } from './normalise-quote-v1.ts';
import { normaliseQuoteV3 } from './normalise-quote-v3.ts';
import { failed, type QuoteInput } from './quote-input.ts';

/** Paths in drifts begin with `request` or `response`. */
export function normaliseQuote(input: QuoteInput): Normalised<Quote> {
  if (input.api === 'v3') return normaliseQuoteV3(input);
  if (input.direction === 'onramp') return normaliseQuoteV1(input);
  const expected = 'onramp, the only direction that v1 quotes have';
  return failed({ field: 'direction', problem: 'value', found: 'offramp', expected, hint: 'api_version may be v3' });
}
