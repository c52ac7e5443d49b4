/**
 * The limiter against four kinds of servers on virtual time: the short form of `node bench/pacing/simulate.ts`, which
 * runs a whole day of each, and an hour in the gate.
 */
import { describe, expect, it } from 'vitest';
import { SCENARIOS, simulate } from '../../../bench/pacing/scenarios.ts';
import { createServer, MODEL_NAMES } from '../../../bench/pacing/servers.ts';

const HOURS = 0.5;

describe.each(SCENARIOS)('$name', (scenario) => {
  it.each(MODEL_NAMES.map((model, at) => ({ model, seed: 100 + at })))(
    'exceeds no limit of a $model and uses what it may',
    async ({ model, seed }) => {
      const outcome = await simulate(scenario, model, HOURS, seed);
      expect(outcome.violations).toBe(0);
      expect(outcome.peaks[0]).toBeLessThanOrEqual(100);
      expect(outcome.peaks[1]).toBeLessThanOrEqual(1000);
      expect(outcome.utilisation).toBeGreaterThanOrEqual(scenario.utilisation);
      expect(outcome.received).toBeGreaterThan(500 * HOURS);
    },
  );
});

describe('the simulated servers do refuse', () => {
  const limits = [{ requests: 3, perMs: 1_000 }];
  const refusals = (model: (typeof MODEL_NAMES)[number], times: readonly number[]) => {
    const server = createServer(model, limits, () => 0);
    return times.filter((at) => !server.receive(at));
  };

  it.each([
    { model: 'fixed window', times: [0, 900, 950, 999, 1000], refused: [999] },
    { model: 'sliding log', times: [0, 900, 950, 999, 1000, 1951], refused: [999, 1000] },
    { model: 'sliding counter', times: [0, 0, 0, 1400, 1700], refused: [] },
    { model: 'sliding counter', times: [900, 900, 900, 1100, 1400], refused: [1100, 1400] },
    { model: 'token bucket', times: [0, 0, 0, 300, 1000], refused: [300] },
  ] as const)('$model: of $times, $refused', ({ model, times, refused }) => {
    expect(refusals(model, times)).toEqual(refused);
  });
});
