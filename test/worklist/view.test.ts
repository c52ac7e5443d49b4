/** The URL of a view of the queue: its allowed parameters, those left out, and the selected breaks. */
import { describe, expect, it } from 'vitest';
import { filterOf, readView, viewQuery, withoutFilter } from '../../src/worklist/view.ts';

const read = (query: string) => Object.fromEntries(readView(new URLSearchParams(query)).values);
const filter = (query: string, timezone = 'UTC') => filterOf(readView(new URLSearchParams(query)), timezone);
const UNSETTLED = { states: ['open', 'acknowledged', 'reopened'] };

describe('a view', () => {
  it('has several rules, severities and states, each once, and one value of every other field', () => {
    expect(read('rule=FEE_A&rule=FEE_B&rule=FEE_A&severity=high&severity=low&state=open&state=waived')).toEqual({
      rule: ['FEE_A', 'FEE_B'],
      severity: ['high', 'low'],
      state: ['open', 'waived'],
    });
    expect(read('assignee=Ann&assignee=Bea&text=one&text=two&kind=purchase&kind=payout')).toEqual({
      assignee: ['Bea'],
      kind: ['payout'],
      text: ['two'],
    });
  });

  it.each([
    ['rule', ['FEE', 'A1_', `A${'B'.repeat(60)}`], ['F', 'fee', '1A', '_A', 'A-B', ' A B', `A${'B'.repeat(61)}`]],
    ['severity', ['info', 'critical'], ['none', 'HIGH', '__proto__']],
    ['state', ['all', 'resolved'], ['any', 'Open', 'constructor']],
    ['assignee', ['-', 'Ann Lee', 'x'.repeat(200)], ['x'.repeat(201), 'a\0b']],
    ['currency', ['EUR', 'ETH_USDC', 'x'.repeat(40)], ['E R', '€', 'x'.repeat(41)]],
    ['kind', ['purchase', 'sale', 'payout'], ['other', 'Sale']],
    [
      'month',
      ['2026-01', '2026-09', '2026-12'],
      ['2026-00', '2026-13', '2026-1', '226-01', '2026-01-01', 'x2026-01', '9999-12'],
    ],
    [
      'amount',
      ['0', '12.5', `${'9'.repeat(20)}.${'9'.repeat(10)}`],
      ['-1', '1e3', '1.', '.5', '9'.repeat(21), `1.${'9'.repeat(11)}`, 'x1', '1x'],
    ],
    ['record', ['a', 'A-b_9', 'x'.repeat(64)], ['a b', 'a/b', '../x', 'x'.repeat(65)]],
    ['host', ['any text', 'x'.repeat(1024)], ['x'.repeat(1025)]],
    ['text', ['100 %', 'x'.repeat(200)], ['x'.repeat(201)]],
  ])('takes %s as %j, and leaves out %j', (field, taken, leftOut) => {
    for (const value of taken)
      expect([value, read(`${field}=${encodeURIComponent(value)}`)]).toEqual([value, { [field]: [value] }]);
    for (const value of leftOut) expect([value, read(`${field}=${encodeURIComponent(value)}`)]).toEqual([value, {}]);
  });

  it('leaves out blanks', () => {
    expect(read('text=&assignee=%20%20&text=%20x%20')).toEqual({ text: ['x'] });
  });

  it('says of unknown filters, and of a second value, that it cannot read them', () => {
    const wrong = (query: string, ...others: string[]) =>
      readView(new URLSearchParams(query), others).wrong.map(({ name, problem }) => [name, problem.slice(0, 32)]);
    expect(wrong('money=ten&__proto__=y&sort=age&order=reversed&after=x', 'after')).toEqual([
      ['money', 'There is no filter “money”. Filt'],
      ['__proto__', 'There is no filter “__proto__”. '],
    ]);
    expect(wrong('after=x')).toHaveLength(1);
    expect(wrong('sort=colour')).toEqual([['sort', 'The order cannot be read: colour']]);
    expect(wrong('currency=EUR&currency=USD')).toEqual([['currency', 'The filter “currency” takes one ']]);
    expect(wrong('currency=EUR&currency=EUR&rule=FEE_A&rule=FEE_B')).toEqual([]);
  });

  it('has an address that reads as the same view; that of the first page is empty', () => {
    const query = 'rule=FEE_A&rule=FEE_B&state=all&text=a+%26+b&sort=age&order=reversed';
    expect(viewQuery(readView(new URLSearchParams(query)))).toBe(query);
    expect(viewQuery(readView(new URLSearchParams('sort=none&order=other')))).toBe('');
    expect(viewQuery(readView(new URLSearchParams('text=x')), { after: 'abc' })).toBe('text=x&after=abc');
  });

  it('loses the removed filter, and no other', () => {
    const view = readView(new URLSearchParams('rule=FEE_A&rule=FEE_B&text=x'));
    expect(viewQuery(withoutFilter(view, 'rule', 'FEE_A'))).toBe('rule=FEE_B&text=x');
    expect(viewQuery(withoutFilter(view, 'text', 'x'))).toBe('rule=FEE_A&rule=FEE_B');
    expect(viewQuery(withoutFilter(view, 'kind', 'sale'))).toBe('rule=FEE_A&rule=FEE_B&text=x');
  });
});

describe('the breaks of a view', () => {
  it('are not fewer where the last pill of a field goes', () => {
    const view = readView(new URLSearchParams('rule=FEE_A'));
    expect(filterOf(withoutFilter(view, 'rule', 'FEE_A'), 'UTC')).toStrictEqual(UNSETTLED);
  });

  it('are those that a person still has to act on, unless states are named', () => {
    expect(filter('')).toStrictEqual(UNSETTLED);
    expect(filter('state=waived&state=open')).toStrictEqual({ states: ['open', 'waived'] });
    expect(filter('state=open&state=all')).toStrictEqual({
      states: ['open', 'acknowledged', 'waived', 'resolved', 'reopened'],
    });
  });

  it('are asked for by every field', () => {
    expect(
      filter('rule=FEE_A&severity=low&severity=high&currency=EUR&kind=sale&record=r-1&host=order+1&text=fee'),
    ).toStrictEqual({
      ...UNSETTLED,
      rules: ['FEE_A'],
      severities: ['low', 'high'],
      currency: 'EUR',
      kind: 'sale',
      recordId: 'r-1',
      hostReference: 'order 1',
      text: 'fee',
    });
  });

  it('without an assignee are written with a hyphen', () => {
    expect(filter('assignee=-')).toStrictEqual({ ...UNSETTLED, assignee: null });
    expect(filter('assignee=Ann')).toStrictEqual({ ...UNSETTLED, assignee: 'Ann' });
  });

  it.each([
    ['000012.50', '12.50'],
    ['0', '0'],
    ['00.5', '0.5'],
  ])('from an amount of %s on are asked for without its leading zeros', (amount, atLeast) => {
    expect(filter(`amount=${amount}`)).toStrictEqual({ ...UNSETTLED, atLeast });
  });

  it.each([
    ['2026-02', 'UTC', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    ['2026-12', 'Europe/Warsaw', '2026-11-30T23:00:00Z', '2026-12-31T23:00:00Z'],
  ])('of %s are of records created in that month of %s', (month, timezone, from, to) => {
    expect(filter(`month=${month}`, timezone)).toStrictEqual({
      ...UNSETTLED,
      created: { from: Date.parse(from), to: Date.parse(to) },
    });
  });
});
