import type { Decimal } from '../src/domain/decimal.ts';
import { inPlacesOf } from '../src/domain/stake.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledMonth } from '../src/ports/settled.ts';
import { columnsOf, defineReport, monthlyColumns } from './define.ts';

const { amount, count, text } = columnsOf<SettledMonth>('currency');

const aged = (name: string, at: 0 | 1 | 2 | 3, days: string) =>
  amount(name, (row) => row.aged[at], {
    description: `part of \`closing_balance\` that was earned ${days} before the business date`,
    // Each month's balance holds that of the months before.
    isCheckOnly: true,
  });

/** What is owed less what was paid; null where nothing was. */
const differenceOf = ({ owed, paid, currency }: SettledMonth) =>
  paid === null ? null : inPlacesOf(owed.minus(paid), currency);

function withinMateriality(row: SettledMonth): Decimal | null {
  const difference = differenceOf(row);
  return difference?.abs().greaterThan(row.materiality) === false ? difference : null;
}

const unposted = ({ posted, sheet }: SettledMonth) => (posted === null ? null : (sheet.paid?.minus(posted) ?? null));

const columns: readonly Column<SettledMonth>[] = [
  ...monthlyColumns('month in which the shares were earned'),
  amount('opening_balance', ({ opening }) => opening, {
    description: 'closing balance of the month before: what the partner owed',
    sign: 'minus: the partner paid too much',
    isCheckOnly: true,
  }),
  amount('earned_total', ({ sheet }) => sheet.earned, {
    description: 'shares of records released in the month, less those taken back in it, to the minor unit',
    empty: 'no share of the month is known',
  }),
  amount('paid_total', ({ sheet }) => sheet.paid, {
    description: 'payments for the month, with clawbacks and differences of exchange',
    empty: 'no payment was found',
  }),
  amount('clawback_total', ({ sheet }) => sheet.clawback, {
    description: 'shares that the partner took back and the records still have',
    sign: 'minus: taken back; plus: the records say so in this month, and the partner took it back in another',
  }),
  amount('exchange_total', ({ sheet }) => sheet.exchange, {
    description: 'exchange differences of payments for several currencies',
    sign: 'plus: more was paid',
  }),
  amount('closing_balance', ({ closing }) => closing, {
    description: '`opening_balance` + `earned_total` − `paid_total` + `clawback_total` + `exchange_total`',
    sign: 'plus: the partner owes it',
    isCheckOnly: true,
  }),
  aged('days_0_30', 0, '0 to 30 days'),
  aged('days_31_60', 1, '31 to 60 days'),
  aged('days_61_90', 2, '61 to 90 days'),
  aged('days_over_90', 3, 'more than 90 days'),
  amount('posted_total', ({ posted }) => posted, {
    description: "amount in the host's books (`evidence.payouts.posted`)",
    empty: 'the books have no amount',
  }),
  amount('paid_minus_posted', unposted, {
    description: '`paid_total` − `posted_total`',
    sign: 'plus: paid, but not in the books',
    empty: 'one of the two is not known',
    rest: { of: 'paid_total', without: ['posted_total'] },
  }),
  amount('owed_minus_paid', differenceOf, {
    description: 'what is owed for the month, with what earlier months carried forward, less what was paid for it',
    empty: 'nothing was paid for it',
  }),
  amount('materiality', ({ materiality }) => materiality, {
    description:
      'up to this, a difference of the month is listed, and its break is low (`evidence.payouts.materiality`)',
    isCheckOnly: true,
  }),
  amount('immaterial_total', withinMateriality, {
    description: 'the difference of the month, where it is within the materiality',
    empty: 'it is not, or nothing was paid',
  }),
  count('records_without_share', ({ unknown }) => unknown, {
    description:
      'released records whose share is stated nowhere; they add nothing (`tieout revenue accrual` names them)',
  }),
  amount('estimated_total', ({ estimated }) => estimated, {
    description: "what those shares would be at their method's own rate (`books.estimate`); in no other total",
    empty: 'estimates are off, or no rate is known',
  }),
  text('partner', ({ partner }) => partner, 'who pays (`evidence.payouts.partner`)'),
];

/** Only in sets of nights that knew of payments. */
export const revenueReconciliation = defineReport<SettledMonth>({
  definition: {
    name: 'revenue_reconciliation',
    description: "The host's revenue from opening to closing balance, aged",
    notes:
      'One row for each past month and currency, in minor units. Every row adds up; each opens with what the one before it closed.',
    columns,
  },
  collect: () => ({ revenue: ({ months }) => months }),
});
