/**
 * A view of the queue as an address has it: filters, order and place, read and written. A filter that cannot be read is reported: without
 * it, more breaks would match than were asked for.
 */
import { BREAK_KINDS, BREAK_STATES, isOpen } from '../domain/break.ts';
import { isMonth, monthAfter, startOfBusinessDate } from '../domain/calendar.ts';
import { UsageError } from '../domain/errors.ts';
import { SEVERITIES } from '../domain/finding.ts';
import { MONEY_MOVED } from '../domain/status.ts';
import { QUEUE_SORTS, type QueueFilter, type QueueSort } from '../ports/store/work-list.ts';

interface FilterTerms {
  label: string;
  /** Several values are several pills. */
  isMany?: true;
  isRead: (value: string) => boolean;
  /** How to write it. */
  allowed: string;
}

const LONGEST = 200;

const oneOf = (label: string, names: readonly string[]) => {
  return { label, isRead: (value: string) => names.includes(value), allowed: names.join(', ') };
};

/** The filters of an address, in the order of their pills. */
const FILTERS = {
  rule: {
    label: 'rule',
    isMany: true,
    isRead: (value) => /^[A-Z][A-Z0-9_]{1,60}$/.test(value),
    allowed: 'a code such as FEE_APPLIED_DIFFERS',
  },
  severity: { ...oneOf('severity', SEVERITIES), isMany: true },
  state: {
    label: 'state',
    isMany: true,
    isRead: (value) => value === 'all' || BREAK_STATES.some((each) => each === value),
    allowed: `${BREAK_STATES.join(', ')}, or all`,
  },
  assignee: {
    label: 'assignee',
    isRead: (value) => value.length <= LONGEST,
    allowed: 'at most 200 characters',
  },
  currency: {
    label: 'currency',
    isRead: (value) => /^[A-Za-z0-9_-]{1,40}$/.test(value),
    allowed: 'a code such as EUR',
  },
  status: {
    label: 'record status',
    isRead: (value) => /^[A-Za-z_-]{1,64}$/.test(value),
    allowed: 'a status such as EXPIRED',
  },
  moved: oneOf('money moved', MONEY_MOVED),
  kind: oneOf('kind', BREAK_KINDS),
  month: { label: 'month', isRead: isMonth, allowed: 'a month such as 2026-10' },
  amount: {
    label: 'at least',
    isRead: (value) => /^\d{1,20}(?:\.\d{1,10})?$/.test(value),
    allowed: 'an amount such as 12.50, with a point and without a sign',
  },
  record: {
    label: 'record',
    isRead: (value) => /^[A-Za-z0-9_-]{1,64}$/.test(value),
    allowed: 'an id of letters, digits, - and _',
  },
  host: { label: 'host reference', isRead: (value) => value.length <= 1024, allowed: 'at most 1024 characters' },
  text: { label: 'search', isRead: (value) => value.length <= LONGEST, allowed: 'at most 200 characters' },
} as const satisfies Record<string, FilterTerms>;
export type ViewField = keyof typeof FILTERS;
export const VIEW_FIELDS = Object.keys(FILTERS) as ViewField[];

export function labelOf(field: ViewField): string {
  return FILTERS[field].label;
}

/** What a page of the work list shows; it is the address of the page too. */
export interface View {
  /** Values by field; a field with several values has several pills. */
  values: ReadonlyMap<ViewField, readonly string[]>;
  sort: QueueSort;
  reversed: boolean;
  /** Filters that cannot be read, each with its value as given. */
  wrong: readonly WrongFilter[];
}

export interface WrongFilter {
  /** Its name in the address. */
  name: string;
  value: string;
  /** What is wrong, as a sentence with what is allowed. */
  problem: string;
}

/** @param others names that a page reads beside those of a view, such as its place in the list */
export function readView(query: URLSearchParams, others: readonly string[] = []): View {
  const values = new Map<ViewField, readonly string[]>();
  const wrong: WrongFilter[] = [];
  const known: readonly string[] = [...VIEW_FIELDS, 'sort', 'order', ...others];
  const refuse = (name: string, value: string, problem: string) =>
    wrong.push({ name, value: value.slice(0, LONGEST), problem });
  for (const [name, value] of query)
    if (!known.includes(name))
      refuse(name, value, `There is no filter “${name.slice(0, LONGEST)}”. Filters are ${VIEW_FIELDS.join(', ')}.`);
  for (const field of VIEW_FIELDS) {
    const { label, allowed, isRead, isMany }: FilterTerms = FILTERS[field];
    const given = [...new Set(query.getAll(field).map((value) => value.trim()))].filter((value) => value !== '');
    const unread = given.filter((value) => value.includes('\0') || !isRead(value));
    for (const value of unread)
      refuse(field, value, `The filter “${label}” cannot be read: ${value.slice(0, LONGEST)}. Allowed: ${allowed}.`);
    if (isMany !== true && given.length > 1)
      refuse(field, given[1] ?? '', `The filter “${label}” takes one value; ${given.length} were given.`);
    const read = given.filter((value) => !unread.includes(value));
    if (read.length > 0) values.set(field, isMany ? read : read.slice(-1));
  }
  const wanted = query.get('sort') ?? 'stake';
  const sort = QUEUE_SORTS.find((each) => each === wanted) ?? 'stake';
  const allowed = QUEUE_SORTS.join(', ');
  if (sort !== wanted)
    refuse('sort', wanted, `The order cannot be read: ${wanted.slice(0, LONGEST)}. Allowed: ${allowed}.`);
  return { values, sort, reversed: query.get('order') === 'reversed', wrong };
}

/** The same view, where every filter of the address could be read. @throws UsageError */
export function requireView(query: URLSearchParams, others: readonly string[] = []): View {
  const view = readView(query, others);
  const [first] = view.wrong;
  if (first === undefined) return view;
  throw new UsageError(`${first.problem} Nothing was chosen by it.`);
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
