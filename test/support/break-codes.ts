/**
 * Every break code of the contract with its severity, written out: finance filters by these codes, and dashboards count by
 * these severities. What finds breaks and what injects them are held to the same list. A rule beyond the contract need not
 * be in it.
 */
export const CONTRACT = [
  ['RECORD_MISSING', 'critical'],
  ['ACCESS_DENIED', 'high'],
  ['RECORD_ID_MISMATCH', 'critical'],
  ['TRACKING_CONFLICT', 'high'],
  ['SCHEMA_DRIFT', 'high'],
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
  ['FEE_APPLIED_DIFFERS', 'high'],
  ['FEE_BASE_DIFFERS', 'medium'],
  ['FEE_NETWORK_DIFFERS', 'medium'],
  ['FEE_OUT_OF_BOUNDS', 'high'],
  ['AMOUNT_OUT_OF_LIMITS', 'medium'],
  ['METHOD_UNSUPPORTED', 'medium'],
  ['TOTAL_NOT_FOOTING', 'high'],
  ['RATE_OUT_OF_LINE', 'medium'],
] as const;

export const BREAK_CODES: readonly string[] = CONTRACT.map(([code]) => code).sort();
