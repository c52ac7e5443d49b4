import { ageInDays, type Break } from '../src/domain/break.ts';
import { type Aside, moneyAside } from '../src/domain/stake.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts } from '../src/ports/settled.ts';
import { columnsOf, runColumns } from './columns.ts';
import { defineReport } from './define.ts';

/** A break as the work list shows it. */
interface BreakRow {
  run: RunFacts;
  hostReference: string | null;
  standing: Break;
  dueDate: string | null;
}

const { amount, count, date, id, percent, text } = columnsOf<BreakRow>('record_currency');

const columns: readonly Column<BreakRow>[] = [
  ...runColumns('id of the run that lists the break'),
  id('break_id', ({ standing }) => standing.breakId, {
    description: 'id of the break; it stays the same in all later runs',
  }),
  text('rule', ({ standing }) => standing.rule, {
    description: 'the break code, explained in the next chapter',
  }),
  text('severity', ({ standing }) => standing.severity, {
    description: '`low`, `medium`, `high` or `critical`',
  }),
  text('state', ({ standing }) => standing.state, {
    description: '`open`, `acknowledged`, `waived`, `reopened`, or `resolved` (only in the run that resolved it)',
  }),
  text('kind', ({ standing }) => standing.kind, {
    description:
      "`purchase`, `sale`, `market` (one asset, currency and direction), `payout` (a month of the host's revenue, or a payment of it), or `run`",
  }),
  id('record_id', ({ standing }) => standing.recordId, {
    description:
      'id of the record at the Service; of a `market`, `ASSET/CURRENCY/onramp` or `…/offramp`; of a `payout`, the month and currency, or the payment; of a `run`, `onramp` or `offramp`',
  }),
  text('host_reference', ({ hostReference }) => hostReference, {
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
  }),
  text('field', ({ standing }) => standing.field, {
    description: 'the field that differs: `applied_fee`, `status` …',
  }),
  text('expected', ({ standing }) => standing.expected, {
    mayBeNumber: true,
    description: 'the expected value: promised, allowed, or seen before',
    unit: 'as the field',
    empty: 'no single value is expected',
  }),
  text('actual', ({ standing }) => standing.actual, {
    mayBeNumber: true,
    description: 'the value found',
    unit: 'as the field',
    empty: 'no value was found',
  }),
  amount('difference', ({ standing }) => standing.difference, {
    description: '`actual` − `expected`; unit in `unit` and `currency`',
    sign: 'plus: more than expected',
    empty: 'one of them is not a number',
    currencyColumn: 'currency',
    isCheckOnly: true,
  }),
  text('currency', ({ standing }) => standing.currency, {
    description: 'what `difference` and `tolerance` are measured in: an ISO code or an asset',
    empty: 'the difference is no amount',
  }),
  percent('tolerance', ({ standing }) => standing.tolerance, {
    description: 'the largest difference that is not a break',
    unit: '`currency`',
    empty: 'no numbers are compared',
  }),
  date('first_seen_date', ({ standing }) => standing.firstSeenDate, {
    description: 'business date of the first night that found it',
  }),
  date('last_seen_date', ({ standing }) => standing.lastSeenDate, {
    description: 'business date of the last night that found it',
  }),
  count('age_days', ({ run, standing }) => ageInDays(standing, run.businessDate), {
    description: 'days from `first_seen_date` to `business_date`',
    unit: 'calendar days',
  }),
  count('times_reopened', ({ standing }) => standing.timesReopened, {
    description: 'how often the break was reopened',
  }),
  text('assignee', ({ standing }) => standing.assignee, {
    description: 'the person who works on it',
    empty: 'it is not assigned',
  }),
  text('explanation', ({ standing }) => standing.explanation, {
    description: 'one sentence with the figures and the reason',
  }),
  id('evidence_sha256', ({ standing }) => standing.evidenceSha256, {
    description: 'SHA-256 of the body that shows the break; `tieout evidence` prints it',
    empty: 'no body was received, or the break is about no single record',
  }),
  text('unit', ({ standing }) => standing.unit, {
    description:
      'kind of the difference: `money`, `rate` (a price per token), `crypto` or `days`; only `money` may be added',
    empty: 'the difference is no number',
  }),
  amount('money_at_stake', ({ standing }) => standing.moneyAtStake, {
    description:
      'what the bearer (`loss_bearer`) lost against the promise: once per record, on its leading break, where money has moved',
    sign: "plus: the user's loss, or what the host is owed; minus: the Service's loss",
    empty: 'another break of the record leads, no money has moved, or the money is pending, waived or claimed',
  }),
  id('leading_break_id', ({ standing }) => standing.leadingBreakId, {
    description:
      "`break_id` of the record's break that explains most of its loss; breaks of one cause name the same one",
    empty: 'no break of the record measures a loss, or the break has another cause',
  }),
  date('due_date', ({ dueDate }) => dueDate, {
    description: "the day by which a month of the host's revenue has to be paid",
    empty: 'the break is not about such a month',
  }),
  id('claim_id', ({ standing }) => standing.claimId ?? null, {
    description: 'id of the claim that contains the break',
    empty: 'no claim contains it',
  }),
  text('record_currency', ({ standing }) => standing.recordCurrency, {
    description: 'fiat currency of the record; `money_at_stake` is in it',
    unit: 'ISO code',
    empty: 'the record was never read',
  }),
  text('loss_bearer', ({ standing }) => standing.lossBearer, {
    description: 'who loses: `user`, `service`, or `host` (you); losses of different bearers are never added',
    empty: 'no loss is measured, or no money has moved',
  }),
  text('money_moved', ({ standing }) => standing.moneyMoved, {
    description: "whether the record's money has moved: `yes`, `no`, `pending` or `unknown`",
    empty: 'the break is from before this was recorded',
  }),
  aside('pending', "the record's loss where its money has not moved yet, or its status is unknown"),
  aside('waived', "the record's loss where its leading break is waived"),
  aside('claimed', "the record's loss where it is in a claim"),
];

/** The loss of a record is in one of four columns at most: at stake, pending, waived or claimed. */
function aside(name: Aside, description: string): Column<BreakRow> {
  return amount(`money_${name}`, ({ standing }) => moneyAside(standing, name), {
    description: `${description}; on the leading break`,
    sign: 'as `money_at_stake`',
    empty: 'nothing of it',
  });
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
