import type { Break } from '../src/domain/break.ts';
import { daysBetween } from '../src/domain/calendar.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

/** A break as the work list shows it. */
interface BreakRow {
  run: RunFacts;
  hostReference: string | null;
  standing: Break;
}

const columns: readonly Column<BreakRow>[] = [
  { name: 'run_id', type: 'id', description: 'The run that listed the break', value: ({ run }) => run.runId },
  { name: 'business_date', type: 'date', description: 'The day the run is for', value: ({ run }) => run.businessDate },
  {
    name: 'break_id',
    type: 'id',
    description: 'The same trouble keeps its id for ever',
    value: ({ standing }) => standing.breakId,
  },
  { name: 'rule', type: 'text', description: 'The break code', value: ({ standing }) => standing.rule },
  {
    name: 'severity',
    type: 'text',
    description: 'low, medium, high or critical',
    value: ({ standing }) => standing.severity,
  },
  {
    name: 'state',
    type: 'text',
    description: 'open, acknowledged, waived, reopened; resolved where it ended in this run',
    value: ({ standing }) => standing.state,
  },
  { name: 'kind', type: 'text', description: 'purchase or sale', value: ({ standing }) => standing.kind },
  {
    name: 'record_id',
    type: 'id',
    description: "The Service's id of the record",
    value: ({ standing }) => standing.recordId,
  },
  {
    name: 'host_reference',
    type: 'text',
    description: "The app's own reference",
    value: ({ hostReference }) => hostReference,
  },
  { name: 'field', type: 'text', description: 'What the break is about', value: ({ standing }) => standing.field },
  {
    name: 'expected',
    type: 'text',
    mayBeNumber: true,
    description: 'What was promised or seen before',
    value: ({ standing }) => standing.expected,
  },
  {
    name: 'actual',
    type: 'text',
    mayBeNumber: true,
    description: 'What the record says',
    value: ({ standing }) => standing.actual,
  },
  {
    name: 'difference',
    type: 'amount',
    description: 'actual − expected, where both are numbers',
    currencyColumn: 'currency',
    value: ({ standing }) => standing.difference,
  },
  {
    name: 'currency',
    type: 'text',
    description: 'Unit of difference and tolerance',
    value: ({ standing }) => standing.currency,
  },
  {
    name: 'tolerance',
    type: 'percent',
    description: 'The largest difference that would have been accepted',
    value: ({ standing }) => standing.tolerance,
  },
  {
    name: 'first_seen_date',
    type: 'date',
    description: 'Business date on which it was first found',
    value: ({ standing }) => standing.firstSeenDate,
  },
  {
    name: 'last_seen_date',
    type: 'date',
    description: 'Business date on which it was last found',
    value: ({ standing }) => standing.lastSeenDate,
  },
  {
    name: 'age_days',
    type: 'count',
    description: 'Calendar days from first seen to the business date',
    value: ({ run, standing }) => ageDays(run, standing),
  },
  {
    name: 'times_reopened',
    type: 'count',
    description: 'How often it came back',
    value: ({ standing }) => standing.timesReopened,
  },
  { name: 'assignee', type: 'text', description: 'Who looks after it', value: ({ standing }) => standing.assignee },
  {
    name: 'explanation',
    type: 'text',
    description: 'One sentence with the numbers in it',
    value: ({ standing }) => standing.explanation,
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'SHA-256 of the body that shows it',
    value: ({ standing }) => standing.evidenceSha256,
  },
];

/** Never negative: a night that is run late for an earlier date sees breaks that were found after it. */
export function ageDays(run: RunFacts, standing: Break): number {
  return Math.max(0, daysBetween(standing.firstSeenDate, run.businessDate));
}

/** The work list: what stands after tonight, and what was resolved tonight. */
export const breaks = defineReport<BreakRow>({
  definition: {
    name: 'breaks',
    file: 'breaks.csv',
    description: 'Every break that stands, and those resolved in this run',
    columns,
  },
  collect: () => ({
    record: ({ run, tracked, breaks: standing }) =>
      standing.map((each) => ({ run, hostReference: tracked.hostReference, standing: each })),
    outside: ({ run, hostReference, ...standing }) => [{ run, hostReference, standing }],
  }),
});
