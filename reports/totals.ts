import type { Decimal } from '../src/domain/decimal.ts';
import type { FeeComparison } from '../src/domain/fees.ts';
import { noVerdicts, type Verdict } from '../src/domain/finding.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, runColumns } from './columns.ts';
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

const { amount, count, text } = columnsOf<TotalsRow>();

const NOT_COMPARED = 'no record of the group is compared';

const verdictCount = (verdict: Verdict, more = '') =>
  count(`${verdict}_count`, (row) => row.verdicts[verdict], {
    description: `records with the verdict \`${verdict}\`${more}`,
  });

const stated = (column: string, value: (row: TotalsRow) => Decimal | null, more = '') =>
  amount(`${column}_total`, value, {
    description: `sum of \`${column}\`${more}`,
    empty: 'no record of the group states it',
  });

const columns: readonly Column<TotalsRow>[] = [
  ...runColumns(),
  text('kind', (row) => row.kind, { description: '`purchase` or `sale`' }),
  text('fiat_currency', (row) => row.fiatCurrency, {
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
    empty: 'the records were not read',
  }),
  text('payment_method', (row) => row.paymentMethod, {
    description: 'payment or payout method',
    empty: 'the records were not read, or name none',
  }),
  text('status', (row) => row.status, {
    description: 'status of the records at the Service',
    empty: 'the records were not read, or are sales without a status',
  }),
  count('record_count', (row) => row.records, { description: 'records of the group' }),
  verdictCount('matched'),
  verdictCount('pending'),
  verdictCount('break', '; a record with several breaks counts once'),
  verdictCount('unverified'),
  verdictCount('quarantined'),
  stated('fiat_value', (row) => row.fiatValue),
  stated('applied_fee', (row) => row.appliedFee),
  stated('base_fee', (row) => row.baseFee),
  stated('network_fee', (row) => row.networkFee, '; included in `applied_fee_total`'),
  stated('host_fee_cut', (row) => row.hostFeeCut),
  amount('quoted_fiat_value_total', (row) => row.quotedFiatValue, {
    description: 'sum of the quoted totals, of compared records',
    empty: NOT_COMPARED,
  }),
  amount('quoted_applied_fee_total', (row) => row.quotedAppliedFee, {
    description: 'sum of the quoted fees, of compared records',
    empty: NOT_COMPARED,
  }),
  amount('applied_fee_variance_total', (row) => row.appliedFeeVariance, {
    description: '`compared_applied_fee_total` − `quoted_applied_fee_total`',
    sign: 'plus: users paid more than quoted',
    empty: NOT_COMPARED,
    rest: { of: 'compared_applied_fee_total', without: ['quoted_applied_fee_total'] },
  }),
  verdictCount('waived'),
  count('compared_count', (row) => row.compared, {
    description: 'compared records: their fee is known in the quote and in the record',
  }),
  amount('compared_applied_fee_total', (row) => row.comparedAppliedFee, {
    description: 'sum of `applied_fee`, of compared records',
    empty: NOT_COMPARED,
  }),
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
function addCompared(row: TotalsRow, { actual, quoted }: FeeComparison): void {
  if (quoted === null || actual.applied === null) return;
  row.compared++;
  row.comparedAppliedFee = addKnown(row.comparedAppliedFee, actual.applied);
  row.quotedFiatValue = addKnown(row.quotedFiatValue, quoted.fiatValue);
  row.quotedAppliedFee = addKnown(row.quotedAppliedFee, quoted.applied);
  row.appliedFeeVariance = addKnown(row.appliedFeeVariance, actual.applied.minus(quoted.applied));
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
