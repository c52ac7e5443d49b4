/**
 * A first real night: prices float between a quote and its execution, network fees move, users change their minds. The world is
 * this folder's own, in decimals and with a seed; it shares no code with the product or the sandbox. `npm run test:quarter`.
 */
import { describe, expect, it } from 'vitest';
import { playNight } from './play.ts';
import { WORLDS } from './worlds.ts';

/** Of a thousand clean records and of the planted defects. Without a listing nothing says what a network cost hours after a quote. */
const KNOWN = { alarms: 0.005, missed: 0.05 };
const WITHOUT_LISTINGS = { alarms: 0.015, missed: 0.1 };

describe('a first real night', () => {
  it.each(Object.entries(WORLDS))('%s', { timeout: 600_000 }, async (_, form) => {
    const { planted, missed, clean, alarms, byRule, others } = await playNight(form);
    const most = form.listings === 'none' ? WITHOUT_LISTINGS : KNOWN;
    expect([alarms.length / clean <= most.alarms, byRule]).toEqual([true, byRule]);
    expect([missed.length / planted <= most.missed, missed]).toEqual([true, missed]);
    expect(others).toEqual([]);
  });
});
