/**
 * Changes of closed months since they were stated. Not a report of a night: it is in the sets of closed months, and for one
 * month alone in a delta.
 */

import type { PeriodChange } from '../src/ports/period.ts';
import type { Column, ReportDefinition } from '../src/ports/report-definition.ts';
import { columnsOf, hostReference, KIND, RECORD_ID } from './define.ts';

const { amount, date, text } = columnsOf<PeriodChange>('currency');

const columns: readonly Column<PeriodChange>[] = [
  KIND,
  RECORD_ID,
  hostReference((change) => change.hostReference),
  text('period', ({ period }) => period, {
    description: 'the closed month that the record belongs to',
    unit: '`2026-10`',
  }),
  text('change', ({ change }) => change, {
    description:
      'what changed: `field`, `break`, `verdict`, or `record` (the record was added to the month late, or left it)',
  }),
  text('item', ({ item }) => item, {
    description:
      'name of the changed field; rule and field of the break; `verdict`; or `added` or `moved` for a whole record',
  }),
  text('before', ({ before }) => before, {
    mayBeNumber: true,
    description: 'value last stated for the closed month',
    unit: 'as the item',
    empty: 'not known then, or no such record or break',
  }),
  text('after', ({ after }) => after, {
    mayBeNumber: true,
    description: 'value now',
    unit: 'as the item',
    empty: 'not known now, or no such record or break',
  }),
  amount('difference', ({ difference }) => difference, {
    description: '`after` − `before`; of an added or moved record, its whole amount',
    sign: 'plus: more than stated',
    empty: 'one of them is not a number',
  }),
  text('currency', ({ currency }) => currency, {
    description: 'currency or asset of `difference`',
    unit: 'ISO code or asset',
    empty: 'the difference is not an amount',
  }),
  date('first_seen_date', ({ firstSeenDate }) => firstSeenDate, {
    description: 'business date of the first run that saw the change',
    empty: 'no run saw it',
  }),
  text('explanation', ({ explanation }) => explanation, 'one sentence with the figures and the reason'),
];

/** Of the set of a closed month: later findings on earlier months that no other set has reported. */
export const priorPeriod: ReportDefinition<PeriodChange> = {
  name: 'prior_period',
  description: 'Later findings on records of months that were closed before',
  notes: 'Only in the set of a closed month. `changes.csv` in a delta has the same columns, for its own month.',
  columns,
};

/** Of a delta: what differs from the sealed set of its own month, or from the delta before it. */
export const periodChanges: ReportDefinition<PeriodChange> = {
  name: 'changes',
  description: 'Differences from the last statement of the month',
  columns,
};
