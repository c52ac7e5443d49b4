/** Columns that several reports have, and the makers of all columns. */

import { columnsOf } from '../src/ports/report-columns.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledRecord } from '../src/ports/settled.ts';

export { columnsOf } from '../src/ports/report-columns.ts';

/** The first columns of a run's report. @param run what `run_id` says. */
export function runColumns(run = 'id of the run'): readonly Column<{ run: RunFacts }>[] {
  const { id, date } = columnsOf<{ run: RunFacts }>();
  return [
    id('run_id', (row) => row.run.runId, { description: run }),
    date('business_date', (row) => row.run.businessDate, {
      description: 'the business date: the day that the run is for',
    }),
  ];
}

const ofRecord = columnsOf<Pick<SettledRecord, 'kind' | 'recordId'>>();

export const KIND = ofRecord.text('kind', ({ kind }) => kind, { description: '`purchase` or `sale`' });
export const RECORD_ID = ofRecord.id('record_id', ({ recordId }) => recordId, {
  description: 'id of the record at the Service',
});
export const HOST_REFERENCE = columnsOf<Pick<SettledRecord, 'tracked'>>().text(
  'host_reference',
  ({ tracked }) => tracked.hostReference,
  {
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
  },
);
