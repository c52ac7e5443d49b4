/**
 * Changes of closed months since they were stated. Not a report of a night: it is in the sets of closed months, and for one
 * month alone in a delta.
 */

import type { PeriodChange } from '../src/ports/period.ts';
import type { Column, ReportDefinition } from '../src/ports/report-definition.ts';

const columns: readonly Column<PeriodChange>[] = [
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: 'id of the record at the Service', value: ({ recordId }) => recordId },
  {
    name: 'host_reference',
    type: 'text',
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
    value: ({ hostReference }) => hostReference,
  },
  {
    name: 'period',
    type: 'text',
    description: 'the closed month that the record belongs to',
    unit: '`2026-10`',
    value: ({ period }) => period,
  },
  {
    name: 'change',
    type: 'text',
    description:
      'what changed: `field`, `break`, `verdict`, or `record` (the record was added to the month late, or left it)',
    value: ({ change }) => change,
  },
  {
    name: 'item',
    type: 'text',
    description:
      'name of the changed field; rule and field of the break; `verdict`; or `added` or `moved` for a whole record',
    value: ({ item }) => item,
  },
  {
    name: 'before',
    type: 'text',
    mayBeNumber: true,
    description: 'value last stated for the closed month',
    unit: 'as the item',
    empty: 'not known then, or no such record or break',
    value: ({ before }) => before,
  },
  {
    name: 'after',
    type: 'text',
    mayBeNumber: true,
    description: 'value now',
    unit: 'as the item',
    empty: 'not known now, or no such record or break',
    value: ({ after }) => after,
  },
  {
    name: 'difference',
    type: 'amount',
    description: '`after` − `before`; of an added or moved record, its whole amount',
    sign: 'plus: more than stated',
    empty: 'one of them is not a number',
    currencyColumn: 'currency',
    value: ({ difference }) => difference,
  },
  {
    name: 'currency',
    type: 'text',
    description: 'currency or asset of `difference`',
    unit: 'ISO code or asset',
    empty: 'the difference is no amount',
    value: ({ currency }) => currency,
  },
  {
    name: 'first_seen_date',
    type: 'date',
    description: 'business date of the first run that saw the change',
    empty: 'no run saw it',
    value: ({ firstSeenDate }) => firstSeenDate,
  },
  {
    name: 'explanation',
    type: 'text',
    description: 'one sentence with the figures and the reason',
    value: ({ explanation }) => explanation,
  },
];

/** Of the set of a closed month: later findings on earlier months that no other set has reported. */
export const priorPeriod: ReportDefinition<PeriodChange> = {
  name: 'prior_period',
  file: 'prior_period.csv',
  description: 'Later findings on records of months that were closed before',
  notes: 'Only in the set of a closed month. `changes.csv` in a delta has the same columns, for its own month.',
  columns,
};

/** Of a delta: what differs from the sealed set of its own month, or from the delta before it. */
export const periodChanges: ReportDefinition<PeriodChange> = {
  name: 'changes',
  file: 'changes.csv',
  description: 'Differences from the last statement of the month',
  columns,
};
