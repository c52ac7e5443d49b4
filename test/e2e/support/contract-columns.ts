/** The columns that finance spreadsheets depend on, written out: names and order do not change, additions go to the end. */

export const COLUMNS = {
  records:
    'run_id, business_date, kind, record_id, host_reference, created_at, updated_at, status, verdict, break_count, ' +
    'asset_chain, asset_symbol, crypto_units, crypto_amount, fiat_currency, fiat_value, applied_fee, base_fee, network_fee, ' +
    'fee_adjustment, host_fee_cut, exchange_rate, payment_method, final_tx_hash, quote_id, quote_basis, quote_age_seconds, ' +
    'fetched_at, evidence_sha256',
  breaks:
    'run_id, business_date, break_id, rule, severity, state, kind, record_id, host_reference, field, expected, ' +
    'actual, difference, currency, tolerance, first_seen_date, last_seen_date, age_days, times_reopened, assignee, explanation, ' +
    'evidence_sha256',
  fees:
    'run_id, business_date, kind, record_id, fiat_currency, payment_method, quote_id, quote_basis, quoted_fiat_value, ' +
    'actual_fiat_value, quoted_applied_fee, actual_applied_fee, applied_fee_variance, quoted_base_fee, actual_base_fee, ' +
    'base_fee_variance, quoted_network_fee, actual_network_fee, network_fee_variance, quoted_adjustment, actual_adjustment, ' +
    'adjustment_variance, quoted_exchange_rate, actual_exchange_rate, rate_variance_percent, actual_fee_percent, ' +
    'min_fee_percent, max_fee_percent, min_fee_amount, tolerance, within_tolerance',
  status_changes:
    'run_id, business_date, kind, record_id, from_status, to_status, from_seen_at, to_seen_at, learned_from, legal',
  coverage:
    'run_id, business_date, kind, record_id, outcome, reason, http_status, error_code, attempts, last_verified_at',
  totals:
    'run_id, business_date, kind, fiat_currency, payment_method, status, record_count, matched_count, pending_count, ' +
    'break_count, unverified_count, quarantined_count, fiat_value_total, applied_fee_total, base_fee_total, network_fee_total, ' +
    'host_fee_cut_total, quoted_fiat_value_total, quoted_applied_fee_total, applied_fee_variance_total',
  host_revenue:
    'business_month, kind, fiat_currency, payment_method, record_count, fiat_value_total, host_fee_cut_total, ' +
    'records_without_host_fee_cut',
  ageing:
    'rule, severity, currency, open_count, days_0_1, days_2_7, days_8_30, days_31_90, days_over_90, difference_total',
} as const;

export type ReportName = keyof typeof COLUMNS;
export const REPORT_NAMES = Object.keys(COLUMNS) as ReportName[];

export function columnsOf(report: ReportName): readonly string[] {
  return COLUMNS[report].split(', ');
}

/** Keys of `manifest.json` that the outside reads; the verdicts are the five counts, `rule_set` has its hash. */
export const MANIFEST_KEYS = [
  'schema_version',
  'run_id',
  'job',
  'business_date',
  'revision',
  'supersedes',
  'status',
  'selection',
  'timezone',
  'started_at',
  'finished_at',
  'population',
  'verdicts',
  'requests_sent',
  'rule_set',
  'configuration_sha256',
  'code_version',
  'files',
  'previous_manifest_sha256',
] as const;
