import type { Decimal } from '../src/domain/decimal.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledLeg } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

const CARRIED = 'amount below the smallest payout, to be paid with a later month';

/** Where nothing came and it is due, all of it is outstanding. */
function outstanding({ accrued, paid, finding }: SettledLeg): Decimal | null {
  if (accrued === null) return null;
  if (paid === null) return finding === 'PAYOUT_MISSING' ? accrued : null;
  return accrued.minus(paid);
}

const columns: readonly Column<SettledLeg>[] = [
  {
    name: 'business_month',
    type: 'text',
    description: 'month to which the records belong',
    unit: '`2026-10`',
    value: ({ month }) => month,
  },
  {
    name: 'currency',
    type: 'text',
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
    value: ({ currency }) => currency,
  },
  {
    name: 'accrued_total',
    type: 'amount',
    description: "the host's share of released records, as they or their linked quotes state it",
    empty: 'no record of the month has a known share',
    currencyColumn: 'currency',
    value: ({ accrued }) => accrued,
  },
  {
    name: 'paid_total',
    type: 'amount',
    description: 'payments for the month, withheld fees included, converted at the stated rates',
    empty: 'no payment was found',
    currencyColumn: 'currency',
    value: ({ paid }) => paid,
  },
  {
    name: 'posted_total',
    type: 'amount',
    description: "amount in the host's books (`evidence.payouts.posted`)",
    empty: 'the books have no amount',
    currencyColumn: 'currency',
    value: ({ posted }) => posted,
  },
  {
    name: 'accrued_minus_paid',
    type: 'amount',
    description: '`accrued_total` − `paid_total`',
    sign: 'plus: the partner owes it',
    empty: 'one of the two is not known; nothing paid is nothing unknown once it is due',
    currencyColumn: 'currency',
    value: outstanding,
  },
  {
    name: 'paid_minus_posted',
    type: 'amount',
    description: '`paid_total` − `posted_total`',
    sign: 'plus: paid, but not in the books',
    empty: 'one of the two is not known',
    currencyColumn: 'currency',
    value: ({ paid, posted }) => (paid === null || posted === null ? null : paid.minus(posted)),
  },
  {
    name: 'carried_forward',
    type: 'amount',
    description: CARRIED,
    empty: 'nothing is carried forward',
    currencyColumn: 'currency',
    value: ({ carriedForward }) => carriedForward,
  },
  {
    name: 'due_date',
    type: 'date',
    description: 'the day by which the month has to be paid',
    value: ({ dueDate }) => dueDate,
  },
  {
    name: 'finding',
    type: 'text',
    description: 'the break code: `PAYOUT_MISSING` or `PAYOUT_DIFFERS`',
    empty: 'no difference, or not due yet',
    value: ({ finding }) => finding,
  },
];

/** Only in sets of nights that knew of payments. */
export const revenueLegs = defineReport<SettledLeg>({
  definition: {
    name: 'revenue_legs',
    file: 'revenue_legs.csv',
    description: "The host's revenue in three legs: accrued, paid, posted",
    notes: 'One row for each past month and currency. The tolerance is one minor unit (a cent).',
    columns,
  },
  collect: () => ({ record: () => [], revenue: ({ legs }) => legs }),
});
