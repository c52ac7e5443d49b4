import { expect, it } from 'vitest';
import { workingDaysAfter } from '../../src/domain/working-days.ts';

it.each([
  ['over a weekend', '2026-11-06T10:00+01:00', 1, 'Europe/Berlin', '2026-11-09T10:00+01:00'],
  ['from a Saturday', '2026-11-07T10:00Z', 5, 'UTC', '2026-11-13T10:00Z'],
  ['from a Sunday', '2026-11-08T10:00Z', 1, 'UTC', '2026-11-09T10:00Z'],
  ['over the end of summer time', '2026-10-23T10:00+02:00', 3, 'Europe/Berlin', '2026-10-28T10:00+01:00'],
  [
    'early in the day, over the end of summer time',
    '2026-10-23T00:30+02:00',
    2,
    'Europe/Berlin',
    '2026-10-27T00:30+01:00',
  ],
  ['late in the day, over its beginning', '2026-03-27T23:30+01:00', 1, 'Europe/Berlin', '2026-03-30T23:30+02:00'],
  ['in the southern half', '2026-09-25T23:30+12:00', 1, 'Pacific/Auckland', '2026-09-28T23:30+13:00'],
])('the same time of day, so many working days later: %s', (_, from, days, timezone, due) => {
  expect(new Date(workingDaysAfter(Date.parse(from), days, timezone))).toEqual(new Date(due));
});
