import { businessMonths } from '../src/domain/calendar.ts';
import type { Decimal } from '../src/domain/decimal.ts';
import type { Column } from '../src/ports/report-definition.ts';
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

const columns: readonly Column<HostRevenueRow>[] = [
  {
    name: 'business_month',
    type: 'text',
    description: 'Month in which the records were created, in the business time zone',
    value: (row) => row.month,
  },
  { name: 'kind', type: 'text', description: 'purchase or sale', value: (row) => row.kind },
  { name: 'fiat_currency', type: 'text', description: 'Currency of the totals', value: (row) => row.fiatCurrency },
  { name: 'payment_method', type: 'text', description: 'Payment or payout method', value: (row) => row.paymentMethod },
  {
    name: 'record_count',
    type: 'count',
    description: 'Verified records of the run in the group',
    value: (row) => row.records,
  },
  {
    name: 'fiat_value_total',
    type: 'amount',
    description: 'Exact sum of fiat values',
    currencyColumn: 'fiat_currency',
    value: (row) => row.fiatValue,
  },
  {
    name: 'host_fee_cut_total',
    type: 'amount',
    description: 'Exact sum of the host fee cuts that records state: an accrual that the API cannot confirm',
    currencyColumn: 'fiat_currency',
    value: (row) => row.hostFeeCut,
  },
  {
    name: 'records_without_host_fee_cut',
    type: 'count',
    description: 'Records that state none, and so add nothing to the sum',
    value: (row) => row.withoutHostFeeCut,
  },
];

/** The host's accrued share of the verified records, by month of creation. */
export const hostRevenue = defineReport<HostRevenueRow>({
  definition: {
    name: 'host_revenue',
    file: 'host_revenue.csv',
    description: 'Accrued host fee cuts by month, currency and method',
    columns,
  },
  collect: (run) => {
    const monthOf = businessMonths(run.timezone);
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
      record: ({ kind, state }) => {
        if (state === null) return [];
        const month = state.createdAt === null ? null : monthOf(state.createdAt);
        const row = groups.of([month, kind, state.fiatCurrency, state.paymentMethod]);
        row.records++;
        row.fiatValue = addKnown(row.fiatValue, state.fiatValue);
        row.hostFeeCut = addKnown(row.hostFeeCut, state.hostFeeCut);
        if (state.hostFeeCut === null) row.withoutHostFeeCut++;
        return [];
      },
      end: () => groups.sorted(),
    };
  },
});
