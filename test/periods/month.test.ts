/** Months of the business calendar and who may do what to them. */
import { describe, expect, it } from 'vitest';
import { isSamePerson } from '../../src/domain/actor.ts';
import { monthAfter } from '../../src/domain/calendar.ts';
import {
  periodOf,
  periodRange,
  requireClosable,
  requireClosed,
  requireReviewable,
  requireText,
} from '../../src/periods/month.ts';
import type { ClosedPeriod } from '../../src/ports/store/periods.ts';
import { at } from '../support/builders.ts';

function aClosedPeriod(overrides: Partial<ClosedPeriod> = {}): ClosedPeriod {
  return {
    period: '2026-10',
    timezone: 'UTC',
    state: 'closed',
    closedBy: 'Ann Lee',
    closedAt: at('2026-11-02 09:00'),
    acceptedOpen: null,
    reviewedBy: null,
    reviewedAt: null,
    folder: 'periods/2026-10',
    manifestSha256: 'a'.repeat(64),
    figures: '{}',
    ...overrides,
  };
}

describe('a month', () => {
  it('begins and ends at midnight of the business time zone, across a change of clocks', () => {
    expect(periodRange('2026-10', 'Europe/Berlin')).toEqual({
      period: '2026-10',
      first: '2026-10-01',
      last: '2026-10-31',
      from: at('2026-09-30 22:00'),
      to: at('2026-10-31 23:00'),
    });
    expect(periodRange('2028-02', 'UTC').last).toBe('2028-02-29');
  });

  it.each(['2026-13', '2026-1', '26-10', '2026-10-01', '0000-01', '1999-12', '3000-01', '9999-12', ' 2026-10'])(
    'is not written as %j',
    (text) => {
      expect(() => periodRange(text, 'UTC')).toThrow(`${text}: not a month`);
    },
  );

  it('of an instant is the one in that time zone', () => {
    expect(periodOf(at('2026-10-31 23:30'), 'Europe/Berlin')).toBe('2026-11');
    expect(periodOf(at('2026-10-31 23:30'), 'America/New_York')).toBe('2026-10');
  });

  it('is followed by the next, also over the new year', () => {
    expect(['2026-01', '2026-02', '2026-11', '2026-12'].map(monthAfter)).toEqual([
      '2026-02',
      '2026-03',
      '2026-12',
      '2027-01',
    ]);
  });

  it.each(['2026-13', '2026-00', '2026-1', '202610', '2026-10-01', 'october', ''])('is not %j', (text) => {
    expect(() => periodRange(text, 'UTC')).toThrow(`${text}: not a month; write it as 2026-10`);
  });
});

describe('closing', () => {
  const range = periodRange('2026-10', 'UTC');
  const next = periodRange('2026-11', 'UTC');

  it('accepts any past month as the first', () => {
    expect(() => requireClosable(range, [], at('2026-11-01 00:00'), 'UTC')).not.toThrow();
  });

  it('refuses a month that is not over, to the last millisecond', () => {
    const last = at('2026-11-01 00:00') - 1;
    expect(() => requireClosable(range, [], last, 'UTC')).toThrow(
      '2026-10 is not over: its last day is 2026-10-31 (UTC); close it after that',
    );
  });

  it('refuses a second close and names the first', () => {
    expect(() => requireClosable(range, [aClosedPeriod()], at('2026-12-01 00:00'), 'UTC')).toThrow(
      '2026-10 was closed by Ann Lee on 2026-11-02 and is never closed again; state the differences since with `tieout period delta 2026-10 --by NAME`',
    );
  });

  it('accepts the next month only', () => {
    const now = at('2027-01-01 00:00');
    expect(() => requireClosable(next, [aClosedPeriod()], now, 'UTC')).not.toThrow();
    const december = periodRange('2026-12', 'UTC');
    expect(() => requireClosable(december, [aClosedPeriod()], now, 'UTC')).toThrow(
      '2026-12 cannot be closed now: months are closed in order; close 2026-11 first',
    );
    const september = periodRange('2026-09', 'UTC');
    expect(() => requireClosable(september, [aClosedPeriod()], now, 'UTC')).toThrow(
      '2026-09 is before the first closed month, 2026-10, and will not be closed; ' +
        '`tieout revenue --from 2026-09-01 --to 2026-10-01` shows what it earned',
    );
  });

  it('refuses a month that does not begin where the one before it ended, in another time zone', () => {
    const now = at('2027-01-01 00:00');
    const closed = [aClosedPeriod({ timezone: 'Europe/Berlin' })];
    expect(() => requireClosable(next, closed, now, 'UTC')).toThrow(
      '2026-11 cannot be closed in UTC: 2026-10 was in Europe/Berlin; set timezone to Europe/Berlin again; ' +
        "for a partner's months there is evidence.payouts.timezone",
    );
    expect(() => requireClosable(periodRange('2026-11', 'Europe/Paris'), closed, now, 'Europe/Paris')).not.toThrow();
  });
});

describe('reviewing', () => {
  it('accepts a closed month', () => {
    const closed = aClosedPeriod();
    expect(requireClosed('2026-10', closed)).toBe(closed);
    expect(() => requireClosed('2026-10', null)).toThrow(
      '2026-10 is not closed; `tieout period close 2026-10 --by NAME` closes it',
    );
  });

  it.each([
    'Ann Lee',
    'ann lee',
    ' ANN  LEE ',
    'AnnLee',
    'ann\tlee',
    'Ann\u00a0Lee',
    'Ａｎｎ Ｌｅｅ',
    '𝐀nn Lee',
    'Ann\u200b Lee',
    'A\u00adnn Lee\u202e',
    'Ann\u034f\u2060 Lee\ufeff',
  ])('is refused to %j, who closed it', (by) => {
    expect(isSamePerson('Ann Lee', by)).toBe(true);
    expect(() => requireReviewable(aClosedPeriod(), [], by, 'UTC')).toThrow(
      'Ann Lee closed 2026-10; another person must review it (--by)',
    );
  });

  it.each([
    ['Νίκος Παπάς', 'ΝΊΚΟΣ ΠΑΠΆΣ'],
    ['René', 'Rene\u034f\u0301'],
    ['Strauß', 'STRAUSS'],
    ['GROẞ', 'groß'],
  ])('takes %s and %s for one person', (a, b) => {
    expect(isSamePerson(a, b)).toBe(true);
  });

  it('is allowed to any other person, once', () => {
    expect(() => requireReviewable(aClosedPeriod(), [], 'Ann Leeds', 'UTC')).not.toThrow();
    const reviewed = aClosedPeriod({ state: 'reviewed', reviewedBy: 'Bob', reviewedAt: at('2026-11-03 10:00') });
    expect(() => requireReviewable(reviewed, [], 'Cleo', 'UTC')).toThrow(
      '2026-10 was reviewed by Bob on 2026-11-03 already; a month is reviewed once',
    );
  });

  it('trims a name, and refuses a blank one', () => {
    expect(requireText('--by', '  Ann ')).toBe('Ann');
    expect(() => requireText('--by', ' \t')).toThrow('--by is blank; give one; it is kept for ever');
  });
});
