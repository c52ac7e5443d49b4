/** The allowed cells of a line, and the messages for others. */
import { describe, expect, it } from 'vitest';
import { columnName, ignoredNote, trackedFacts } from '../../src/intake/tracked-facts.ts';

const ROW = { kind: 'purchase', id: 'abc', view_token: 'tok-1' };

function facts(cells: Record<string, string | null>) {
  const row: Record<string, string | null | undefined> = { ...ROW, ...cells };
  return trackedFacts((column) => row[column] ?? null, { kind: null });
}

function problemsOf(cells: Record<string, string | null>): readonly string[] {
  const read = facts(cells);
  return 'problems' in read ? read.problems : [];
}

it('cells have no blanks around them; one that is blank is missing', () => {
  expect(facts({ kind: ' SALE ', id: ' abc\t', host_reference: '  ', quote_id: ' q-1 ' })).toEqual({
    kind: 'sale',
    id: 'abc',
    token: 'tok-1',
    createdAt: null,
    hostReference: null,
    quoteId: 'q-1',
    expectedStatus: null,
    shown: null,
  });
  expect(problemsOf({ kind: ' ', id: '', view_token: null })).toEqual([
    'kind is missing',
    'id is missing',
    'view_token is missing: without it the record can never be fetched',
  ]);
});

it('half a surrogate pair, which no database keeps, becomes the sign for what cannot be read', () => {
  expect(facts({ host_reference: 'a\ud83d' })).toMatchObject({ hostReference: 'a\ufffd' });
});

it('of an id that a spreadsheet has damaged nothing else is said', () => {
  expect(problemsOf({ id: '#N/A' })).toEqual(['id is an error value of a spreadsheet: the formula found nothing']);
});

describe('control characters', () => {
  it.each(['\0', '\b', '\v', '\x1b', '\x7f', '\x80', '\x9f'])('such as %j are in no text', (mark) => {
    for (const column of ['host_reference', 'quote_id', 'expected_status'])
      expect(problemsOf({ [column]: `a${mark}b` })).toEqual([`${column} has control characters in it`]);
  });

  it.each(['\t', '\n', '\r'])('such as %j break the lines of a host reference alone', (mark) => {
    expect(facts({ host_reference: `a${mark}b` })).toMatchObject({ hostReference: `a${mark}b` });
    expect(problemsOf({ quote_id: `a${mark}b` })).toEqual(['quote_id has control characters in it']);
  });

  it.each([' ', '~', '\u00a0', 'é', '😀'])('are not such as %j', (mark) => {
    expect(facts({ quote_id: `a${mark}b` })).toMatchObject({ quoteId: `a${mark}b` });
  });
});

it.each([
  ['host_reference', 256],
  ['quote_id', 128],
  ['expected_status', 64],
])('%s has %i characters at most', (column, most) => {
  expect(problemsOf({ [column]: 'x'.repeat(most) })).toEqual([]);
  expect(problemsOf({ [column]: 'x'.repeat(most + 1) })).toEqual([`${column} is longer than ${most} characters`]);
});

it.each(['0', '104.76', '9'.repeat(40), `0.${'9'.repeat(40)}`])('an amount may be %s', (text) => {
  expect(facts({ shown_total: text })).toMatchObject({ shown: { fee: null } });
  expect(facts({ shown_fee: text })).toMatchObject({ shown: { total: null } });
});

it.each(['-1', '+1', '1,5', '1.', '.5', '1e3', '5 EUR'])('an amount may not be %s', (text) => {
  expect(problemsOf({ shown_total: text })).toEqual([
    `shown_total must be an amount such as 104.76: digits with a point, and no currency (found ${text})`,
  ]);
});

it.each(['9'.repeat(41), `0.${'9'.repeat(41)}`, 'k3yTh4tOpens1'])(
  'what may be a token in the wrong column is not shown: %s',
  (text) => {
    expect(problemsOf({ shown_total: text })).toEqual([
      'shown_total must be an amount such as 104.76: digits with a point, and no currency',
    ]);
    expect(problemsOf({ kind: text, id: `${text}/`, created_at: text }).join()).not.toContain(text);
  },
);

it('nor are digits alone, which no date is written in', () => {
  const digits = '7'.repeat(20);
  expect(problemsOf({ kind: digits, created_at: digits }).join()).not.toContain(digits);
  expect(problemsOf({ created_at: '13/10/2026 10:02' }).join()).toContain('(found 13/10/2026 10:02)');
});

it.each(['4111 1111 1111 1111', '4111-1111-1111-1111', '3782.822463.10005'])(
  'nor is the number of a card: %s',
  (card) => {
    expect(problemsOf({ created_at: card, shown_total: card, kind: card, id: `${card}/` }).join()).not.toContain(card);
  },
);

it('nor is a token in the place of a status', () => {
  const statuses = { purchase: new Map(), sale: new Map() };
  const problems = (text: string) => {
    const row: Record<string, string> = { ...ROW, expected_status: text };
    const read = trackedFacts((column) => row[column] ?? null, { kind: null, statuses });
    return 'problems' in read ? read.problems.join() : '';
  };
  expect(problems('mg3voq92hd2mbdht')).toMatch(/^expected_status is in no list of purchase statuses(?!.*mg3voq92)/);
  expect(problems('PAYMENT_EXECUTE')).toContain('(found PAYMENT_EXECUTE)');
});

it('a date has a time and a zone', () => {
  expect(facts({ created_at: '2026-10-13T10:02:00Z' })).toMatchObject({ createdAt: Date.UTC(2026, 9, 13, 10, 2) });
  for (const asExported of ['2026-10-13 12:02:00+02', '2026-10-13 10:02:00Z', '2026-10-13 15:47:00.000+0545'])
    expect(facts({ created_at: asExported }), asExported).toMatchObject({ createdAt: Date.UTC(2026, 9, 13, 10, 2) });
  // Without a zone it may be any hour of two days.
  expect(problemsOf({ created_at: '2026-10-13 10:02:00' })).toHaveLength(1);
  expect(problemsOf({ created_at: '2026-10-13' })).toEqual([
    'created_at must be an ISO 8601 date and time with its zone, such as 2026-10-13T10:02:00Z (found 2026-10-13)',
  ]);
});

it.each([
  ['View Token', 'view_token'],
  ['viewToken', 'view_token'],
  ['VIEW-TOKEN', 'view_token'],
  [' Created At ', 'created_at'],
  ['shownTotal', 'shown_total'],
  [' user id ', 'user id'],
])('the column %j is %s', (written, column) => {
  expect(columnName(written)).toBe(column);
});

describe('columns that are ignored', () => {
  it('are named, of each no more than can be a name', () => {
    expect(ignoredNote([])).toBeNull();
    expect(ignoredNote(['user_id', 'plan 2'])).toBe('ignored: user_id, plan 2');
    expect(ignoredNote(['user_id', 'sqs6a428mqjtzbv'])).toBe('ignored: user_id, one without a readable name');
    expect(ignoredNote(['a1b2', 'c3d4e'])).toBe('ignored: 2 without readable names');
    const longest = Array.from({ length: 6 }, () => 'abcdefghijklmno').join(' ');
    expect(ignoredNote([longest])).toBe(`ignored: ${longest.slice(0, 40)}`);
  });

  it('are twenty at most', () => {
    const names = Array.from({ length: 21 }, (_, i) => `column ${i}`);
    expect(ignoredNote(names.slice(0, 20))).toBe(`ignored: ${names.slice(0, 20).join(', ')}`);
    expect(ignoredNote(names)).toBe(`ignored: ${names.slice(0, 20).join(', ')}, …`);
  });
});
