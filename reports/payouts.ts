import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledPayout } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

type Row = SettledPayout & { run: RunFacts };

const columns: readonly Column<Row>[] = [
  { name: 'run_id', type: 'id', description: 'id of the run that matched the payment', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'payout_id',
    type: 'id',
    description: 'id of the payment, computed from its line in the statement or from its transaction',
    value: ({ payoutId }) => payoutId,
  },
  {
    name: 'source',
    type: 'text',
    description: 'format of the statement (`csv`, `camt.053`, `mt940`), or the chain of a transfer',
    value: ({ source }) => source,
  },
  {
    name: 'paid_at',
    type: 'instant',
    description: 'booking date of the payment, or time of the transfer',
    value: ({ paidAt }) => paidAt,
  },
  {
    name: 'currency',
    type: 'text',
    description: 'currency of the payment; of a transfer, its asset',
    unit: 'ISO code or asset',
    value: ({ currency }) => currency,
  },
  {
    name: 'amount',
    type: 'amount',
    description: 'amount received; minus: kept back or taken back',
    currencyColumn: 'currency',
    value: ({ amount }) => amount,
  },
  {
    name: 'reference',
    type: 'text',
    description: 'reference text of the statement',
    empty: 'it has none',
    value: ({ reference }) => reference,
  },
  {
    name: 'period',
    type: 'text',
    description: 'month, or first and last month, that the payment settles',
    unit: '`2026-10` or `2026-09/2026-11`',
    empty: 'no month is known',
    value: ({ month }) => month,
  },
  {
    name: 'matched_amount',
    type: 'amount',
    description: 'part of the revenue that the payment settles: `amount` + `withheld_amount`, converted at `rate`',
    empty: 'the payment is unexplained, or settles no revenue',
    currencyColumn: 'matched_currency',
    value: ({ matched }) => matched?.amount ?? null,
  },
  {
    name: 'difference',
    type: 'amount',
    description: 'paid − owed for the whole month; on the last payment of the month only',
    sign: 'minus: less was paid than is owed',
    empty: 'a later payment of the month has it, or the payment is unexplained or settles no revenue',
    currencyColumn: 'matched_currency',
    value: ({ difference }) => difference,
  },
  {
    name: 'state',
    type: 'text',
    description:
      '`matched`, `part` (the rest is not due yet), `differs`, `unexplained`, or `other`: it settles no revenue (`type`)',
    value: ({ state }) => state,
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'SHA-256 of the line of the statement, or of the answers of the chain; `tieout evidence` prints it',
    value: ({ sha256 }) => sha256,
  },
  {
    name: 'matched_currency',
    type: 'text',
    description: 'currency of `matched_amount` and `difference`',
    unit: 'ISO code',
    empty: 'the payment is unexplained, or settles no revenue',
    value: ({ matched }) => matched?.currency ?? null,
  },
  {
    name: 'withheld_amount',
    type: 'amount',
    description: 'fees withheld from the payment, as the statement gives them',
    empty: 'the statement gives none',
    currencyColumn: 'currency',
    value: ({ withheld }) => withheld,
  },
  {
    name: 'rate',
    type: 'percent',
    description: 'exchange rate of the statement: units of `currency` for one unit of `matched_currency`',
    unit: '`currency` for 1 `matched_currency`',
    empty: 'both currencies are the same',
    value: ({ settles }) => settles?.rate ?? null,
  },
  {
    name: 'type',
    type: 'text',
    description:
      'what the line is about: `share`, `clawback` (revenue taken back), `invoice`, `retainer`, `campaign` or `fee` (owed by the host), `bonus`, `opening`',
    value: ({ type }) => type,
  },
];

/** Only in sets of nights that knew of payments. */
export const payouts = defineReport<Row>({
  definition: {
    name: 'payouts',
    file: 'payouts.csv',
    description: "Payments of the host's revenue, and the months that they pay",
    notes:
      'Written where statements were imported (`tieout payouts import`), or where the settings expect payments (`evidence.payouts.expected`).',
    columns,
  },
  collect: () => ({
    record: () => [],
    revenue: ({ run, payouts: all }) => all.map((payout) => ({ ...payout, run })),
  }),
});
