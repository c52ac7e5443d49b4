import type { Decimal } from '../src/domain/decimal.ts';
import type { Column } from '../src/ports/report-definition.ts';
import { columnsOf } from './columns.ts';
import { addKnown, defineReport, Groups } from './define.ts';

interface HostRevenueRow {
  month: string | null;
  kind: string | null;
  fiatCurrency: string | null;
  paymentMethod: string | null;
  records: number;
  fiatValue: Decimal | null;
  hostFeeCut: Decimal | null;
  withoutHostFeeCut: number;
}

const { amount, count, text } = columnsOf<HostRevenueRow>();

const columns: readonly Column<HostRevenueRow>[] = [
  text('business_month', (row) => row.month, {
    description: 'month to which the records belong, as in `records.csv`',
    unit: '`2026-10`',
    empty: 'no date of the record is known',
  }),
  text('kind', (row) => row.kind, { description: '`purchase` or `sale`' }),
  text('fiat_currency', (row) => row.fiatCurrency, {
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
  }),
  text('payment_method', (row) => row.paymentMethod, {
    description: 'payment or payout method',
    empty: 'the records name none',
  }),
  count('record_count', (row) => row.records, {
    description: 'verified records of the run',
  }),
  amount('fiat_value_total', (row) => row.fiatValue, {
    description: 'sum of `fiat_value`',
  }),
  amount('host_fee_cut_total', (row) => row.hostFeeCut, {
    description: 'sum of `host_fee_cut`: an accrual, not a payment',
    empty: 'no record of the group states it',
  }),
  count('records_without_host_fee_cut', (row) => row.withoutHostFeeCut, {
    description: 'records that state no `host_fee_cut`; they add nothing to the sum',
  }),
];

/** The host's accrued share of the verified records, by month of creation. */
export const hostRevenue = defineReport<HostRevenueRow>({
  definition: {
    name: 'host_revenue',
    file: 'host_revenue.csv',
    description: 'Accrued host fee cuts by month, currency and method',
    notes:
      'Your share of the verified records of this run, by the month in which they were created. See *Revenue* below before you book it.',
    columns,
  },
  collect: () => {
    const groups = new Groups<HostRevenueRow>(([month, kind, fiatCurrency, paymentMethod]) => ({
      month: month ?? null,
      kind: kind ?? null,
      fiatCurrency: fiatCurrency ?? null,
      paymentMethod: paymentMethod ?? null,
      records: 0,
      fiatValue: null,
      hostFeeCut: null,
      withoutHostFeeCut: 0,
    }));
    return {
      record: ({ kind, state, businessMonth, observation }) => {
        if (state === null || observation.outcome !== 'verified') return [];
        const row = groups.of([businessMonth, kind, state.fiatCurrency, state.paymentMethod]);
        row.records++;
        row.fiatValue = addKnown(row.fiatValue, state.fiatValue);
        row.hostFeeCut = addKnown(row.hostFeeCut, state.hostFeeCut);
        if (state.hostFeeCut === null) row.withoutHostFeeCut++;
        return [];
      },
      groups,
    };
  },
});
