import { type FeeComparison, feeBounds } from '../src/domain/fees.ts';
import type { RecordState } from '../src/domain/snapshot.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

/** A verified record with its fee arithmetic. */
interface FeeRow extends SettledRecord {
  state: RecordState;
  fees: FeeComparison;
  bounds: ReturnType<typeof feeBounds>;
}

const columns: readonly Column<FeeRow>[] = [
  { name: 'run_id', type: 'id', description: 'The run that compared', value: ({ run }) => run.runId },
  { name: 'business_date', type: 'date', description: 'The day the run is for', value: ({ run }) => run.businessDate },
  { name: 'kind', type: 'text', description: 'purchase or sale', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: 'The id of the record', value: ({ recordId }) => recordId },
  {
    name: 'fiat_currency',
    type: 'text',
    description: 'Currency of every amount in the row',
    value: ({ state }) => state.fiatCurrency,
  },
  {
    name: 'payment_method',
    type: 'text',
    description: 'Payment or payout method',
    value: ({ state }) => state.paymentMethod,
  },
  {
    name: 'quote_id',
    type: 'id',
    description: 'The quote compared with',
    value: ({ quote }) => quote?.quote.quoteId ?? null,
  },
  {
    name: 'quote_basis',
    type: 'text',
    description: 'linked, captured, requoted or none',
    value: ({ quote }) => quote?.basis ?? 'none',
  },
  {
    name: 'quoted_fiat_value',
    type: 'amount',
    description: 'As quoted: fiat value',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.fiatValue ?? null,
  },
  {
    name: 'actual_fiat_value',
    type: 'amount',
    description: 'As recorded: fiat value',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.fiatValue,
  },
  {
    name: 'quoted_applied_fee',
    type: 'amount',
    description: 'As quoted: applied fee',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.applied ?? null,
  },
  {
    name: 'actual_applied_fee',
    type: 'amount',
    description: 'As recorded: applied fee',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.applied,
  },
  {
    name: 'applied_fee_variance',
    type: 'amount',
    description: 'actual − quoted; always the sum of the three variances that follow',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.variance?.applied ?? null,
  },
  {
    name: 'quoted_base_fee',
    type: 'amount',
    description: 'As quoted: base fee',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.base ?? null,
  },
  {
    name: 'actual_base_fee',
    type: 'amount',
    description: 'As recorded: base fee',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.base,
  },
  {
    name: 'base_fee_variance',
    type: 'amount',
    description: 'actual − quoted',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.variance?.base ?? null,
  },
  {
    name: 'quoted_network_fee',
    type: 'amount',
    description: 'As quoted: network fee',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.network ?? null,
  },
  {
    name: 'actual_network_fee',
    type: 'amount',
    description: 'As recorded: network fee',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.network,
  },
  {
    name: 'network_fee_variance',
    type: 'amount',
    description: 'actual − quoted',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.variance?.network ?? null,
  },
  {
    name: 'quoted_adjustment',
    type: 'amount',
    description: 'As quoted: adjustment',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.quoted?.adjustment ?? null,
  },
  {
    name: 'actual_adjustment',
    type: 'amount',
    description: 'As recorded: adjustment',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees.actual.adjustment,
  },
  {
    name: 'adjustment_variance',
    type: 'amount',
    description: 'What base and network fee leave of the applied fee variance',
    currencyColumn: 'fiat_currency',
    rest: { of: 'applied_fee_variance', without: ['base_fee_variance', 'network_fee_variance'] },
    value: ({ fees }) => fees.variance?.adjustment ?? null,
  },
  {
    name: 'quoted_exchange_rate',
    type: 'percent',
    description: 'Fiat per whole token, as quoted',
    value: ({ fees }) => fees.quoted?.exchangeRate ?? null,
  },
  {
    name: 'actual_exchange_rate',
    type: 'percent',
    description: 'Fiat per whole token, as recorded',
    value: ({ fees }) => fees.actual.exchangeRate,
  },
  {
    name: 'rate_variance_percent',
    type: 'percent',
    description: 'Difference of the rates in percent of the quoted one',
    value: ({ fees }) => fees.variance?.ratePercent ?? null,
  },
  {
    name: 'actual_fee_percent',
    type: 'percent',
    description: 'Service fee (applied − network) in percent of the crypto value',
    value: ({ fees }) => fees.feePercent,
  },
  {
    name: 'min_fee_percent',
    type: 'percent',
    description: 'Published lower bound in force at creation',
    value: ({ bounds }) => bounds?.min ?? null,
  },
  {
    name: 'max_fee_percent',
    type: 'percent',
    description: 'Published upper bound in force at creation',
    value: ({ bounds }) => bounds?.max ?? null,
  },
  {
    name: 'min_fee_amount',
    type: 'percent',
    description: 'Published minimum fee in the row’s currency',
    value: ({ bounds }) => bounds?.amount ?? null,
  },
  {
    name: 'tolerance',
    type: 'percent',
    description: 'The largest difference of the applied fee that agrees',
    value: ({ fees }) => fees.applied?.allowed ?? null,
  },
  {
    name: 'within_tolerance',
    type: 'boolean',
    description: 'Whether every part that could be compared agrees',
    value: ({ fees }) => fees.withinTolerance,
  },
];

/** Every verified record against its quote; rows without a quote show the actual figures alone. */
export const fees = defineReport<FeeRow>({
  definition: {
    name: 'fees',
    file: 'fees.csv',
    description: 'Fees as quoted and as recorded, with variances that foot',
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
