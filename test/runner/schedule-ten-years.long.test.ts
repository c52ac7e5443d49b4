/** Ten years of nights against a calendar of its own, which walks through the years with Intl by quarters of an hour. */
import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import { lastTick, nextTick, readCronLine } from '../../src/runner/schedule-calendar.ts';
import { datedJob } from '../../src/runner/schedule-dated.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { aLog, aRun } from './support/ledger.ts';
import { day, HOUR } from './support/nights.ts';

const QUARTER = HOUR / 4;
const FROM = Date.parse('2026-06-01T00:00:00Z');
const TO = Date.parse('2036-06-01T00:00:00Z');

/** Clock readings of a zone, in ascending order of time: `2026-10-25 02:30` twice, `2026-03-29 02:30` never. */
function* readings(timezone: string) {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  for (let at = FROM; at < TO; at += QUARTER) yield { at, text: shown.format(at) };
}

/** By time of day: by date its instant, the first where there are two, and moved by the gap where there is none. */
function instantsOf(timezone: string, times: readonly string[]) {
  const found = new Map(times.map((time) => [time, new Map<string, number>()]));
  let before = '';
  for (const { at, text } of readings(timezone)) {
    const [date = '', clock = ''] = text.split(' ');
    for (const [time, byDate] of found) {
      const wanted = `${date} ${time}`;
      const isSkipped = before !== '' && before < wanted && text > wanted;
      if (isSkipped && !byDate.has(date))
        byDate.set(date, at - QUARTER + Date.parse(`${wanted}Z`) - Date.parse(`${before}Z`));
      else if (clock === time && !byDate.has(date)) byDate.set(date, at);
    }
    before = text;
  }
  return found;
}

const LINES = { '04:15': '15 4 * * *', '02:30': '30 2 * * *', '02:15': '15 2 * * *', '00:30': '30 0 * * *' };

it.each(['Europe/Berlin', 'Australia/Lord_Howe', 'America/Havana'])('each day has its hour once, in %s', (timezone) => {
  for (const [time, byDate] of instantsOf(timezone, Object.keys(LINES))) {
    const line = readCronLine(LINES[time as keyof typeof LINES]);
    const all = [...byDate.values()];
    expect(all.length).toBeGreaterThan(3650);
    const wrong = all.flatMap((at, n) => {
      const [earlier, later] = [all[n - 1], all[n + 1]];
      if (earlier === undefined || later === undefined) return [];
      const told = [lastTick(line, timezone, at - 1), lastTick(line, timezone, at), nextTick(line, timezone, at)];
      const isRight = told[0] === earlier && told[1] === at && told[2] === later;
      return isRight
        ? []
        : [`${time} ${new Date(at).toISOString()}: ${told.map((each) => new Date(each ?? 0).toISOString())}`];
    });
    expect(wrong).toEqual([]);
  }
});

/** A machine that is asleep for up to six days, whose clock is set back an hour or forward by one, and that is started again. */
describe('ten years of a machine that sleeps and whose clock is put right', () => {
  it.each([1, 2])('have each business date once, in order (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const made: Run[] = [aRun('nightly', '2026-05-30', 'complete')];
    let now = FROM;
    const log = aLog();
    const start = () =>
      datedJob({
        name: 'nightly',
        line: readCronLine('30 2 * * *'),
        timezone: 'Europe/Berlin',
        businessTimezone: 'Europe/Berlin',
        now: () => now,
        runs: { list: async ({ limit = 1 }) => made.slice(-limit).reverse(), unfinished: async () => null },
        attempt: async ({ businessDate }) => {
          made.push(aRun('nightly', businessDate ?? '', 'complete'));
          return 'done';
        },
        stopped: () => false,
        log,
      });
    let job = start();
    while (now < TO) {
      await job.look();
      const what = random();
      if (what < 0.02) now -= HOUR;
      else if (what < 0.04) now += random() * 6 * 24 * HOUR;
      else if (what < 0.06) job = start();
      else now += random() * 3 * HOUR;
    }
    const dates = made.map(({ businessDate }) => businessDate);
    expect(dates).toEqual(dates.map((_, n) => day('2026-05-30', n)));
    expect(dates.length).toBeGreaterThan(3650);
    expect(dates).toContain('2028-02-29');
    expect(log.lines.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
  });
});
