import type { RecordState } from '../src/domain/snapshot.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, defineSums } from './define.ts';

/** A verified record. */
interface Item {
  record: SettledRecord;
  state: RecordState;
}

const { amount, count, text } = columnsOf<Item>();

const columns: readonly Column<Item>[] = [
  text('business_month', ({ record }) => record.businessMonth, {
    description: 'month to which the records belong, as in `records.csv`',
    unit: '`2026-10`',
    empty: 'no date of the record is known',
  }),
  text('kind', ({ record }) => record.kind, '`purchase` or `sale`'),
  text('fiat_currency', ({ state }) => state.fiatCurrency, {
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
  }),
  text('payment_method', ({ state }) => state.paymentMethod, {
    description: 'payment or payout method',
    empty: 'the records name none',
  }),
  count('record_count', () => 1, 'verified records of the run'),
  amount('fiat_value_total', ({ state }) => state.fiatValue, 'sum of `fiat_value`'),
  amount('host_fee_cut_total', ({ state }) => state.hostFeeCut, {
    description: 'sum of `host_fee_cut`: an accrual, not a payment',
    empty: 'no record of the group states it',
  }),
  count('records_without_host_fee_cut', ({ state }) => Number(state.hostFeeCut === null), {
    description: 'records that state no `host_fee_cut`; they add nothing to the sum',
  }),
];

/** The host's accrued share of the verified records, by month of creation. */
export const hostRevenue = defineSums<Item>({
  definition: {
    name: 'host_revenue',
    description: 'Accrued host fee cuts by month, currency and method',
    notes:
      'Your share of the verified records of this run, by the month in which they were created. See *Revenue* below before you book it.',
    columns,
  },
  items: () => ({
    record: (record) => {
      const { state, observation } = record;
      return state === null || observation.outcome !== 'verified' ? [] : [{ record, state }];
    },
  }),
});
