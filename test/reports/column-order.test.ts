import { expect, it } from 'vitest';
import { EVIDENCE_REPORTS, REPORTS } from '../../reports/index.ts';

/** As they were published. Spreadsheets read columns by their place: one that is added stands behind these, and is written down here later. */
const PUBLISHED: Readonly<Record<string, string>> = {
  records: `
    run_id business_date kind record_id host_reference created_at updated_at status verdict break_count asset_chain asset_symbol
    crypto_units crypto_amount fiat_currency fiat_value applied_fee base_fee network_fee fee_adjustment host_fee_cut exchange_rate
    payment_method final_tx_hash quote_id quote_basis quote_age_seconds fetched_at evidence_sha256 money_at_stake shown_total
    shown_fee contract_address business_month money_moved earned_month not_judged host_share host_share_source earned_at
    earned_at_source earned_at_bound price_window`,
  breaks: `
    run_id business_date break_id rule severity state kind record_id host_reference field expected actual difference currency
    tolerance first_seen_date last_seen_date age_days times_reopened assignee explanation evidence_sha256 unit money_at_stake
    leading_break_id due_date claim_id record_currency loss_bearer money_moved money_pending money_waived money_claimed`,
  fees: `
    run_id business_date kind record_id fiat_currency payment_method quote_id quote_basis quoted_fiat_value actual_fiat_value
    quoted_applied_fee actual_applied_fee applied_fee_variance quoted_base_fee actual_base_fee base_fee_variance quoted_network_fee
    actual_network_fee network_fee_variance quoted_adjustment actual_adjustment adjustment_variance quoted_exchange_rate
    actual_exchange_rate rate_variance_percent actual_fee_percent min_fee_percent max_fee_percent min_fee_amount tolerance
    within_tolerance tolerance_reason`,
  status_changes: `
    run_id business_date kind record_id from_status to_status from_seen_at to_seen_at learned_from legal`,
  coverage: `
    run_id business_date kind record_id outcome reason http_status error_code attempts last_verified_at delivery_outcome
    contract_version absent_fields`,
  totals: `
    run_id business_date kind fiat_currency payment_method status record_count matched_count pending_count break_count
    unverified_count quarantined_count fiat_value_total applied_fee_total base_fee_total network_fee_total host_fee_cut_total
    quoted_fiat_value_total quoted_applied_fee_total applied_fee_variance_total waived_count compared_count
    compared_applied_fee_total`,
  host_revenue: `
    business_month kind fiat_currency payment_method record_count fiat_value_total host_fee_cut_total records_without_host_fee_cut`,
  ageing: `
    rule severity currency open_count days_0_1 days_2_7 days_8_30 days_31_90 days_over_90 difference_total`,
  slippage: `
    run_id business_date kind record_id host_reference asset_symbol chain fiat_currency quote_id quote_captured_at created_at
    seconds_between quoted_rate actual_rate move_percent market_move_percent market_source unexplained_percent fee_effect
    price_effect amount_effect residual total_effect finding`,
  deliveries: `
    run_id business_date kind record_id host_reference chain tx_hash outcome reason receiver_address asset_symbol expected_units
    delivered_units difference_units block_number block_time witnesses evidence_sha256`,
  payouts: `
    run_id business_date payout_id source paid_at currency amount reference period matched_amount difference state evidence_sha256
    matched_currency withheld_amount rate type exchange_amount exchange_currency settles`,
  revenue_legs: `
    business_month currency accrued_total paid_total posted_total accrued_minus_paid paid_minus_posted carried_forward due_date
    finding clawback_total`,
  revenue_reconciliation: `
    business_month currency opening_balance earned_total paid_total clawback_total exchange_total closing_balance days_0_30
    days_31_60 days_61_90 days_over_90 posted_total paid_minus_posted owed_minus_paid materiality immaterial_total
    records_without_share estimated_total partner`,
  payout_lines: `
    business_month currency bucket record_id line_count ours theirs difference clear_by`,
};

it.each(
  [...REPORTS, ...Object.values(EVIDENCE_REPORTS)].map(({ definition }) => [definition.name, definition] as const),
)('the columns of %s stand where they always stood', (name, { columns }) => {
  const published = PUBLISHED[name]?.trim().split(/\s+/) ?? [];
  expect(published).not.toEqual([]);
  expect(columns.map((column) => column.name).slice(0, published.length)).toEqual(published);
});
