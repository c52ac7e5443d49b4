import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts } from '../src/ports/settled.ts';
import type { StatusChange } from '../src/ports/store/store.ts';
import { columnsOf, defineReport, runColumns } from './define.ts';

interface StatusChangeRow {
  run: RunFacts;
  change: StatusChange;
}

const { boolean, id, instant, text } = columnsOf<StatusChangeRow>();

const columns: readonly Column<StatusChangeRow>[] = [
  ...runColumns('id of the run that reports the change'),
  text('kind', ({ change }) => change.kind, '`purchase` or `sale`'),
  id('record_id', ({ change }) => change.recordId, 'id of the record at the Service'),
  text('from_status', ({ change }) => change.from, 'the status before'),
  text('to_status', ({ change }) => change.to, 'the status after'),
  instant('from_seen_at', ({ change }) => change.fromSeenAt, 'when Tieout last received the earlier status'),
  instant('to_seen_at', ({ change }) => change.toSeenAt, {
    description: 'when Tieout first received the later status; the change itself may be earlier',
  }),
  text('learned_from', ({ change }) => change.learnedFrom, {
    description: 'how Tieout learned of it: `webhook`, `event` (from the app), `fetch` or `import`',
  }),
  boolean('legal', ({ change }) => change.legal, 'whether the status model of the settings allows the change'),
];

/** Every change of status learned since the run before. */
export const statusChanges = defineReport<StatusChangeRow>({
  definition: {
    name: 'status_changes',
    description: 'Status changes learned since the run before',
    notes: 'Changes that webhooks reported during the day are included.',
    columns,
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({ record: ({ run, statusChanges: changes }) => changes.map((change) => ({ run, change })) }),
});
