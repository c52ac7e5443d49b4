/** What a break says by itself, in columns: of breaks.csv, of the files that list breaks outside a set, and of `--json`. */
import type { Break } from '../domain/break.ts';
import { columnsOf } from './report-columns.ts';
import type { Column } from './report-definition.ts';

/** A break as a report lists it. */
export type ListedBreak = Break & { hostReference: string | null };

const { amount, count, date, id, percent, text } = columnsOf<ListedBreak>('record_currency');

export const BREAK_COLUMNS: readonly Column<ListedBreak>[] = [
  id('break_id', ({ breakId }) => breakId, 'id of the break; it stays the same in all later runs'),
  text('rule', ({ rule }) => rule, 'the break code, explained in the next chapter'),
  text('severity', ({ severity }) => severity, '`low`, `medium`, `high` or `critical`'),
  text('state', ({ state }) => state, {
    description: '`open`, `acknowledged`, `waived`, `reopened`, or `resolved` (only in the run that resolved it)',
  }),
  text('kind', ({ kind }) => kind, {
    description:
      "`purchase`, `sale`, `market` (one asset, currency and direction), `payout` (a month of the host's revenue, or a payment of it), or `run`",
  }),
  id('record_id', ({ recordId }) => recordId, {
    description:
      'id of the record at the Service; of a `market`, `ASSET/CURRENCY/onramp` or `…/offramp`; of a `payout`, the month and currency, or the payment; of a `run`, `onramp` or `offramp`',
  }),
  text('host_reference', ({ hostReference }) => hostReference, {
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
  }),
  text('field', ({ field }) => field, 'the field that differs: `applied_fee`, `status` …'),
  text('expected', ({ expected }) => expected, {
    mayBeNumber: true,
    description: 'the expected value: promised, allowed, or seen before',
    unit: 'as the field',
    empty: 'no single value is expected',
  }),
  text('actual', ({ actual }) => actual, {
    mayBeNumber: true,
    description: 'the value found',
    unit: 'as the field',
    empty: 'no value was found',
  }),
  amount('difference', ({ difference }) => difference, {
    description: '`actual` − `expected`; unit in `unit` and `currency`',
    sign: 'plus: more than expected',
    empty: 'one of them is not a number',
    currencyColumn: 'currency',
    isCheckOnly: true,
  }),
  text('currency', ({ currency }) => currency, {
    description: 'what `difference` and `tolerance` are measured in: an ISO code or an asset',
    empty: 'the difference is not an amount',
  }),
  percent('tolerance', ({ tolerance }) => tolerance, {
    description: 'the largest difference that is not a break',
    unit: '`currency`',
    empty: 'no numbers are compared',
  }),
  date('first_seen_date', ({ firstSeenDate }) => firstSeenDate, 'business date of the first night that found it'),
  date('last_seen_date', ({ lastSeenDate }) => lastSeenDate, 'business date of the last night that found it'),
  count('times_reopened', ({ timesReopened }) => timesReopened, 'how often the break was reopened'),
  text('assignee', ({ assignee }) => assignee, {
    description: 'the person who works on it',
    empty: 'it is not assigned',
  }),
  text('explanation', ({ explanation }) => explanation, 'one sentence with the figures and the reason'),
  id('evidence_sha256', ({ evidenceSha256 }) => evidenceSha256, {
    description: 'SHA-256 of the body that shows the break; `tieout evidence` prints it',
    empty: 'no body was received, or the break is about no single record',
  }),
  text('unit', ({ unit }) => unit, {
    description:
      'kind of the difference: `money`, `rate` (a price per token), `crypto` or `days`; only `money` may be added',
    empty: 'the difference is not a number',
  }),
  amount('money_at_stake', ({ moneyAtStake }) => moneyAtStake, {
    description:
      'what the bearer (`loss_bearer`) lost against the promise: once per record, on its leading break, where money has moved',
    sign: "plus: the user's loss, or what the host is owed; minus: the Service's loss",
    empty: 'another break of the record leads, no money has moved, or the money is pending, waived or claimed',
  }),
  id('leading_break_id', ({ leadingBreakId }) => leadingBreakId, {
    description:
      "`break_id` of the record's break that explains most of its loss; breaks of one cause name the same one",
    empty: 'no break of the record measures a loss, or the break has another cause',
  }),
  id('claim_id', ({ claimId }) => claimId ?? null, {
    description: 'id of the claim that contains the break',
    empty: 'no claim contains it',
  }),
  text('record_currency', ({ recordCurrency }) => recordCurrency, {
    description: 'fiat currency of the record; `money_at_stake` is in it',
    unit: 'ISO code',
    empty: 'the record was never read',
  }),
];
