import { expect, it } from 'vitest';
import { pacedDurationMs } from '../../../src/service/pacing/paced.ts';

const LIMITS = [
  { requests: 100, perMs: 60_000 },
  { requests: 1000, perMs: 900_000 },
];

it('paces at the tightest limit: 1,000 requests in a window and its guard', () => {
  // 999 steps of 905 s / 999.
  expect(pacedDurationMs(1000, LIMITS, 5000)).toBeCloseTo(905_000, 0);
  expect(pacedDurationMs(0, LIMITS, 5000)).toBe(0);
  // Half of them each, over two addresses: the same as 500 alone.
  expect(pacedDurationMs(1000, LIMITS, 5000, 2)).toBeCloseTo(452_047, 0);
  expect(pacedDurationMs(999, LIMITS, 5000, 2)).toBeCloseTo(452_047, 0);
});

it('has no estimate without limits', () => {
  expect(pacedDurationMs(1000, [], 5000)).toBeNull();
});
