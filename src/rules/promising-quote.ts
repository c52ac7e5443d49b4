/** Which quote's own figures (amounts, asset limits, price) may be held against a record. */
import { sameAsset } from '../domain/asset.ts';
import type { MatchedQuote } from '../domain/quote.ts';
import type { RecordState } from '../domain/snapshot.ts';

/**
 * The linked or captured quote for the record's own asset and fiat currency, or null. A fresh (`requoted`) one promised
 * the user nothing; one for another asset or currency is the business of QUOTE_TERMS_DIFFER, and its numbers measure
 * something else.
 */
export function promisingQuote(matched: MatchedQuote | null, state: RecordState): MatchedQuote | null {
  if (matched === null || matched.basis === 'requoted') return null;
  const { quote } = matched;
  return quote.fiatCurrency === state.fiatCurrency && sameAsset(quote.asset, state.asset) ? matched : null;
}
