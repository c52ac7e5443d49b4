import { describe, expect, it } from 'vitest';
import {
  addDays,
  businessDateOf,
  businessMonths,
  daysBetween,
  isBusinessDate,
  lastFullDate,
  startOfBusinessDate,
} from '../../src/domain/calendar.ts';

const at = (text: string) => Date.parse(text);

describe('business dates', () => {
  it.each([
    ['2026-11-20', true],
    ['2028-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['2026-1-1', false],
    ['yesterday', false],
  ])('%s is a date: %s', (text, expected) => expect(isBusinessDate(text)).toBe(expected));

  it('are those of the zone, not of the machine', () => {
    expect(businessDateOf(at('2026-11-20T23:30:00Z'), 'UTC')).toBe('2026-11-20');
    expect(businessDateOf(at('2026-11-20T23:30:00Z'), 'Europe/Warsaw')).toBe('2026-11-21');
    expect(businessDateOf(at('2026-11-20T03:30:00Z'), 'America/New_York')).toBe('2026-11-19');
  });

  it('begin at local midnight, on days of 23 and 25 hours too', () => {
    const hours = (date: string, zone: string) =>
      (startOfBusinessDate(addDays(date, 1), zone) - startOfBusinessDate(date, zone)) / 3_600_000;
    expect(startOfBusinessDate('2026-11-20', 'Europe/Warsaw')).toBe(at('2026-11-19T23:00:00Z'));
    expect(hours('2026-03-29', 'Europe/Warsaw')).toBe(23);
    expect(hours('2026-10-25', 'Europe/Warsaw')).toBe(25);
    expect(hours('2026-10-25', 'UTC')).toBe(24);
  });

  it('are counted on the calendar, across a change of clocks', () => {
    expect(daysBetween('2026-10-24', '2026-10-26')).toBe(2);
    expect(daysBetween('2026-03-01', '2026-02-28')).toBe(-1);
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  });

  it('default to the last full day', () => {
    expect(lastFullDate(at('2026-11-21T04:15:00Z'), 'UTC')).toBe('2026-11-20');
    expect(lastFullDate(at('2026-11-21T04:15:00Z'), 'America/Los_Angeles')).toBe('2026-11-19');
  });

  it('give months of the zone', () => {
    const month = businessMonths('Asia/Tokyo');
    expect(month(at('2026-10-31T14:59:59Z'))).toBe('2026-10');
    expect(month(at('2026-10-31T15:00:00Z'))).toBe('2026-11');
  });

  it('give months of zones that are a quarter of an hour off', () => {
    const month = businessMonths('Asia/Kathmandu');
    expect(month(at('2026-10-31T18:14:59Z'))).toBe('2026-10');
    expect(month(at('2026-10-31T18:15:00Z'))).toBe('2026-11');
  });

  it('give the same months again after more instants than are remembered', () => {
    const month = businessMonths('UTC');
    const first = at('2026-10-31T23:45:00Z');
    expect([month(first), month(first + 900_000)]).toEqual(['2026-10', '2026-11']);
    for (let quarter = 2; quarter < 50_010; quarter++) month(first + quarter * 900_000);
    expect([month(first), month(first + 900_000)]).toEqual(['2026-10', '2026-11']);
  });
});
