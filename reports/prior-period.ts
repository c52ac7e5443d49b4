/**
 * What is no longer as it was stated of closed months. Not a report of a night: it is in the sets of closed months, and, of
 * one month alone, in a delta.
 */

import type { PeriodChange } from '../src/ports/period.ts';
import type { Column, ReportDefinition } from '../src/ports/report-definition.ts';

const columns: readonly Column<PeriodChange>[] = [
  { name: 'kind', type: 'text', description: 'purchase or sale', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: "The Service's id of the record", value: ({ recordId }) => recordId },
  {
    name: 'host_reference',
    type: 'text',
    description: "The app's own reference",
    value: ({ hostReference }) => hostReference,
  },
  {
    name: 'period',
    type: 'text',
    description: 'The closed month that the record belongs to',
    value: ({ period }) => period,
  },
  {
    name: 'change',
    type: 'text',
    description: 'field, break, verdict, or record where it came into the month late or left it',
    value: ({ change }) => change,
  },
  { name: 'item', type: 'text', description: 'The field, or the rule and its field', value: ({ item }) => item },
  {
    name: 'before',
    type: 'text',
    mayBeNumber: true,
    description: 'As it was last stated; empty where it was unknown or not there',
    value: ({ before }) => before,
  },
  { name: 'after', type: 'text', mayBeNumber: true, description: 'As it stands now', value: ({ after }) => after },
  {
    name: 'difference',
    type: 'amount',
    description: 'after − before where both are numbers; the whole amount of a record that came or left',
    currencyColumn: 'currency',
    value: ({ difference }) => difference,
  },
  { name: 'currency', type: 'text', description: 'Unit of the difference', value: ({ currency }) => currency },
  {
    name: 'first_seen_date',
    type: 'date',
    description: 'Business date of the run that first saw it so',
    value: ({ firstSeenDate }) => firstSeenDate,
  },
  {
    name: 'explanation',
    type: 'text',
    description: 'One sentence with the numbers in it',
    value: ({ explanation }) => explanation,
  },
];

/** Of the set of a closed month: what was found out since earlier months were closed, and no month has told yet. */
export const priorPeriod: ReportDefinition<PeriodChange> = {
  name: 'prior_period',
  file: 'prior_period.csv',
  description: 'Later findings on records of months that were closed before',
  columns,
};

/** Of a delta: what differs from the sealed set of its own month, or from the delta before it. */
export const periodChanges: ReportDefinition<PeriodChange> = {
  name: 'changes',
  file: 'changes.csv',
  description: 'What differs from what was last stated of the month',
  columns,
};
