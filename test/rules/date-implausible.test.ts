import { describe, expect, it, test } from 'vitest';
import { dateImplausible } from '../../src/rules/date-implausible.ts';
import { aCase, aPurchase, aSnapshot, at } from '../support/builders.ts';
import { ask, fieldsOf } from './ask.ts';

const READ = at('2026-11-20 04:15');

function withDates(createdAt: string, updatedAt = createdAt, told: string | null = null) {
  const state = aPurchase({ createdAt: Date.parse(createdAt), updatedAt: Date.parse(updatedAt) });
  const snapshot = aSnapshot(state, READ);
  return aCase({
    observation: { outcome: 'verified', snapshot },
    tracked: { createdAt: told === null ? null : Date.parse(told) },
  });
}

test.each<[string, Parameters<typeof withDates>, string[]]>([
  ['a date of this month', ['2026-11-18T10:00:00Z'], []],
  ['the first day of the Service', ['2017-01-01T00:00:00Z'], []],
  ['the day before', ['2016-12-31T23:59:59Z'], ['created_at', 'updated_at']],
  ['one day ahead', ['2026-11-21T04:15:00Z'], []],
  ['more than one day ahead', ['2026-11-21T04:15:01Z'], ['created_at', 'updated_at']],
  ['the year 9999', ['9999-01-01T00:00:00Z', '2026-11-18T10:00:00Z'], ['created_at']],
  ['the year 0', ['0000-01-01T00:00:00Z', '2026-11-18T10:00:00Z'], ['created_at']],
  ['an update next year', ['2026-11-18T10:00:00Z', '2027-11-18T10:00:00Z'], ['updated_at']],
  ['the date that the application gave', ['2026-11-18T10:00:00Z', undefined, '2026-11-18T10:00:07Z'], []],
  ['nearly a day from the date of the application', ['2026-11-18T10:00:00Z', undefined, '2026-11-19T09:59:59Z'], []],
  [
    'another year than the date of the application',
    ['2025-11-18T10:00:00Z', undefined, '2026-11-18T10:00:00Z'],
    ['created_at'],
  ],
])('%s', (_, dates, fields) => {
  expect(fieldsOf(dateImplausible, withDates(...dates))).toEqual(fields);
});

describe('what it says', () => {
  it('is in which month the record stands', () => {
    const found = ask(dateImplausible, withDates('2025-11-18T10:00:00Z', undefined, '2026-11-18T10:00:00Z'));
    expect(found).toMatchObject([
      {
        expected: '2026-11-18T10:00:00.000Z',
        actual: '2025-11-18T10:00:00.000Z',
        explanation:
          'The Service says that the record was created at 2025-11-18 10:00 UTC; the application says 2026-11-18 10:00 UTC, and the record stands in the month of that date.',
      },
    ]);
  });

  it.each<[string, Parameters<typeof withDates>, string | null]>([
    [
      'the application’s date',
      ['9999-01-01T00:00:00Z', '2026-11-18T10:00:00Z', '2026-11-17T10:00:00Z'],
      '2026-11-17T10:00:00.000Z',
    ],
    [
      'nothing where the application’s date cannot be true either',
      ['9999-01-01T00:00:00Z', '2026-11-18T10:00:00Z', '9999-01-01T00:00:00Z'],
      null,
    ],
    [
      'nothing for an update, of which the application knows no date',
      ['2026-11-18T10:00:00Z', '2027-11-18T10:00:00Z', '2026-11-18T10:00:00Z'],
      null,
    ],
  ])('expects %s', (_, dates, expected) => {
    expect(ask(dateImplausible, withDates(...dates))).toMatchObject([{ expected }]);
  });
});
