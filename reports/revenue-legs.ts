import type { Column } from '../src/ports/report-definition.ts';
import type { SettledLeg } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

const CARRIED = 'what is below the least payout, and is paid with a later month';

const columns: readonly Column<SettledLeg>[] = [
  {
    name: 'business_month',
    type: 'text',
    description: 'month of creation of the records',
    value: ({ month }) => month,
  },
  {
    name: 'currency',
    type: 'text',
    description: 'currency of the row',
    unit: 'ISO code',
    value: ({ currency }) => currency,
  },
  {
    name: 'accrued_total',
    type: 'amount',
    description: 'the share that released records state, or that their linked quotes promised',
    empty: 'no record of the month is known',
    currencyColumn: 'currency',
    value: ({ accrued }) => accrued,
  },
  {
    name: 'paid_total',
    type: 'amount',
    description: 'payments for the month, with what was withheld, at the stated rates',
    empty: 'none was found',
    currencyColumn: 'currency',
    value: ({ paid }) => paid,
  },
  {
    name: 'posted_total',
    type: 'amount',
    description: 'what the books have (`evidence.payouts.posted`)',
    empty: 'the books say nothing',
    currencyColumn: 'currency',
    value: ({ posted }) => posted,
  },
  {
    name: 'accrued_minus_paid',
    type: 'amount',
    description: 'accrued − paid',
    sign: 'plus: owed by the partner',
    empty: 'one of the two is not known',
    currencyColumn: 'currency',
    value: ({ accrued, paid }) => (accrued === null || paid === null ? null : accrued.minus(paid)),
  },
  {
    name: 'paid_minus_posted',
    type: 'amount',
    description: 'paid − posted',
    sign: 'plus: paid, and not in the books',
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
    description: 'the day by which the month is to be paid',
    value: ({ dueDate }) => dueDate,
  },
  {
    name: 'finding',
    type: 'text',
    description: 'the break code',
    empty: 'nothing is wrong, or it is not due yet',
    value: ({ finding }) => finding,
  },
];

/** Only in sets of nights that knew of payments. */
export const revenueLegs = defineReport<SettledLeg>({
  definition: {
    name: 'revenue_legs',
    file: 'revenue_legs.csv',
    description: "The host's revenue in three legs: accrued, paid, posted",
    notes: 'One row for each month that is over, and currency. To the cent: a minor unit is all that is tolerated.',
    columns,
  },
  collect: () => ({ record: () => [], revenue: ({ legs }) => legs }),
});
