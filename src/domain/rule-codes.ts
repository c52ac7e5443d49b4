/**
 * Break codes that code outside `src/rules/` asks about by name. SQL and tests of the store take them from here; every
 * other place that needs codes takes them from the list of rules.
 */

/** Breaks that say: the Service answered for the record, though nothing could be verified. */
export const ANSWERED_UNREAD = ['RECORD_MISSING', 'ACCESS_DENIED', 'RECORD_ID_MISMATCH', 'SCHEMA_DRIFT'] as const;

/** Breaks that say: the stored token does not open this record. Only the first refusal of a record counts for a stop rule. */
export const REFUSED_BEFORE = ['ACCESS_DENIED', 'RECORD_ID_MISMATCH'] as const;

/** The rule on amounts against the quote. Its tolerance also decides whether a quote is for a record's amount. */
export const AMOUNT_RULE = 'AMOUNT_DIFFERS';

/** The rule on a record's own sum, which needs no quote. */
export const TOTAL_RULE = 'TOTAL_NOT_FOOTING';

/** The rules on the parts of a fee. A part is compared within the tolerance of its own rule. */
export const FEE_RULES = {
  applied: 'FEE_APPLIED_DIFFERS',
  base: 'FEE_BASE_DIFFERS',
  network: 'FEE_NETWORK_DIFFERS',
} as const;

/** What these find is a difference from one quote: where another one turns out to be the record's, it was none. */
export const AGAINST_QUOTE: ReadonlySet<string> = new Set([
  AMOUNT_RULE,
  ...Object.values(FEE_RULES),
  'QUOTE_TERMS_DIFFER',
  'SHOWN_DIFFERS_FROM_QUOTE',
  'SLIPPAGE',
]);
