import { expect, it } from 'vitest';
import { pacedDurationMs, pacedIntervalMs, pacedRequestsWithin } from '../../src/reconcile/estimate.ts';

const LIMITS = [
  { requests: 100, perMs: 60_000 },
  { requests: 1000, perMs: 900_000 },
];

it('paces at the tightest limit: 1,000 requests in 905 s', () => {
  expect(pacedIntervalMs(LIMITS, 5000)).toBe(905);
  expect(pacedDurationMs(1001, LIMITS, 5000)).toBe(905_000);
  expect(pacedDurationMs(0, LIMITS, 5000)).toBe(0);
});

it('fits 95,470 requests into a day', () => {
  expect(pacedRequestsWithin(86_400_000, LIMITS, 5000)).toBe(95_470);
});

it('estimates nothing where nothing limits', () => {
  expect(pacedDurationMs(1000, [], 5000)).toBeNull();
  expect(pacedRequestsWithin(1000, [], 5000)).toBeNull();
});
