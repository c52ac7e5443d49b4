import { ageInDays, type Break } from '../src/domain/break.ts';
import { type Aside, moneyAside } from '../src/domain/stake.ts';
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
  { name: 'run_id', type: 'id', description: 'id of the run that lists the break', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'break_id',
    type: 'id',
    description: 'id of the break; it stays the same in all later runs',
    value: ({ standing }) => standing.breakId,
  },
  {
    name: 'rule',
    type: 'text',
    description: 'the break code, explained in the next chapter',
    value: ({ standing }) => standing.rule,
  },
  {
    name: 'severity',
    type: 'text',
    description: '`low`, `medium`, `high` or `critical`',
    value: ({ standing }) => standing.severity,
  },
  {
    name: 'state',
    type: 'text',
    description: '`open`, `acknowledged`, `waived`, `reopened`, or `resolved` (only in the run that resolved it)',
    value: ({ standing }) => standing.state,
  },
  {
    name: 'kind',
    type: 'text',
    description:
      "`purchase`, `sale`, `market` (one asset, currency and direction), `payout` (a month of the host's revenue, or a payment of it), or `run`",
    value: ({ standing }) => standing.kind,
  },
  {
    name: 'record_id',
    type: 'id',
    description:
      'id of the record at the Service; of a `market`, `ASSET/CURRENCY/onramp` or `…/offramp`; of a `payout`, the month and currency, or the payment; of a `run`, `onramp` or `offramp`',
    value: ({ standing }) => standing.recordId,
  },
  {
    name: 'host_reference',
    type: 'text',
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
    value: ({ hostReference }) => hostReference,
  },
  {
    name: 'field',
    type: 'text',
    description: 'the field that differs: `applied_fee`, `status` …',
    value: ({ standing }) => standing.field,
  },
  {
    name: 'expected',
    type: 'text',
    mayBeNumber: true,
    description: 'the expected value: promised, allowed, or seen before',
    unit: 'as the field',
    empty: 'no single value is expected',
    value: ({ standing }) => standing.expected,
  },
  {
    name: 'actual',
    type: 'text',
    mayBeNumber: true,
    description: 'the value found',
    unit: 'as the field',
    empty: 'no value was found',
    value: ({ standing }) => standing.actual,
  },
  {
    name: 'difference',
    type: 'amount',
    description: '`actual` − `expected`; unit in `unit` and `currency`',
    sign: 'plus: more than expected',
    empty: 'one of them is not a number',
    currencyColumn: 'currency',
    isCheckOnly: true,
    value: ({ standing }) => standing.difference,
  },
  {
    name: 'currency',
    type: 'text',
    description: 'what `difference` and `tolerance` are measured in: an ISO code or an asset',
    empty: 'the difference is no amount',
    value: ({ standing }) => standing.currency,
  },
  {
    name: 'tolerance',
    type: 'percent',
    description: 'the largest difference that is not a break',
    unit: '`currency`',
    empty: 'no numbers are compared',
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
    description: 'days from `first_seen_date` to `business_date`',
    unit: 'calendar days',
    value: ({ run, standing }) => ageInDays(standing, run.businessDate),
  },
  {
    name: 'times_reopened',
    type: 'count',
    description: 'how often the break was reopened',
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
    description: 'one sentence with the figures and the reason',
    value: ({ standing }) => standing.explanation,
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'SHA-256 of the body that shows the break; `tieout evidence` prints it',
    empty: 'no body was received, or the break is about no single record',
    value: ({ standing }) => standing.evidenceSha256,
  },
  {
    name: 'unit',
    type: 'text',
    description:
      'kind of the difference: `money`, `rate` (a price per token), `crypto` or `days`; only `money` may be added',
    empty: 'the difference is no number',
    value: ({ standing }) => standing.unit,
  },
  {
    name: 'money_at_stake',
    type: 'amount',
    description:
      'what the bearer (`loss_bearer`) lost against the promise: once per record, on its leading break, where money has moved',
    sign: "plus: the user's loss, or what the host is owed; minus: the Service's loss",
    empty: 'another break of the record leads, no money has moved, or the money is pending, waived or claimed',
    currencyColumn: 'record_currency',
    value: ({ standing }) => standing.moneyAtStake,
  },
  {
    name: 'leading_break_id',
    type: 'id',
    description:
      "`break_id` of the record's break that explains most of its loss; breaks of one cause name the same one",
    empty: 'no break of the record measures a loss, or the break has another cause',
    value: ({ standing }) => standing.leadingBreakId,
  },
  {
    name: 'due_date',
    type: 'date',
    description: "the day by which a month of the host's revenue has to be paid",
    empty: 'the break is not about such a month',
    value: ({ dueDate }) => dueDate,
  },
  {
    name: 'claim_id',
    type: 'id',
    description: 'id of the claim that contains the break',
    empty: 'no claim contains it',
    value: ({ standing }) => standing.claimId ?? null,
  },
  {
    name: 'record_currency',
    type: 'text',
    description: 'fiat currency of the record; `money_at_stake` is in it',
    unit: 'ISO code',
    empty: 'the record was never read',
    value: ({ standing }) => standing.recordCurrency,
  },
  {
    name: 'loss_bearer',
    type: 'text',
    description: 'who loses: `user`, `service`, or `host` (you); losses of different bearers are never added',
    empty: 'no loss is measured, or no money has moved',
    value: ({ standing }) => standing.lossBearer,
  },
  {
    name: 'money_moved',
    type: 'text',
    description: "whether the record's money has moved: `yes`, `no`, `pending` or `unknown`",
    empty: 'the break is from before this was recorded',
    value: ({ standing }) => standing.moneyMoved,
  },
  aside('pending', "the record's loss where its money has not moved yet, or its status is unknown"),
  aside('waived', "the record's loss where its leading break is waived"),
  aside('claimed', "the record's loss where it is in a claim"),
];

/** The loss of a record is in one of four columns at most: at stake, pending, waived or claimed. */
function aside(name: Aside, description: string): Column<BreakRow> {
  return {
    name: `money_${name}`,
    type: 'amount',
    description: `${description}; on the leading break`,
    sign: 'as `money_at_stake`',
    empty: 'nothing of it',
    currencyColumn: 'record_currency',
    value: ({ standing }) => moneyAside(standing, name),
  };
}

/** The work list: breaks that stand after the run, and those resolved in it. */
export const breaks = defineReport<BreakRow>({
  definition: {
    name: 'breaks',
    file: 'breaks.csv',
    description: 'Every break that stands, and those resolved in this run',
    notes: 'This is the work list. Work it by `money_at_stake`, one currency at a time.',
    columns,
    key: ['break_id'],
    refersTo: [{ fields: ['leading_break_id'], report: 'breaks', to: ['break_id'] }],
  },
  collect: () => ({
    record: ({ run, tracked, breaks: standing }) =>
      standing.map((each) => ({ run, hostReference: tracked.hostReference, standing: each, dueDate: null })),
    outside: ({ run, hostReference, dueDate = null, ...standing }) => [{ run, hostReference, standing, dueDate }],
  }),
});
