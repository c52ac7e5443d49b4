/**
 * Every break code of the contract with its severity, written out: finance filters by these codes, and dashboards count by
 * these severities. What finds breaks and what injects them are held to the same list. A rule beyond the contract need not
 * be in it.
 */

/** Every record is checked against these. */
export const CONTRACT = [
  ['RECORD_MISSING', 'critical'],
  ['ACCESS_DENIED', 'high'],
  ['RECORD_ID_MISMATCH', 'critical'],
  ['TRACKING_CONFLICT', 'high'],
  ['SCHEMA_DRIFT', 'high'],
  ['DATE_IMPLAUSIBLE', 'high'],
  ['STATUS_UNKNOWN', 'medium'],
  ['STATUS_REGRESSED', 'high'],
  ['STATUS_STUCK', 'medium'],
  ['STATUS_CONFLICT', 'high'],
  ['RELEASED_WITHOUT_TX', 'high'],
  ['RESTATED', 'high'],
  ['FIELD_CHANGED', 'high'],
  ['QUOTE_MISSING', 'low'],
  ['QUOTE_TERMS_DIFFER', 'medium'],
  ['AMOUNT_DIFFERS', 'medium'],
  ['SLIPPAGE', 'medium'],
  ['FEE_APPLIED_DIFFERS', 'high'],
  ['FEE_BASE_DIFFERS', 'medium'],
  ['FEE_NETWORK_DIFFERS', 'medium'],
  ['FEE_OUT_OF_BOUNDS', 'high'],
  ['AMOUNT_OUT_OF_LIMITS', 'medium'],
  ['METHOD_UNSUPPORTED', 'medium'],
  ['TOTAL_NOT_FOOTING', 'high'],
  ['RATE_OUT_OF_LINE', 'medium'],
] as const;

/** Only where there is a chain, an amount that the app showed, a price list, or a statement of payments. */
export const FURTHER_PROOF = [
  ['DELIVERY_NOT_FOUND', 'critical'],
  ['DELIVERY_REVERTED', 'critical'],
  ['DELIVERY_TO_OTHER_ADDRESS', 'critical'],
  ['DELIVERY_OF_OTHER_ASSET', 'high'],
  ['DELIVERY_AMOUNT_DIFFERS', 'high'],
  ['DELIVERY_LATE', 'medium'],
  ['DELIVERY_NOT_FINAL', 'medium'],
  ['DELIVERY_REUSED', 'critical'],
  ['SHOWN_DIFFERS_FROM_QUOTE', 'medium'],
  ['CHARGED_DIFFERS_FROM_SHOWN', 'high'],
  ['FEE_DIFFERS_FROM_CONTRACT', 'high'],
  ['PAYOUT_MISSING', 'high'],
  ['PAYOUT_DIFFERS', 'high'],
  ['PAYOUT_UNEXPLAINED', 'medium'],
] as const;

export const BREAK_CODES: readonly string[] = CONTRACT.map(([code]) => code).sort();
