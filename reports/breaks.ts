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
  dueDate: string | null;
}

const columns: readonly Column<BreakRow>[] = [
  { name: 'run_id', type: 'id', description: 'the run that listed it', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'break_id',
    type: 'id',
    description: 'identifies the break; it keeps this id in later runs',
    value: ({ standing }) => standing.breakId,
  },
  { name: 'rule', type: 'text', description: 'the break code', value: ({ standing }) => standing.rule },
  {
    name: 'severity',
    type: 'text',
    description: '`low`, `medium`, `high` or `critical`',
    value: ({ standing }) => standing.severity,
  },
  {
    name: 'state',
    type: 'text',
    description: '`open`, `acknowledged`, `waived`, `reopened`; `resolved` where it ended in this run',
    value: ({ standing }) => standing.state,
  },
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ standing }) => standing.kind },
  {
    name: 'record_id',
    type: 'id',
    description: "the Service's id",
    value: ({ standing }) => standing.recordId,
  },
  {
    name: 'host_reference',
    type: 'text',
    description: "the app's own reference",
    empty: 'the app gave none',
    value: ({ hostReference }) => hostReference,
  },
  {
    name: 'field',
    type: 'text',
    description: 'the field that the break is about: `applied_fee`, `status` …',
    value: ({ standing }) => standing.field,
  },
  {
    name: 'expected',
    type: 'text',
    mayBeNumber: true,
    description: 'what was promised, or seen before',
    unit: 'as the field',
    empty: 'nothing in particular was expected',
    value: ({ standing }) => standing.expected,
  },
  {
    name: 'actual',
    type: 'text',
    mayBeNumber: true,
    description: 'what the record says',
    unit: 'as the field',
    empty: 'the record says nothing',
    value: ({ standing }) => standing.actual,
  },
  {
    name: 'difference',
    type: 'amount',
    description: 'actual − expected',
    sign: 'plus: more than expected',
    empty: 'one of them is no number',
    currencyColumn: 'currency',
    isCheckOnly: true,
    value: ({ standing }) => standing.difference,
  },
  {
    name: 'currency',
    type: 'text',
    description: 'unit of the difference and the tolerance: an ISO code or an asset',
    empty: 'the difference has no unit',
    value: ({ standing }) => standing.currency,
  },
  {
    name: 'tolerance',
    type: 'percent',
    description: 'the largest difference that is accepted',
    unit: '`currency`',
    empty: 'no number is compared',
    value: ({ standing }) => standing.tolerance,
  },
  {
    name: 'first_seen_date',
    type: 'date',
    description: 'business date of the first night that found it',
    value: ({ standing }) => standing.firstSeenDate,
  },
  {
    name: 'last_seen_date',
    type: 'date',
    description: 'business date of the last night that found it',
    value: ({ standing }) => standing.lastSeenDate,
  },
  {
    name: 'age_days',
    type: 'count',
    description: 'days from first seen to the business date',
    unit: 'calendar days',
    value: ({ run, standing }) => ageDays(run, standing),
  },
  {
    name: 'times_reopened',
    type: 'count',
    description: 'how often it was reopened',
    value: ({ standing }) => standing.timesReopened,
  },
  {
    name: 'assignee',
    type: 'text',
    description: 'the person who works on it',
    empty: 'it is not assigned',
    value: ({ standing }) => standing.assignee,
  },
  {
    name: 'explanation',
    type: 'text',
    description: 'one sentence with the numbers in it',
    value: ({ standing }) => standing.explanation,
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'SHA-256 of the body that shows it',
    empty: 'no body was received',
    value: ({ standing }) => standing.evidenceSha256,
  },
  {
    name: 'unit',
    type: 'text',
    description:
      'what differs: `money`, `rate` (a price per token), `crypto` or `days`; only money may be added as money',
    empty: 'nothing that can be measured differs',
    value: ({ standing }) => standing.unit,
  },
  {
    name: 'money_at_stake',
    type: 'amount',
    description:
      'what the user of the record paid too much, or got too little, against the promise; once per record, on its leading break',
    sign: "plus: the user's loss; minus: the Service's",
    empty: 'another break leads, or no money is at stake',
    currencyColumn: 'record_currency',
    value: ({ standing }) => standing.moneyAtStake,
  },
  {
    name: 'leading_break_id',
    type: 'id',
    description: "the record's break that explains most of the money at stake; breaks of one cause name the same one",
    empty: 'no money is at stake, or the break is about something else',
    value: ({ standing }) => standing.leadingBreakId,
  },
  {
    name: 'due_date',
    type: 'date',
    description:
      'the day by which it is to be settled: of a break about a month of the host revenue, when it was to be paid',
    empty: 'none is set',
    value: ({ dueDate }) => dueDate,
  },
  {
    name: 'claim_id',
    type: 'id',
    description: 'the claim that it is part of',
    empty: 'no claim',
    value: ({ standing }) => standing.claimId ?? null,
  },
  {
    name: 'record_currency',
    type: 'text',
    description: "the record's fiat currency, which the money at stake is in",
    unit: 'ISO code',
    empty: 'the record was never read',
    value: ({ standing }) => standing.recordCurrency,
  },
];

/** Never negative: a night that is run late for an earlier date sees breaks that were found after it. */
export function ageDays(run: RunFacts, standing: Break): number {
  return Math.max(0, daysBetween(standing.firstSeenDate, run.businessDate));
}

/** The work list: breaks that stand after the run, and those resolved in it. */
export const breaks = defineReport<BreakRow>({
  definition: {
    name: 'breaks',
    file: 'breaks.csv',
    description: 'Every break that stands, and those resolved in this run',
    notes: 'This is the work list.',
    columns,
  },
  collect: () => ({
    record: ({ run, tracked, breaks: standing }) =>
      standing.map((each) => ({ run, hostReference: tracked.hostReference, standing: each, dueDate: null })),
    outside: ({ run, hostReference, dueDate = null, ...standing }) => [{ run, hostReference, standing, dueDate }],
  }),
});
