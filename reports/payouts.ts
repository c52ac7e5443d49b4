import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledPayout } from '../src/ports/settled.ts';
import { columnsOf, defineReport, runColumns } from './define.ts';

type Row = SettledPayout & { run: RunFacts };

const { amount, id, instant, percent, text } = columnsOf<Row>('currency');

const settled = ({ month, amount, currency, rate }: Row['allocations'][number]) =>
  `${month} ${amount} ${currency}${rate === null ? '' : ` at ${rate.value} (${rate.source})`}`;

const columns: readonly Column<Row>[] = [
  ...runColumns('id of the run that matched the payment'),
  id('payout_id', ({ payoutId }) => payoutId, {
    description: 'id of the payment, computed from its line in the statement or from its transaction',
  }),
  text('source', ({ source }) => source, {
    description: 'format of the statement (`csv`, `camt.053`, `mt940`), or the chain of a transfer',
  }),
  instant('paid_at', ({ paidAt }) => paidAt, 'booking date (value date in MT940), or time of the transfer'),
  text('currency', ({ currency }) => currency, {
    description: 'currency of the payment; of a transfer, its asset',
    unit: 'ISO code or asset',
  }),
  amount('amount', ({ amount }) => amount, 'amount received; minus: kept back or taken back'),
  text('reference', ({ reference }) => reference, {
    description: 'reference text of the statement',
    empty: 'it has none',
  }),
  text('period', ({ month }) => month, {
    description: 'month, or first and last month, that the payment settles',
    unit: '`2026-10` or `2026-09/2026-11`',
    empty: 'no month is known',
  }),
  amount('matched_amount', ({ matched }) => matched?.amount ?? null, {
    description: 'part of the revenue that the payment settles: `amount` + `withheld_amount`, converted at `rate`',
    empty: 'the payment is unexplained, or settles no revenue',
    currencyColumn: 'matched_currency',
  }),
  amount('difference', ({ difference }) => difference, {
    description: 'paid − owed of the months, in `matched_currency`, whose last payment it is',
    sign: 'minus: less was paid than is owed',
    empty: 'later payments of its months have it, or the payment is unexplained or settles no revenue',
    currencyColumn: 'matched_currency',
  }),
  text('state', ({ state }) => state, {
    description:
      '`matched`, `part` (the rest is not due yet), `differs`, `unexplained`, or `other`: it settles no revenue (`type`)',
  }),
  id('evidence_sha256', ({ sha256 }) => sha256, {
    description: 'SHA-256 of the line of the statement, or of the answers of the chain; `tieout evidence` prints it',
  }),
  text('matched_currency', ({ matched }) => matched?.currency ?? null, {
    description: 'currency of `matched_amount` and `difference`',
    unit: 'ISO code',
    empty: 'the payment is unexplained, or settles no revenue',
  }),
  amount('withheld_amount', ({ withheld }) => withheld, {
    description: 'fees withheld from the payment, as the statement gives them',
    empty: 'the statement gives none',
  }),
  percent('rate', ({ settles }) => settles?.rate ?? null, {
    description: 'exchange rate of the statement: units of `currency` for one unit of `matched_currency`',
    unit: '`currency` for 1 `matched_currency`',
    empty: 'both currencies are the same',
  }),
  text('type', ({ type }) => type, {
    description:
      'what the line is about: `share`, `clawback` (revenue taken back), `invoice`, `retainer`, `campaign` or `fee` (owed by the host), `bonus`, `opening`, `exchange` (an exchange difference)',
  }),
  amount('exchange_amount', ({ exchange, type, amount: whole }) => (type === 'exchange' ? whole : exchange), {
    description: 'exchange difference of a payment for several currencies; it is not a break',
    sign: 'plus: more was paid',
    empty: 'there is none',
    currencyColumn: 'exchange_currency',
  }),
  text(
    'exchange_currency',
    ({ exchange, type, currency, matched }) =>
      exchange === null && type !== 'exchange' ? null : (matched?.currency ?? currency),
    {
      description: 'currency of `exchange_amount`',
      unit: 'ISO code or asset',
      empty: 'there is none',
    },
  ),
  text('settles', ({ allocations }) => (allocations.length === 0 ? null : allocations.map(settled).join('; ')), {
    description: 'each open item that the payment settles: month, amount, and rate with its source',
    unit: '`2026-10 600 EUR at 1.1 (statement)`',
    empty: 'it settles none',
  }),
];

/** Only in sets of nights that knew of payments. */
export const payouts = defineReport<Row>({
  definition: {
    name: 'payouts',
    description: "Payments of the host's revenue, and the months that they pay",
    notes:
      'Written where statements were imported (`tieout payouts import`), or where the settings expect payments (`evidence.payouts.expected`).',
    columns,
  },
  collect: () => ({
    revenue: ({ run, payouts: all }) => all.map((payout) => ({ ...payout, run })),
  }),
});
