import type { Decimal } from '../src/domain/decimal.ts';
import type { FeeComparison } from '../src/domain/fees.ts';
import { noVerdicts, type Verdict } from '../src/domain/finding.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledRecord } from '../src/ports/settled.ts';
import { addKnown, defineReport, Groups } from './define.ts';

/** One group of records; amounts are never added across currencies. */
interface TotalsRow {
  run: RunFacts;
  kind: string | null;
  fiatCurrency: string | null;
  paymentMethod: string | null;
  status: string | null;
  records: number;
  verdicts: Record<Verdict, number>;
  fiatValue: Decimal | null;
  appliedFee: Decimal | null;
  baseFee: Decimal | null;
  networkFee: Decimal | null;
  hostFeeCut: Decimal | null;
  quotedFiatValue: Decimal | null;
  quotedAppliedFee: Decimal | null;
  appliedFeeVariance: Decimal | null;
  /** Records whose applied fee is known on both sides: the quoted and variance sums are over these alone. */
  compared: number;
  comparedAppliedFee: Decimal | null;
}

const columns: readonly Column<TotalsRow>[] = [
  { name: 'run_id', type: 'id', description: 'id of the run', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: (row) => row.kind },
  {
    name: 'fiat_currency',
    type: 'text',
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
    empty: 'the records were not read',
    value: (row) => row.fiatCurrency,
  },
  {
    name: 'payment_method',
    type: 'text',
    description: 'payment or payout method',
    empty: 'the records were not read, or name none',
    value: (row) => row.paymentMethod,
  },
  {
    name: 'status',
    type: 'text',
    description: 'status of the records at the Service',
    empty: 'the records were not read, or are sales without a status',
    value: (row) => row.status,
  },
  { name: 'record_count', type: 'count', description: 'records of the group', value: (row) => row.records },
  {
    name: 'matched_count',
    type: 'count',
    description: 'records with the verdict `matched`',
    value: (row) => row.verdicts.matched,
  },
  {
    name: 'pending_count',
    type: 'count',
    description: 'records with the verdict `pending`',
    value: (row) => row.verdicts.pending,
  },
  {
    name: 'break_count',
    type: 'count',
    description: 'records with the verdict `break`; a record with several breaks counts once',
    value: (row) => row.verdicts.break,
  },
  {
    name: 'unverified_count',
    type: 'count',
    description: 'records with the verdict `unverified`',
    value: (row) => row.verdicts.unverified,
  },
  {
    name: 'quarantined_count',
    type: 'count',
    description: 'records with the verdict `quarantined`',
    value: (row) => row.verdicts.quarantined,
  },
  {
    name: 'fiat_value_total',
    type: 'amount',
    description: 'sum of `fiat_value`',
    empty: 'no record of the group states it',
    currencyColumn: 'fiat_currency',
    value: (row) => row.fiatValue,
  },
  {
    name: 'applied_fee_total',
    type: 'amount',
    description: 'sum of `applied_fee`',
    empty: 'no record of the group states it',
    currencyColumn: 'fiat_currency',
    value: (row) => row.appliedFee,
  },
  {
    name: 'base_fee_total',
    type: 'amount',
    description: 'sum of `base_fee`',
    empty: 'no record of the group states it',
    currencyColumn: 'fiat_currency',
    value: (row) => row.baseFee,
  },
  {
    name: 'network_fee_total',
    type: 'amount',
    description: 'sum of `network_fee`; included in `applied_fee_total`',
    empty: 'no record of the group states it',
    currencyColumn: 'fiat_currency',
    value: (row) => row.networkFee,
  },
  {
    name: 'host_fee_cut_total',
    type: 'amount',
    description: 'sum of `host_fee_cut`',
    empty: 'no record of the group states it',
    currencyColumn: 'fiat_currency',
    value: (row) => row.hostFeeCut,
  },
  {
    name: 'quoted_fiat_value_total',
    type: 'amount',
    description: 'sum of the quoted totals, of compared records',
    empty: 'no record of the group is compared',
    currencyColumn: 'fiat_currency',
    value: (row) => row.quotedFiatValue,
  },
  {
    name: 'quoted_applied_fee_total',
    type: 'amount',
    description: 'sum of the quoted fees, of compared records',
    empty: 'no record of the group is compared',
    currencyColumn: 'fiat_currency',
    value: (row) => row.quotedAppliedFee,
  },
  {
    name: 'applied_fee_variance_total',
    type: 'amount',
    description: '`compared_applied_fee_total` − `quoted_applied_fee_total`',
    sign: 'plus: users paid more than quoted',
    empty: 'no record of the group is compared',
    currencyColumn: 'fiat_currency',
    rest: { of: 'compared_applied_fee_total', without: ['quoted_applied_fee_total'] },
    value: (row) => row.appliedFeeVariance,
  },
  {
    name: 'waived_count',
    type: 'count',
    description: 'records with the verdict `waived`',
    value: (row) => row.verdicts.waived,
  },
  {
    name: 'compared_count',
    type: 'count',
    description: 'compared records: their fee is known in the quote and in the record',
    value: (row) => row.compared,
  },
  {
    name: 'compared_applied_fee_total',
    type: 'amount',
    description: 'sum of `applied_fee`, of compared records',
    empty: 'no record of the group is compared',
    currencyColumn: 'fiat_currency',
    value: (row) => row.comparedAppliedFee,
  },
];

