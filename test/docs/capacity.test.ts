/** docs/explanation/capacity.md promises what `tieout plan --addresses` would: nothing more, and hardly less. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { forecast } from '../../src/app/plan.ts';

const TEXT = readFileSync(new URL('../../docs/explanation/capacity.md', import.meta.url), 'utf8');
const HOUR = 3_600_000;

/** The table: addresses, hours, records. */
const CELLS = (() => {
  const rows = TEXT.split('\n')
    .filter((line) => /^\| (addresses|\d+) \|/.test(line) || line.startsWith('|---:'))
    .map((line) => line.slice(1, -1).split('|'))
    .map((row) => row.map((cell) => cell.trim()));
  const [head = [], , ...body] = rows;
  const hours = head.slice(1).map((cell) => Number(cell.replace(' h', '')));
  return body.flatMap(([addresses = '', ...records]) =>
    records.map((cell, column) => ({
      addresses: Number(addresses),
      hours: hours[column] ?? 0,
      records: Number(cell.replaceAll(',', '')),
    })),
  );
})();

/** How many requests the tool says that there is room for, under the limits of the Service's deployments. */
function room(addresses: number, hours: number): number {
  const due = { 'never-verified': 10_000_000, 'open-break': 0, 'not-terminal': 0, 'post-terminal': 0, requested: 0 };
  const limits = [
    { requests: 100, perMs: 60_000 },
    { requests: 1_000, perMs: 900_000 },
  ];
  const terms = { limits, guardMs: 5_000, now: 0, startsAt: 0, maxRequests: null };
  return forecast(due, { ...terms, maxDurationMs: hours * HOUR, addresses }).allowed ?? 0;
}

it('has a table of five by five', () => {
  expect(CELLS).toHaveLength(25);
  expect(CELLS[0]).toEqual({ addresses: 1, hours: 4, records: 15_840 });
  expect(CELLS.at(-1)).toEqual({ addresses: 16, hours: 24, records: 1_520_640 });
});

it.each(CELLS)('$addresses addresses in $hours h: $records records', ({ addresses, hours, records }) => {
  // By the document's own formula.
  expect(records).toBe(hours * 4 * 990 * addresses);
  // 99 % is what is promised; the tool's pace is a little better, by less than half a per cent.
  expect(room(addresses, hours)).toBeGreaterThanOrEqual(records);
  expect(room(addresses, hours)).toBeLessThan(records * 1.005);
});

it('names the command that does it with one’s own figures', () => {
  expect(TEXT).toContain('`tieout plan --addresses 4`');
});
