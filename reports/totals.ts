import type { Decimal } from '../src/domain/decimal.ts';
import type { FeeComparison } from '../src/domain/fees.ts';
import type { Verdict } from '../src/domain/finding.ts';
import type { RecordState } from '../src/domain/snapshot.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, defineSums, runColumns } from './define.ts';

/** Amounts are never added across currencies: the currency is of a group's name. */
interface Item {
  run: RunFacts;
  record: SettledRecord;
  compared: { actual: Decimal; quoted: NonNullable<FeeComparison['quoted']> } | null;
}

const { amount, count, text } = columnsOf<Item>();

const NOT_COMPARED = 'no record of the group is compared';

const verdictCount = (verdict: Verdict, more = '') =>
  count(`${verdict}_count`, ({ record }) => Number(record.verdict === verdict), {
    description: `records with the verdict \`${verdict}\`${more}`,
  });

const stated = (column: string, value: (state: RecordState) => Decimal | null, more = '') =>
  amount(`${column}_total`, ({ record: { state } }) => state && value(state), {
    description: `sum of \`${column}\`${more}`,
    empty: 'no record of the group states it',
  });

const columns: readonly Column<Item>[] = [
  ...runColumns(),
  text('kind', ({ record }) => record.kind, '`purchase` or `sale`'),
  text('fiat_currency', ({ record }) => record.state?.fiatCurrency ?? null, {
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
    empty: 'the records were not read',
  }),
  text('payment_method', ({ record }) => record.state?.paymentMethod ?? null, {
    description: 'payment or payout method',
    empty: 'the records were not read, or name none',
  }),
  text('status', ({ record }) => record.state?.status ?? null, {
    description: 'status of the records at the Service',
    empty: 'the records were not read, or are sales without a status',
  }),
  count('record_count', () => 1, 'records of the group'),
  verdictCount('matched'),
  verdictCount('pending'),
  verdictCount('break', '; a record with several breaks counts once'),
  verdictCount('unverified'),
  verdictCount('quarantined'),
  stated('fiat_value', (state) => state.fiatValue),
  stated('applied_fee', (state) => state.appliedFee),
  stated('base_fee', (state) => state.baseFee),
  stated('network_fee', (state) => state.networkFee, '; included in `applied_fee_total`'),
  stated('host_fee_cut', (state) => state.hostFeeCut),
  amount('quoted_fiat_value_total', ({ compared }) => compared?.quoted.fiatValue ?? null, {
    description: 'sum of the quoted totals, of compared records',
    empty: NOT_COMPARED,
  }),
  amount('quoted_applied_fee_total', ({ compared }) => compared?.quoted.applied ?? null, {
    description: 'sum of the quoted fees, of compared records',
    empty: NOT_COMPARED,
  }),
  amount('applied_fee_variance_total', ({ compared }) => compared?.actual.minus(compared.quoted.applied) ?? null, {
    description: '`compared_applied_fee_total` − `quoted_applied_fee_total`',
    sign: 'plus: users paid more than quoted',
    empty: NOT_COMPARED,
    rest: { of: 'compared_applied_fee_total', without: ['quoted_applied_fee_total'] },
  }),
  verdictCount('waived'),
  count('compared_count', ({ compared }) => Number(compared !== null), {
    description: 'compared records: their fee is known in the quote and in the record',
  }),
  amount('compared_applied_fee_total', ({ compared }) => compared?.actual ?? null, {
    description: 'sum of `applied_fee`, of compared records',
    empty: NOT_COMPARED,
  }),
];

/** Counts and exact sums by kind, currency, method and status. */
export const totals = defineSums<Item>({
  definition: {
    name: 'totals',
    description: 'Counts and exact sums by kind, currency, method and status',
    notes:
      'The six counts of a row, `waived_count` included, add up to its `record_count`. The quoted sums and the variance contain compared records only: `compared_applied_fee_total` − `quoted_applied_fee_total` = `applied_fee_variance_total`, in every row. Fees without a quote to compare with are `applied_fee_total` − `compared_applied_fee_total`.',
    columns,
  },
  items: (run) => ({ record: (record) => [{ run, record, compared: comparedOf(record.fees) }] }),
});

/** A quote without the fee that it is for (a sale may state none), or the other way round, is no pair to compare. */
function comparedOf(fees: FeeComparison | null): Item['compared'] {
  if (fees === null || fees.quoted === null || fees.actual.applied === null) return null;
  return { actual: fees.actual.applied, quoted: fees.quoted };
}
