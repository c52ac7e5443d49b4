/**
 * A simulated quarter: the real application, night after night, across a change of clocks, with defects that come, are
 * repaired, waived and come back, before an accountant that shares no code with it. `npm run test:quarter` runs all of it:
 * 500 new records a night, and the later looks at those of the nights before. The short form, around the change of clocks
 * and the end of a month, runs with the other tests.
 */
import { describe, expect, it } from 'vitest';
import { simulate } from './simulate.ts';

const WHOLE = process.env.TIEOUT_SIMULATION === 'quarter';
const FORM = WHOLE
  ? { seed: 11, firstDate: '2026-09-01', nights: 90, recordsADay: 500, troubled: 0.08 }
  : { seed: 7, firstDate: '2026-10-24', nights: 9, recordsADay: 25, troubled: 0.3 };

describe(WHOLE ? 'a quarter' : 'nine nights', () => {
  it('holds together', WHOLE ? { timeout: 1_800_000 } : {}, async () => {
    const started = performance.now();
    const { model, untrue, changed, figures } = await simulate(FORM);
    if (WHOLE) console.info(Math.round((performance.now() - started) / 1000), 's', figures, model.figures);
    expect(model.violations).toEqual([]);
    expect(untrue).toEqual([]);
    expect(changed).toEqual([]);
    // There was something to check.
    expect(model.figures.nights).toBe(FORM.nights + figures.repeated);
    const seen = Object.entries({ ...model.figures, ...figures });
    expect(seen.filter(([, count]) => count === 0)).toEqual([]);
  });
});
