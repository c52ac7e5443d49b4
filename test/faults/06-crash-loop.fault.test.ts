/** A process that dies every few minutes for a day: what it had booked and what it forgets must not add up to too much. */
import { expect } from 'vitest';
import { SCENARIOS, simulate } from '../../bench/pacing/scenarios.ts';
import { MODEL_NAMES } from '../../bench/pacing/servers.ts';
import { faultRow } from './harness/row.ts';

faultRow(
  {
    number: 6,
    fault: 'the process crashes every 1 to 8 minutes for 24 hours',
    how: 'the real limiter on virtual time, against four ways in which the Service may count (fixed window, sliding log, sliding counter, token bucket), with requests under way for up to 5 s',
    mustHold: 'no limit is exceeded; at least 97 % of the allowance is used',
  },
  async (row) => {
    const scenario = SCENARIOS.find(({ name }) => name === 'crash loop');
    if (scenario === undefined) throw new Error('the simulation has no crash loop any more');
    const hours = row.isShort ? 2 : 24;
    const models = row.isShort ? MODEL_NAMES.slice(0, 1) : MODEL_NAMES;
    let violations = 0;
    let least = 1;
    for (const [n, model] of models.entries()) {
      const outcome = await simulate(scenario, model, hours, row.seed + n);
      row.say(`${model}: ${outcome.received} requests, ${(outcome.utilisation * 100).toFixed(2)} %`);
      violations += outcome.violations;
      least = Math.min(least, outcome.utilisation);
    }
    row.measured('simulated hours', `${models.length} × ${hours}`);
    row.measured('requests over a limit', violations);
    row.measured('lowest use of the allowance', `${(least * 100).toFixed(2)} %`);
    expect(violations).toBe(0);
    // Of a short simulation the first window, which is free of charge, is too large a part to say more.
    expect(least).toBeGreaterThanOrEqual(row.isShort ? 0.9 : 0.97);
  },
);
