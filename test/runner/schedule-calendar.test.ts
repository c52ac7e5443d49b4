import { describe, expect, it } from 'vitest';
import { instantAt, lastTick, nextTick, readCronLine } from '../../src/runner/schedule-calendar.ts';

const utc = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);
const show = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16).replace('T', ' '));

describe('a time of day is an instant', () => {
  it.each([
    ['an ordinary one', '2026-11-20', '04:15', 'Europe/Berlin', '2026-11-20 03:15'],
    [
      'skipped in spring: half an hour after the gap began is half an hour after it',
      '2026-03-29',
      '02:30',
      'Europe/Berlin',
      '2026-03-29 01:30',
    ],
    ['an hour after the gap', '2026-03-29', '03:30', 'Europe/Berlin', '2026-03-29 01:30'],
    ['twice in autumn: the first', '2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25 00:30'],
    ['skipped, west of Greenwich', '2026-03-08', '02:30', 'America/New_York', '2026-03-08 07:30'],
    ['twice, west of Greenwich', '2026-11-01', '01:30', 'America/New_York', '2026-11-01 05:30'],
    ['skipped right after midnight', '2026-09-06', '00:30', 'America/Santiago', '2026-09-06 04:30'],
    ['a gap of half an hour', '2026-10-04', '02:15', 'Australia/Lord_Howe', '2026-10-03 15:45'],
    ['an offset of 45 minutes', '2026-11-20', '04:15', 'Pacific/Chatham', '2026-11-19 14:30'],
  ])('%s', (_, date, time, timezone, expected) => {
    const [hour = 0, minute = 0] = time.split(':').map((part) => Number.parseInt(part, 10));
    expect(show(instantAt(date, hour * 60 + minute, timezone))).toBe(expected);
  });
});

describe('a cron line', () => {
  it.each([
    // line, time zone, now, the tick before, the tick after
    ['15 4 * * *', 'UTC', '2026-11-20 04:14', '2026-11-19 04:15', '2026-11-20 04:15'],
    ['15 4 * * *', 'UTC', '2026-11-20 04:15', '2026-11-20 04:15', '2026-11-21 04:15'],
    ['15 4 * * *', 'Asia/Kolkata', '2026-11-20 00:00', '2026-11-19 22:45', '2026-11-20 22:45'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29 01:29', '2026-03-28 01:30', '2026-03-29 01:30'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29 01:30', '2026-03-29 01:30', '2026-03-30 00:30'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25 01:30', '2026-10-25 00:30', '2026-10-26 01:30'],
    ['0 * * * *', 'Europe/Berlin', '2026-11-20 10:59', '2026-11-20 10:00', '2026-11-20 11:00'],
    ['*/10 1,13 * * *', 'UTC', '2026-11-20 12:00', '2026-11-20 01:50', '2026-11-20 13:00'],
    ['15 4 * * 1-5', 'UTC', '2026-11-22 12:00', '2026-11-20 04:15', '2026-11-23 04:15'],
    ['0 6 L * *', 'UTC', '2026-11-20 12:00', '2026-10-31 06:00', '2026-11-30 06:00'],
    ['0 0 1 1 *', 'UTC', '2028-01-01 00:00', '2028-01-01 00:00', '2029-01-01 00:00'],
    ['0 0 29 2 *', 'UTC', '2026-11-20 12:00', null, null],
  ])('%s in %s at %s ticked at %s and will at %s', (text, timezone, now, before, after) => {
    const line = readCronLine(text);
    expect(show(lastTick(line, timezone, utc(now)))).toBe(before);
    expect(show(nextTick(line, timezone, utc(now)))).toBe(after);
  });
});
