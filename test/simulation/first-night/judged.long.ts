/**
 * A first real night: prices float between a quote and its execution, network fees move, users change their minds. The world is
 * this folder's own, in decimals and with a seed; it shares no code with the product or the sandbox. `npm run test:quarter`.
 */
import { describe, expect, it } from 'vitest';
import { playNight } from './play.ts';
import { WORLDS } from './worlds.ts';

/** Of the clean records and of the planted defects. */
const MOST = { alarms: 0.005, missed: 0.05 };

describe('a first real night', () => {
  it.each(Object.entries(WORLDS))('%s', { timeout: 600_000 }, async (_, form) => {
    const { planted, missed, clean, alarms, byRule, others } = await playNight(form);
    expect([alarms.length / clean <= MOST.alarms, byRule]).toEqual([true, byRule]);
    expect([missed.length / planted <= MOST.missed, missed]).toEqual([true, missed]);
    expect(others).toEqual([]);
  });
});
