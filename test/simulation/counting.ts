/** Reading and counting, as the accountant does it. */
import type { Csv, Row } from '../e2e/support/csv.ts';

const DAY_MS = 86_400_000;

export const recordOf = (row: Row) => `${row.kind} ${row.record_id}`;

/** Days are counted on the calendar: the hours of a day do not matter, however many it has. */
export function dayNumber(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

export function sumOf(csv: Csv, column: string): number {
  return csv.column(column).reduce((sum, cell) => sum + Number(cell), 0);
}

export function countBy(rows: readonly Row[], column: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row[column] ?? '', (counts.get(row[column] ?? '') ?? 0) + 1);
  return counts;
}

/** Bands of days: up to 1, 7, 30, 90 and more; and their sum. */
export function ageingDisagreements(date: string, open: readonly Row[], ageing: Csv): string[] {
  const ages = open.map((row) => dayNumber(date) - dayNumber(row.first_seen_date ?? ''));
  const within = (from: number, to: number) => ages.filter((age) => age >= from && age <= to).length;
  const expected: Readonly<Record<string, number>> = {
    open_count: open.length,
    days_0_1: within(0, 1),
    days_2_7: within(2, 7),
    days_8_30: within(8, 30),
    days_31_90: within(31, 90),
    days_over_90: within(91, Number.POSITIVE_INFINITY),
  };
  return Object.entries(expected).flatMap(([column, count]) => {
    const printed = sumOf(ageing, column);
    return printed === count ? [] : [`${date}: ageing has ${printed} in ${column}, the work list ${count}`];
  });
}
