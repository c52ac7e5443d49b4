import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts } from '../src/ports/settled.ts';
import type { StatusChange } from '../src/ports/store/store.ts';
import { defineReport } from './define.ts';

interface StatusChangeRow {
  run: RunFacts;
  change: StatusChange;
}

const columns: readonly Column<StatusChangeRow>[] = [
  { name: 'run_id', type: 'id', description: 'id of the run that reports the change', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ change }) => change.kind },
  {
    name: 'record_id',
    type: 'id',
    description: 'id of the record at the Service',
    value: ({ change }) => change.recordId,
  },
  { name: 'from_status', type: 'text', description: 'the status before', value: ({ change }) => change.from },
  { name: 'to_status', type: 'text', description: 'the status after', value: ({ change }) => change.to },
  {
    name: 'from_seen_at',
    type: 'instant',
    description: 'when Tieout last received the earlier status',
    value: ({ change }) => change.fromSeenAt,
  },
  {
    name: 'to_seen_at',
    type: 'instant',
    description: 'when Tieout first received the later status; the change itself may be earlier',
    value: ({ change }) => change.toSeenAt,
  },
  {
    name: 'learned_from',
    type: 'text',
    description: 'how Tieout learned of it: `webhook`, `event` (from the app), `fetch` or `import`',
    value: ({ change }) => change.learnedFrom,
  },
  {
    name: 'legal',
    type: 'boolean',
    description: 'whether the status model of the settings allows the change',
    value: ({ change }) => change.legal,
  },
];

/** Every change of status learned since the run before. */
export const statusChanges = defineReport<StatusChangeRow>({
  definition: {
    name: 'status_changes',
    file: 'status_changes.csv',
    description: 'Status changes learned since the run before',
    notes: 'Changes that webhooks reported during the day are included.',
    columns,
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({ record: ({ run, statusChanges: changes }) => changes.map((change) => ({ run, change })) }),
});
