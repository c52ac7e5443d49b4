import { type FeeComparison, feeBounds } from '../src/domain/fees.ts';
import type { RecordState } from '../src/domain/snapshot.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';
import { toleranceReason } from './tolerance-reason.ts';

/** A verified record with its fee arithmetic. */
interface FeeRow extends SettledRecord {
  state: RecordState;
  fees: FeeComparison;
  bounds: ReturnType<typeof feeBounds>;
}

const columns: readonly Column<FeeRow>[] = [
  { name: 'run_id', type: 'id', description: 'the run that compared', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: "the Service's id", value: ({ recordId }) => recordId },
  {
    name: 'fiat_currency',
    type: 'text',
    description: 'currency of every amount in the row',
    unit: 'ISO code',
    value: ({ state }) => state.fiatCurrency,
  },
  {
    name: 'payment_method',
    type: 'text',
    description: 'how the user pays or is paid',
    empty: 'the record names none',
    value: ({ state }) => state.paymentMethod,
  },
  {
    name: 'quote_id',
    type: 'id',
    description: 'the quote compared with',
    empty: 'there is none',
    value: ({ quote }) => quote?.quote.quoteId ?? null,
  },
  {
    name: 'quote_basis',
    type: 'text',
    description: '`linked`, `captured`, `requoted` or `none`',
    value: ({ quote }) => quote?.basis ?? 'none',
  },
  {
    name: 'quoted_fiat_value',
    type: 'amount',
    description: 'total as quoted',
    empty: 'nothing to compare with',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.fiatValue ?? null,
  },
  {
    name: 'actual_fiat_value',
    type: 'amount',
    description: 'total as recorded',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.fiatValue,
  },
  {
    name: 'quoted_applied_fee',
    type: 'amount',
    description: 'fee as quoted',
    empty: 'nothing to compare with',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.applied ?? null,
  },
  {
    name: 'actual_applied_fee',
    type: 'amount',
    description: 'fee as recorded',
    empty: 'a sale that states none',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.applied,
  },
  {
    name: 'applied_fee_variance',
    type: 'amount',
    description: 'actual − quoted',
    sign: 'plus: the user paid more',
    empty: 'one side is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_applied_fee', without: ['quoted_applied_fee'] },
    value: ({ fees }) => fees.variance?.applied ?? null,
  },
  {
    name: 'quoted_base_fee',
    type: 'amount',
    description: 'base fee as quoted',
    empty: 'the quote has none',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.base ?? null,
  },
  {
    name: 'actual_base_fee',
    type: 'amount',
    description: 'base fee as recorded',
    empty: 'the record has none',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.base,
  },
  {
    name: 'base_fee_variance',
    type: 'amount',
    description: 'actual − quoted',
    sign: 'plus: more',
    empty: 'one side is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_base_fee', without: ['quoted_base_fee'] },
    value: ({ fees }) => fees.variance?.base ?? null,
  },
  {
    name: 'quoted_network_fee',
    type: 'amount',
    description: 'network fee as quoted',
    empty: 'the quote has none',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.network ?? null,
  },
  {
    name: 'actual_network_fee',
    type: 'amount',
    description: 'network fee as recorded',
    empty: 'the record has none',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.network,
  },
  {
    name: 'network_fee_variance',
    type: 'amount',
    description: 'actual − quoted',
    sign: 'plus: more',
    empty: 'one side is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_network_fee', without: ['quoted_network_fee'] },
    value: ({ fees }) => fees.variance?.network ?? null,
  },
  {
    name: 'quoted_adjustment',
    type: 'amount',
    description: 'applied − base − network, as quoted',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'quoted_applied_fee', without: ['quoted_base_fee', 'quoted_network_fee'] },
    value: ({ fees }) => fees.quoted?.adjustment ?? null,
  },
  {
    name: 'actual_adjustment',
    type: 'amount',
    description: 'applied − base − network, as recorded',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_applied_fee', without: ['actual_base_fee', 'actual_network_fee'] },
    value: ({ fees }) => fees.actual.adjustment,
  },
  {
    name: 'adjustment_variance',
    type: 'amount',
    description: 'the applied fee variance minus the base and the network variance',
    sign: 'plus: less discount than quoted',
    empty: 'the applied fee variance is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'applied_fee_variance', without: ['base_fee_variance', 'network_fee_variance'] },
    value: ({ fees }) => fees.variance?.adjustment ?? null,
  },
  {
    name: 'quoted_exchange_rate',
    type: 'percent',
    description: 'price of one whole token, as quoted',
    unit: "row's currency",
    empty: 'the quote has none',
    value: ({ fees }) => fees.quoted?.exchangeRate ?? null,
  },
  {
    name: 'actual_exchange_rate',
    type: 'percent',
    description: 'price of one whole token, as recorded',
    unit: "row's currency",
    empty: 'the record has none',
    value: ({ fees }) => fees.actual.exchangeRate,
  },
  {
    name: 'rate_variance_percent',
    type: 'percent',
    description: 'how far the rate is from the quoted one',
    sign: 'plus: the crypto is dearer',
    empty: 'one side is not known',
    value: ({ fees }) => fees.variance?.ratePercent ?? null,
  },
  {
    name: 'actual_fee_percent',
    type: 'percent',
    description: "(applied − network) in percent of the crypto's value",
    empty: 'fee or value is not known',
    value: ({ fees }) => fees.feePercent,
  },
  {
    name: 'min_fee_percent',
    type: 'percent',
    description: 'published lower bound when the record was created',
    empty: 'not captured, or another currency',
    value: ({ bounds }) => bounds?.min ?? null,
  },
  {
    name: 'max_fee_percent',
    type: 'percent',
    description: 'published upper bound when the record was created',
    empty: 'not captured, or another currency',
    value: ({ bounds }) => bounds?.max ?? null,
  },
  {
    name: 'min_fee_amount',
    type: 'percent',
    description: 'published minimum fee',
    unit: "row's currency",
    empty: 'not captured, or another currency',
    value: ({ bounds }) => bounds?.amount ?? null,
  },
  {
    name: 'tolerance',
    type: 'percent',
    description: 'the largest difference of the applied fee that agrees',
    unit: "row's currency",
    empty: 'not compared',
    value: ({ fees }) => fees.applied?.allowed ?? null,
  },
  {
    name: 'within_tolerance',
    type: 'boolean',
    description:
      'whether every rule on the fee that could compare agrees: none of `FEE_APPLIED_DIFFERS`, `FEE_BASE_DIFFERS` and `FEE_NETWORK_DIFFERS`',
    empty: 'nothing could be compared',
    value: ({ fees }) => fees.withinTolerance,
  },
  {
    name: 'tolerance_reason',
    type: 'text',
    description: 'what was compared with what, which part differs, and what is not known',
    value: toleranceReason,
  },
];

/** Every verified record against its quote; rows without a quote show the actual figures alone. */
export const fees = defineReport<FeeRow>({
  definition: {
    name: 'fees',
    file: 'fees.csv',
    description: 'Fees of every verified record as quoted and as recorded, with variances that foot',
    notes:
      'Always, to the last digit: `actual_applied_fee` − `quoted_applied_fee` = `applied_fee_variance` = `base_fee_variance` + `network_fee_variance` + `adjustment_variance`. All variances are actual − quoted: a plus is what the user paid too much. A part that one side does not know is empty, and inside the adjustment; `tolerance_reason` says so. Where the quote is for another amount, shares of the value are compared, so a variance may be larger than `tolerance` and agree: `tolerance_reason` has the fee that the quote comes to at this amount. From the demonstration, purchase 9efa97cc-98ca-4508-aac1-8fd64f979aa6: quoted 11.23 EUR, actual 15.82 EUR, variance 4.59 = 0 (base) + 0 (network) + 4.59 (adjustment): a discount was withdrawn.',
    columns,
  },
  collect: () => ({
    record: (record) => {
      const { state, fees } = record;
      if (state === null || fees === null) return [];
      return [{ ...record, state, fees, bounds: feeBounds(state, record.reference.global) }];
    },
  }),
});
