import type { Decimal } from '../src/domain/decimal.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RevenueLeg } from '../src/ports/settled.ts';
import { columnsOf, defineReport, monthlyColumns } from './define.ts';

const CARRIED = 'amount below the smallest payout, to be paid with a later month';

const { amount, date, text } = columnsOf<RevenueLeg>('currency');

/** What was not paid for a month by name: all of one that is decided and got nothing; null where it is not known. */
function outstanding({ accrued, paid, isUnpaid }: RevenueLeg): Decimal | null {
  if (paid === null) return isUnpaid ? accrued : null;
  return accrued?.minus(paid) ?? null;
}

const columns: readonly Column<RevenueLeg>[] = [
  ...monthlyColumns('month to which the records belong'),
  amount('accrued_total', ({ accrued }) => accrued, {
    description: "the host's share of released records, as they or their linked quotes state it",
    empty: 'no record of the month has a known share',
  }),
  amount('paid_total', ({ paid }) => paid, {
    description: 'payments for the month, withheld fees included, converted at the stated rates',
    empty: 'no payment was found',
  }),
  amount('posted_total', ({ posted }) => posted, {
    description: "amount in the host's books (`evidence.payouts.posted`)",
    empty: 'the books have no amount',
  }),
  amount('accrued_minus_paid', outstanding, {
    description: '`accrued_total` − `paid_total`',
    sign: 'plus: the partner owes it',
    empty:
      'one of the two is not known; once the month is due, or the one that it was carried into is due or paid, no payment counts as 0',
    rest: { of: 'accrued_total', without: ['paid_total'] },
  }),
  amount('paid_minus_posted', ({ paid, posted }) => (paid === null || posted === null ? null : paid.minus(posted)), {
    description: '`paid_total` − `posted_total`',
    sign: 'plus: paid, but not in the books',
    empty: 'one of the two is not known',
    rest: { of: 'paid_total', without: ['posted_total'] },
  }),
  amount('carried_forward', ({ carriedForward }) => carriedForward, {
    description: CARRIED,
    empty: 'nothing is carried forward',
  }),
  date('due_date', ({ dueDate }) => dueDate, 'the day by which the month has to be paid'),
  text('finding', ({ finding }) => finding, {
    description: 'the break code: `PAYOUT_MISSING` or `PAYOUT_DIFFERS`',
    empty: 'no difference, or not due yet',
  }),
  amount('clawback_total', ({ clawback }) => clawback, {
    description: 'shares that the partner took back and the records still have; they reduce what is owed',
    sign: 'minus: taken back; plus: the records say so in this month, and the partner took it back in another',
  }),
];

/** Only in sets of nights that knew of payments. */
export const revenueLegs = defineReport<RevenueLeg>({
  definition: {
    name: 'revenue_legs',
    description: "The host's revenue in three legs: accrued, paid, posted",
    notes: 'One row for each past month and currency. The tolerance is one minor unit (a cent).',
    columns,
  },
  collect: () => ({ revenue: ({ months }) => months }),
});
