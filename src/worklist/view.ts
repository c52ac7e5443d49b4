/**
 * A view of the queue as an address has it: filters, order and place, read and written. A filter that cannot be read is reported: without
 * it, more breaks would match than were asked for.
 */
import { BREAK_KINDS, BREAK_STATES, isOpen } from '../domain/break.ts';
import { isRecordMonth, monthAfter, startOfBusinessDate } from '../domain/calendar.ts';
import { UsageError } from '../domain/errors.ts';
import { SEVERITIES } from '../domain/finding.ts';
import { MONEY_MOVED } from '../domain/status.ts';
import { QUEUE_SORTS, type QueueFilter, type QueueSort } from '../ports/store/work-list.ts';

/** The filters of an address, in the order of their pills. */
export const VIEW_FIELDS = [
  'rule',
  'severity',
  'state',
  'assignee',
  'currency',
  'status',
  'moved',
  'kind',
  'month',
  'amount',
  'record',
  'host',
  'text',
] as const;
export type ViewField = (typeof VIEW_FIELDS)[number];

export interface View {
  /** Values by field; a field with several values has several pills. */
  values: ReadonlyMap<ViewField, readonly string[]>;
  sort: QueueSort;
  reversed: boolean;
  /** Filters that cannot be read, each with its value as given. */
  wrong: readonly WrongFilter[];
}

export interface WrongFilter {
  field: ViewField;
  value: string;
  /** How to write it. */
  allowed: string;
}

const MANY: readonly ViewField[] = ['rule', 'severity', 'state'];
const AMOUNT = /^\d{1,20}(?:\.\d{1,10})?$/;
const LONGEST = 200;

const READS: Readonly<Record<ViewField, (value: string) => boolean>> = {
  rule: (value) => /^[A-Z][A-Z0-9_]{1,60}$/.test(value),
  severity: (value) => SEVERITIES.some((each) => each === value),
  state: (value) => value === 'all' || BREAK_STATES.some((each) => each === value),
  assignee: (value) => value.length <= LONGEST,
  currency: (value) => /^[A-Za-z0-9_-]{1,40}$/.test(value),
  status: (value) => /^[A-Za-z_-]{1,64}$/.test(value),
  moved: (value) => MONEY_MOVED.some((each) => each === value),
  kind: (value) => BREAK_KINDS.some((each) => each === value),
  month: isRecordMonth,
  amount: (value) => AMOUNT.test(value),
  record: (value) => /^[A-Za-z0-9_-]{1,64}$/.test(value),
  host: (value) => value.length <= 1024,
  text: (value) => value.length <= LONGEST,
};

const ALLOWED: Readonly<Record<ViewField, string>> = {
  rule: 'a code such as FEE_APPLIED_DIFFERS',
  severity: SEVERITIES.join(', '),
  state: `${BREAK_STATES.join(', ')}, or all`,
  assignee: 'at most 200 characters',
  currency: 'a code such as EUR',
  status: 'a status such as EXPIRED',
  moved: MONEY_MOVED.join(', '),
  kind: BREAK_KINDS.join(', '),
  month: 'a month such as 2026-10',
  amount: 'an amount such as 12.50, with a point and without a sign',
  record: 'an id of letters, digits, - and _',
  host: 'at most 1024 characters',
  text: 'at most 200 characters',
};

export function readView(query: URLSearchParams): View {
  const values = new Map<ViewField, readonly string[]>();
  const wrong: WrongFilter[] = [];
  for (const field of VIEW_FIELDS) {
    const stated = query
      .getAll(field)
      .map((value) => value.trim())
      .filter((value) => value !== '');
    const isRead = (value: string) => !value.includes('\0') && READS[field](value);
    const given = stated.filter(isRead);
    for (const value of stated.filter((each) => !isRead(each)))
      wrong.push({ field, value: value.slice(0, LONGEST), allowed: ALLOWED[field] });
    if (given.length > 0) values.set(field, MANY.includes(field) ? [...new Set(given)] : given.slice(-1));
  }
  const sort = QUEUE_SORTS.find((each) => each === query.get('sort')) ?? 'stake';
  return { values, sort, reversed: query.get('order') === 'reversed', wrong };
}

/** The same view, where every filter of the address could be read. @throws UsageError */
export function requireView(query: URLSearchParams): View {
  const view = readView(query);
  const [first] = view.wrong;
  if (first === undefined) return view;
  throw new UsageError(
    `the filter ${first.field} is ${JSON.stringify(first.value)}; allowed: ${first.allowed}. Nothing was chosen by it`,
  );
}

/** The address of a view without its `?`; the default view is empty. */
export function viewQuery({ values, sort, reversed }: View, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams();
  for (const [field, given] of values) for (const value of given) query.append(field, value);
  if (sort !== 'stake') query.set('sort', sort);
  if (reversed) query.set('order', 'reversed');
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query.toString();
}

export function withoutFilter(view: View, field: ViewField, value: string): View {
  const left = (view.values.get(field) ?? []).filter((each) => each !== value);
  const values = new Map(view.values);
  if (left.length === 0) values.delete(field);
  else values.set(field, left);
  return { ...view, values };
}

/** @param timezone of business days, for the month. */
export function filterOf({ values }: View, timezone: string): QueueFilter {
  const one = (field: ViewField) => values.get(field)?.[0];
  const states = values.get('state') ?? [];
  const month = one('month');
  const assignee = one('assignee');
  const [currency, kind, amount] = [one('currency'), BREAK_KINDS.find((each) => each === one('kind')), one('amount')];
  const [status, moved] = [one('status'), MONEY_MOVED.find((each) => each === one('moved'))];
  const [record, host, text] = [one('record'), one('host'), one('text')];
  const rules = values.get('rule');
  const severities = SEVERITIES.filter((each) => values.get('severity')?.includes(each));
  return {
    states: states.includes('all')
      ? BREAK_STATES
      : BREAK_STATES.filter((each) => (states.length === 0 ? isOpen(each) : states.includes(each))),
    ...(rules === undefined ? {} : { rules }),
    ...(severities.length === 0 ? {} : { severities }),
    ...(assignee === undefined ? {} : { assignee: assignee === '-' ? null : assignee }),
    ...(currency === undefined ? {} : { currency }),
    ...(status === undefined ? {} : { status }),
    ...(moved === undefined ? {} : { moved }),
    ...(kind === undefined ? {} : { kind }),
    ...(record === undefined ? {} : { recordId: record }),
    ...(host === undefined ? {} : { hostReference: host }),
    ...(amount === undefined ? {} : { atLeast: amount.replace(/^0+(?=\d)/, '') }),
    ...(text === undefined ? {} : { text }),
    ...(month === undefined ? {} : { created: monthRange(month, timezone) }),
  };
}

function monthRange(month: string, timezone: string) {
  const start = (of: string) => startOfBusinessDate(`${of}-01`, timezone);
  return { from: start(month), to: start(monthAfter(month)) };
}
