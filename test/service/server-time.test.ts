import { describe, expect, it } from 'vitest';
import { WrongClockError } from '../../src/ports/service-errors.ts';
import { inWords, ServerTime } from '../../src/service/server-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SENT = Date.UTC(2026, 10, 20, 4, 15);
const DATE = 'Fri, 20 Nov 2026 04:15:00 GMT';

/** The clock of a machine that is so far ahead, after answers of that `Date` and `Age`. */
function clockAhead(ms: number, ...answers: (readonly [string | null, string | null])[]): ServerTime {
  const time = new ServerTime(() => SENT + ms);
  for (const [date, age] of answers) time.note(date, age);
  return time;
}

describe('the clock of the machine', () => {
  it.each([
    [5 * MINUTE, null],
    [5 * MINUTE + 1, 'the clock of this machine is 5 minutes ahead of the Service’s; set it (`timedatectl`)'],
    [-7 * MINUTE, 'the clock of this machine is 7 minutes behind the Service’s; set it (`timedatectl`)'],
  ])('that differs by %d ms is remarked on beyond five minutes', (ahead, remark) => {
    expect(clockAhead(ahead, [DATE, null]).remark()).toBe(remark);
  });

  it.each([24 * HOUR, -24 * HOUR])('that differs by %d ms, a day, still writes', (ahead) => {
    expect(clockAhead(ahead, [DATE, null]).require()).toBeUndefined();
  });

  it.each([
    [24 * HOUR + 1, '24 hours ahead of'],
    [-24 * HOUR - 1, '24 hours behind'],
  ])('that differs by %d ms, more than a day, writes nothing', (ahead, words) => {
    const refused = () => clockAhead(ahead, [DATE, null]).require();
    expect(refused).toThrow(WrongClockError);
    expect(refused).toThrow(
      `the clock of this machine is ${words} the Service’s, so nothing was written; set the clock (\`timedatectl\`), then run again`,
    );
  });

  it.each([
    ['there was no answer', []],
    ['no answer has a date', [[null, null]]],
    ['no date can be read', [['yesterday', null]]],
  ] as const)('is not doubted where %s', (_, answers) => {
    const time = clockAhead(48 * HOUR, ...answers);
    expect([time.remark(), time.require()]).toEqual([null, undefined]);
  });

  it('is compared with an answer from a cache by its age; an age that is no number counts as none', () => {
    expect(clockAhead(HOUR, [DATE, '3600']).remark()).toBeNull();
    expect(clockAhead(HOUR, [DATE, '-3600']).remark()).toContain('60 minutes ahead');
    expect(clockAhead(HOUR, [DATE, 'x']).remark()).toContain('60 minutes ahead');
  });

  it('is not doubted for single answers that are wrong, nor for answers long ago', () => {
    const old = 'Fri, 20 Nov 2020 04:15:00 GMT';
    expect(clockAhead(0, [old, null], [DATE, null], [DATE, null]).remark()).toBeNull();
    const many = (n: number, date: string) => Array.from({ length: n }, () => [date, null] as const);
    expect(clockAhead(0, ...many(100, old), ...many(16, DATE)).remark()).toBeNull();
    expect(clockAhead(0, ...many(100, old), ...many(15, DATE)).remark()).toContain('ahead');
  });
});

it.each([
  [0, '0 minutes behind'],
  [MINUTE, '1 minute ahead of'],
  [119 * MINUTE, '119 minutes ahead of'],
  [2 * HOUR, '2 hours ahead of'],
  [-47 * HOUR, '47 hours behind'],
  [48 * HOUR, '2 days ahead of'],
  [-71 * HOUR, '3 days behind'],
])('%d ms are in words %s', (ahead, words) => {
  expect(inWords(ahead)).toBe(words);
});