function emptyRow(run: RunFacts, [kind, fiatCurrency, paymentMethod, status]: readonly (string | null)[]): TotalsRow {
  return {
    run,
    kind: kind ?? null,
    fiatCurrency: fiatCurrency ?? null,
    paymentMethod: paymentMethod ?? null,
    status: status ?? null,
    records: 0,
    verdicts: noVerdicts(),
    fiatValue: null,
    appliedFee: null,
    baseFee: null,
    networkFee: null,
    hostFeeCut: null,
    quotedFiatValue: null,
    quotedAppliedFee: null,
    appliedFeeVariance: null,
    compared: 0,
    comparedAppliedFee: null,
  };
}

function add(row: TotalsRow, { state, fees, verdict }: SettledRecord): void {
  row.records++;
  row.verdicts[verdict]++;
  row.fiatValue = addKnown(row.fiatValue, state?.fiatValue ?? null);
  row.appliedFee = addKnown(row.appliedFee, state?.appliedFee ?? null);
  row.baseFee = addKnown(row.baseFee, state?.baseFee ?? null);
  row.networkFee = addKnown(row.networkFee, state?.networkFee ?? null);
  row.hostFeeCut = addKnown(row.hostFeeCut, state?.hostFeeCut ?? null);
  if (fees !== null) addCompared(row, fees);
}

/** A quote without the fee that it is for (a sale may state none), or the other way round, is no pair to compare. */
function addCompared(row: TotalsRow, { actual, quoted, variance }: FeeComparison): void {
  if (quoted === null || actual.applied === null || variance === null || variance.applied === null) return;
  row.compared++;
  row.comparedAppliedFee = addKnown(row.comparedAppliedFee, actual.applied);
  row.quotedFiatValue = addKnown(row.quotedFiatValue, quoted.fiatValue);
  row.quotedAppliedFee = addKnown(row.quotedAppliedFee, quoted.applied);
  row.appliedFeeVariance = addKnown(row.appliedFeeVariance, variance.applied);
}

/** Counts and exact sums by kind, currency, method and status. */
export const totals = defineReport<TotalsRow>({
  definition: {
    name: 'totals',
    file: 'totals.csv',
    description: 'Counts and exact sums by kind, currency, method and status',
    notes:
      'The six counts of a row, `waived_count` included, add up to its `record_count`. The quoted sums and the variance contain compared records only: `compared_applied_fee_total` − `quoted_applied_fee_total` = `applied_fee_variance_total`, in every row. Fees without a quote to compare with are `applied_fee_total` − `compared_applied_fee_total`.',
    columns,
  },
  collect: (run) => {
    const groups = new Groups((key) => emptyRow(run, key));
    return {
      record: (record) => {
        const { kind, state } = record;
        add(
          groups.of([kind, state?.fiatCurrency ?? null, state?.paymentMethod ?? null, state?.status ?? null]),
          record,
        );
        return [];
      },
      groups,
    };
  },
});
