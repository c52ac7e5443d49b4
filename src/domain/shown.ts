/**
 * The amounts that the app showed before the payment. The promise of a record is the shown amounts, else its quote.
 * Pure.
 */
import type { Case } from './case.ts';
import { promisingQuote, type ShownAmounts } from './quote.ts';
import type { RecordState } from './snapshot.ts';

/** Imported with the record's id; else with its quote, where that quote has the record's terms. */
export function shownOf({ tracked, quote }: Pick<Case, 'tracked' | 'quote'>, state: RecordState): ShownAmounts | null {
  if (tracked.shown !== null) return tracked.shown;
  const matched = promisingQuote(quote, state);
  const shown = matched?.quote.shown ?? null;
  if (matched === null || shown === null) return null;
  return shown.method === null || shown.method === matched.method?.method ? shown : null;
}
