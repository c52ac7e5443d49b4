/** The schedule through every change of clocks, and after nights on which the machine was off. */
import { expect, vi } from 'vitest';
import { day, nightsAround, ZONES } from '../runner/support/nights.ts';
import { faultRow, type Row } from './harness/row.ts';

/** The default; the hour that most zones skip and double; and the one that changes at midnight do. */
const LINES = ['15 4 * * *', '30 2 * * *', '30 0 * * *'];
const YEAR = 365;

interface Count {
  nights: number;
  missed: number;
  doubled: number;
  /** Under another date than the one they are for, or out of order. */
  mislabelled: number;
}

faultRow(
  {
    number: 14,
    fault: 'changes between winter and summer time; a scheduler that is down for three nights',
    how: 'the real node-cron on a fake clock: ten zones, three hours of the day, both changes of two years; down for three nights before each change; one zone day by day for two years',
    mustHold: 'one run for each business date: none is missed, none is doubled, and a caught-up night has its own date',
  },
  async (row) => {
    const count: Count = { nights: 0, missed: 0, doubled: 0, mislabelled: 0 };
    vi.useFakeTimers();
    try {
      await changes(row, count);
      row.measured('nights around changes of time', count.nights);
      const before = count.nights;
      await absences(row, count);
      row.measured('nights of the scheduler that was down', count.nights - before);
      if (!row.isShort) row.measured('nights of two years, day by day', await twoYears(count));
    } finally {
      vi.useRealTimers();
    }
    const { missed, doubled, mislabelled } = count;
    row.measured('nights missed', missed);
    row.measured('nights doubled', doubled);
    row.measured('nights with another date', mislabelled);
    expect({ missed, doubled, mislabelled }).toEqual({ missed: 0, doubled: 0, mislabelled: 0 });
  },
);

function note(count: Count, runs: readonly string[], expected: readonly string[]): void {
  count.nights += expected.length;
  count.missed += expected.filter((date) => !runs.includes(date)).length;
  count.doubled += runs.length - new Set(runs).size;
  count.mislabelled += runs.filter((date, n) => expected[n] !== date).length;
}

const zonesOf = (row: Row) => (row.isShort ? ZONES.filter((_, n) => n % 4 === 0) : ZONES);

async function changes(row: Row, count: Count): Promise<void> {
  for (const [zone, noon, days] of zonesOf(row)) {
    for (const line of row.isShort ? LINES.slice(1, 2) : LINES) {
      for (const date of row.isShort ? days.slice(0, 1) : days) {
        const { runs, complaints } = await nightsAround(date, { zone, noon, line });
        // The first is found missing at the start; then, for three nights, each in its own night.
        note(count, runs, [day(date, -2), day(date, -1), date, day(date, 1)]);
        expect(complaints, `${zone}, ${line}, around ${date}`).toEqual([]);
      }
    }
  }
}

/** Down for three nights, and up again at noon before a change: the oldest first, each labelled with its own date. */
async function absences(row: Row, count: Count): Promise<void> {
  for (const [zone, noon, days] of zonesOf(row)) {
    for (const date of row.isShort ? days.slice(1, 2) : days) {
      const { runs } = await nightsAround(date, { zone, noon, line: '30 2 * * *', hours: 48, finished: day(date, -5) });
      note(count, runs, [day(date, -4), day(date, -3), day(date, -2), day(date, -1), date]);
    }
  }
}

async function twoYears(count: Count): Promise<number> {
  const first = '2026-01-02';
  const { runs } = await nightsAround(first, {
    zone: 'Europe/Berlin',
    noon: 11,
    line: '30 2 * * *',
    hours: 2 * YEAR * 24,
    finished: day(first, -3),
  });
  const expected = Array.from({ length: 2 * YEAR + 1 }, (_, n) => day(first, n - 2));
  note(count, runs, expected);
  return expected.length;
}
