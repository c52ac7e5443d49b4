import { describe, expect, it } from 'vitest';
import { missedDates } from '../../src/runner/schedule-dated.ts';

describe('missed business dates', () => {
  it.each<[string, string[], string, string[], number]>([
    ['none where the last one has its run', ['2026-11-19', '2026-11-20'], '2026-11-20', [], 0],
    ['the last one', ['2026-11-19'], '2026-11-20', ['2026-11-20'], 0],
    [
      'all since the last finished one, oldest first',
      ['2026-11-17'],
      '2026-11-20',
      ['2026-11-18', '2026-11-19', '2026-11-20'],
      0,
    ],
    ['in any order of the ledger', ['2026-11-18', '2026-11-19', '2026-11-02'], '2026-11-20', ['2026-11-20'], 0],
    ['a first run has no past', [], '2026-11-20', ['2026-11-20'], 0],
    [
      'holes before the last finished one are left to people',
      ['2026-11-16', '2026-11-19'],
      '2026-11-20',
      ['2026-11-20'],
      0,
    ],
    [
      'a run for a date to come silences no night',
      ['2026-11-18', '2026-12-24'],
      '2026-11-20',
      ['2026-11-19', '2026-11-20'],
      0,
    ],
    [
      'a run by hand before its hour leaves the nights before it due',
      ['2026-11-17', '2026-11-20'],
      '2026-11-19',
      ['2026-11-18', '2026-11-19'],
      0,
    ],
    ['and after its hour leaves them to people', ['2026-11-17', '2026-11-20'], '2026-11-20', [], 0],
    ['across the end of a leap February', ['2028-02-27'], '2028-03-01', ['2028-02-28', '2028-02-29', '2028-03-01'], 0],
    [
      'at most seven; older ones are given up',
      ['2026-11-01'],
      '2026-11-20',
      ['2026-11-14', '2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'],
      12,
    ],
  ])('%s', (_, finished, upTo, dates, givenUp) => {
    expect(missedDates(finished, upTo)).toEqual({ dates, givenUp });
  });
});
