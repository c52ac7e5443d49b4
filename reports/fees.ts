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
  { name: 'run_id', type: 'id', description: 'id of the run that compared the fees', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: 'id of the record at the Service', value: ({ recordId }) => recordId },
  {
    name: 'fiat_currency',
    type: 'text',
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
    value: ({ state }) => state.fiatCurrency,
  },
  {
    name: 'payment_method',
    type: 'text',
    description: 'purchase: how the user pays; sale: how the user is paid',
    empty: 'the record names none',
    value: ({ state }) => state.paymentMethod,
  },
  {
    name: 'quote_id',
    type: 'id',
    description: 'id of the quote that the record is compared with',
    empty: 'no quote belongs to the record',
    value: ({ quote }) => quote?.quote.quoteId ?? null,
  },
  {
    name: 'quote_basis',
    type: 'text',
    description: 'how the quote was found, as in records.csv: `linked`, `captured`, `requoted` or `none`',
    value: ({ quote }) => quote?.basis ?? 'none',
  },
  {
    name: 'quoted_fiat_value',
    type: 'amount',
    description: 'total of the quote',
    empty: 'no comparable quote',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.fiatValue ?? null,
  },
  {
    name: 'actual_fiat_value',
    type: 'amount',
    description: 'total of the record',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.fiatValue,
  },
  {
    name: 'quoted_applied_fee',
    type: 'amount',
    description: 'whole fee of the quote, network fee included',
    empty: 'no comparable quote',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.applied ?? null,
  },
  {
    name: 'actual_applied_fee',
    type: 'amount',
    description: 'whole fee of the record, network fee included',
    empty: 'a sale that states none',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.applied,
  },
  {
    name: 'applied_fee_variance',
    type: 'amount',
    description: '`actual_applied_fee` − `quoted_applied_fee`',
    sign: 'plus: the user paid more than quoted',
    empty: 'one of the two is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_applied_fee', without: ['quoted_applied_fee'] },
    value: ({ fees }) => fees.variance?.applied ?? null,
  },
  {
    name: 'quoted_base_fee',
    type: 'amount',
    description: 'base fee of the quote',
    empty: 'the quote does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.base ?? null,
  },
  {
    name: 'actual_base_fee',
    type: 'amount',
    description: 'base fee of the record',
    empty: 'the record does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.base,
  },
  {
    name: 'base_fee_variance',
    type: 'amount',
    description: '`actual_base_fee` − `quoted_base_fee`',
    sign: 'plus: more than quoted',
    empty: 'one of the two is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_base_fee', without: ['quoted_base_fee'] },
    value: ({ fees }) => fees.variance?.base ?? null,
  },
  {
    name: 'quoted_network_fee',
    type: 'amount',
    description: 'network fee of the quote',
    empty: 'the quote does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.network ?? null,
  },
  {
    name: 'actual_network_fee',
    type: 'amount',
    description: 'network fee of the record',
    empty: 'the record does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.network,
  },
  {
    name: 'network_fee_variance',
    type: 'amount',
    description: '`actual_network_fee` − `quoted_network_fee`',
    sign: 'plus: more than quoted',
    empty: 'one of the two is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_network_fee', without: ['quoted_network_fee'] },
    value: ({ fees }) => fees.variance?.network ?? null,
  },
  {
    name: 'quoted_adjustment',
    type: 'amount',
    description: 'applied − base − network fee of the quote',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'quoted_applied_fee', without: ['quoted_base_fee', 'quoted_network_fee'] },
    value: ({ fees }) => fees.quoted?.adjustment ?? null,
  },
  {
    name: 'actual_adjustment',
    type: 'amount',
    description: 'applied − base − network fee of the record',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'actual_applied_fee', without: ['actual_base_fee', 'actual_network_fee'] },
    value: ({ fees }) => fees.actual.adjustment,
  },
  {
    name: 'adjustment_variance',
    type: 'amount',
    description:
      '`applied_fee_variance` − `base_fee_variance` − `network_fee_variance`, a part that is not known counted as 0',
    sign: 'plus: a smaller discount than quoted',
    empty: 'the applied fee variance is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'applied_fee_variance', without: ['base_fee_variance', 'network_fee_variance'] },
    value: ({ fees }) => fees.variance?.adjustment ?? null,
  },
  {
    name: 'quoted_exchange_rate',
    type: 'percent',
    description: 'price of one whole token in the quote',
    unit: "row's currency",
    empty: 'the quote does not state it',
    value: ({ fees }) => fees.quoted?.exchangeRate ?? null,
  },
  {
    name: 'actual_exchange_rate',
    type: 'percent',
    description: 'price of one whole token in the record',
    unit: "row's currency",
    empty: 'the record does not state it',
    value: ({ fees }) => fees.actual.exchangeRate,
  },
  {
    name: 'rate_variance_percent',
    type: 'percent',
    description: 'deviation of the exchange rate from the quoted one',
    sign: 'plus: a token costs more than quoted',
    empty: 'one of the two is not known',
    value: ({ fees }) => fees.variance?.ratePercent ?? null,
  },
  {
    name: 'actual_fee_percent',
    type: 'percent',
    description: '(applied − network fee) as a percentage of the value of the crypto',
    empty: 'the fee or the value is not known',
    value: ({ fees }) => fees.feePercent,
  },
  {
    name: 'min_fee_percent',
    type: 'percent',
    description: 'lower bound that the Service published when the record was created',
    empty: 'no reference data of that time, or only for another currency',
    value: ({ bounds }) => bounds?.min ?? null,
  },
  {
    name: 'max_fee_percent',
    type: 'percent',
    description: 'upper bound that the Service published when the record was created',
    empty: 'no reference data of that time, or only for another currency',
    value: ({ bounds }) => bounds?.max ?? null,
  },
  {
    name: 'min_fee_amount',
    type: 'percent',
    description: 'minimum fee that the Service published when the record was created',
    unit: "row's currency",
    empty: 'no reference data of that time, or only for another currency',
    value: ({ bounds }) => bounds?.amount ?? null,
  },
  {
    name: 'tolerance',
    type: 'percent',
    description: 'the largest difference of the applied fee that is not a break',
    unit: "row's currency",
    empty: 'nothing was compared',
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
    description: 'how the fees were compared, which part differs, and which parts are not known',
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
      'Always, to the last digit: `actual_applied_fee` − `quoted_applied_fee` = `applied_fee_variance` = `base_fee_variance` + `network_fee_variance` + `adjustment_variance`. All variances are actual − quoted: plus means that the user paid more than quoted. A part that the quote or the record does not state is empty and is contained in the adjustment; `tolerance_reason` names it. Where the quote is for another amount, percentages of the value are compared, so a variance larger than `tolerance` may still agree; `tolerance_reason` states the quoted fee converted to this amount. From the demonstration, purchase 9efa97cc-98ca-4508-aac1-8fd64f979aa6: quoted 11.23 EUR, actual 15.82 EUR, variance 4.59 = 0 (base) + 0 (network) + 4.59 (adjustment): a discount was withdrawn.',
    columns,
    key: ['kind', 'record_id'],
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({
    record: (record) => {
      const { state, fees } = record;
      if (state === null || fees === null) return [];
      return [{ ...record, state, fees, bounds: feeBounds(state, record.reference.global) }];
    },
  }),
});
