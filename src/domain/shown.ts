/** What the app showed its user before the payment. The promise of a record is what was shown, else its quote. Pure. */
import type { Case } from './case.ts';
import type { Decimal } from './decimal.ts';
import { promisingQuote } from './quote.ts';
import type { RecordState } from './snapshot.ts';

/** In the fiat currency of the record, or of the quote that it came with; null where the app told none. */
export interface ShownAmounts {
  /** What the user was told to pay in all (a sale: to receive). */
  total: Decimal | null;
  fee: Decimal | null;
}

/** Of one quote, for one method or for whichever the user took. */
export interface ShownWithQuote extends ShownAmounts {
  method: string | null;
}

/** Told with the record's id; else with its quote, where that one promised for the record's terms. */
export function shownOf({ tracked, quote }: Pick<Case, 'tracked' | 'quote'>, state: RecordState): ShownAmounts | null {
  if (tracked.shown !== null) return tracked.shown;
  const matched = promisingQuote(quote, state);
  const shown = matched?.quote.shown ?? null;
  if (matched === null || shown === null) return null;
  return shown.method === null || shown.method === matched.method?.method ? shown : null;
}
