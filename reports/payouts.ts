import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledPayout } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

type Row = SettledPayout & { run: RunFacts };

const columns: readonly Column<Row>[] = [
  { name: 'run_id', type: 'id', description: 'the run that matched the payment', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'payout_id',
    type: 'id',
    description: 'made of the line of the statement, or of the transaction',
    value: ({ payoutId }) => payoutId,
  },
  {
    name: 'source',
    type: 'text',
    description: '`csv`, `camt.053`, `mt940`, or the chain of a transfer',
    value: ({ source }) => source,
  },
  { name: 'paid_at', type: 'instant', description: 'when it was booked', value: ({ paidAt }) => paidAt },
  {
    name: 'currency',
    type: 'text',
    description: 'currency of the row; of a transfer, the asset',
    unit: 'ISO code',
    value: ({ currency }) => currency,
  },
  {
    name: 'amount',
    type: 'amount',
    description: 'what arrived',
    currencyColumn: 'currency',
    value: ({ amount }) => amount,
  },
  {
    name: 'reference',
    type: 'text',
    description: 'as the statement has it',
    empty: 'it has none',
    value: ({ reference }) => reference,
  },
  {
    name: 'period',
    type: 'text',
    description: 'the month that it pays, `2026-10`',
    empty: 'it pays no month that is known',
    value: ({ month }) => month,
  },
  {
    name: 'matched_amount',
    type: 'amount',
    description: 'what of the revenue it pays: what arrived and what was withheld, at the stated rate',
    empty: 'it is unexplained',
    currencyColumn: 'matched_currency',
    value: ({ matched }) => matched?.amount ?? null,
  },
  {
    name: 'difference',
    type: 'amount',
    description: "paid − owed of the whole month, in the revenue's currency; on the last payment of the month alone",
    sign: 'minus: less than owed was paid',
    empty: 'another payment of the month has it; it is unexplained',
    currencyColumn: 'matched_currency',
    value: ({ difference }) => difference,
  },
  {
    name: 'state',
    type: 'text',
    description: '`matched`, `part` (the rest is not due yet), `differs` or `unexplained`',
    value: ({ state }) => state,
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'hash of what the statement said, or of what the witnesses of the chain answered (`tieout evidence`)',
    value: ({ sha256 }) => sha256,
  },
  {
    name: 'matched_currency',
    type: 'text',
    description: 'currency of `matched_amount` and `difference`',
    unit: 'ISO code',
    empty: 'it is unexplained',
    value: ({ matched }) => matched?.currency ?? null,
  },
  {
    name: 'withheld_amount',
    type: 'amount',
    description: 'fees that were kept back on the way, in the currency of the payment',
    empty: 'none is stated',
    currencyColumn: 'currency',
    value: ({ withheld }) => withheld,
  },
  {
    name: 'rate',
    type: 'percent',
    description: 'units of the payment for one of the revenue, as stated',
    empty: 'both have one currency',
    value: ({ settles }) => settles?.rate ?? null,
  },
];

/** Only in sets of nights that knew of payments. */
export const payouts = defineReport<Row>({
  definition: {
    name: 'payouts',
    file: 'payouts.csv',
    description: "Payments of the host's revenue, and the months that they pay",
    notes:
      'Written where statements were imported (`tieout payouts import`), or `evidence.payouts.expected` says that payments are expected.',
    columns,
  },
  collect: () => ({
    record: () => [],
    revenue: ({ run, payouts: all }) => all.map((payout) => ({ ...payout, run })),
  }),
});
