/** Months over records that are released and returned late, in any order of nights and closes: each case is a quarter of a year of nights. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { readCsv } from './support/csv.ts';
import { bookedIn, close, type Life, nightsOf, RULES } from './support/lives.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

const DAY = 86_400_000;
const START = Date.parse('2025-09-01T12:00:00Z');
const dayAt = (day: number) => new Date(START + day * DAY).toISOString();

/** Within 91 days, which are September to November. */
const lives = fc.array(
  fc.record({
    created: fc.integer({ min: 0, max: 85 }),
    releasedAfter: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 4 }),
    returnedAfter: fc.option(fc.integer({ min: 1, max: 45 })),
    cents: fc.integer({ min: 1, max: 9999 }),
    currency: fc.constantFrom('EUR', 'GBP'),
  }),
  { minLength: 3, maxLength: 8 },
);
const closes = fc.record({
  day: fc.integer({ min: 1, max: 12 }),
  nightsBefore: fc.integer({ min: 0, max: 20 }),
  states: fc.boolean(),
});

it('for any order of nights, closes, late releases and deltas, what the months book is what the records have', async () => {
  const property = fc.asyncProperty(lives, fc.array(closes, { minLength: 3, maxLength: 3 }), async (drawn, months) => {
    const first = { id: 'first', created: dayAt(0).slice(0, 19), released: dayAt(0).slice(0, 19), cut: '1.00' };
    const others = drawn.map(({ created, releasedAfter, returnedAfter, cents, currency }, i): Life => {
      const released = releasedAfter === null ? null : created + releasedAfter;
      const at = (day: number) => dayAt(day).slice(0, 19);
      const back = released === null || returnedAfter === null ? {} : { returned: at(released + returnedAfter) };
      return {
        id: `r${i}`,
        created: at(created),
        released: released === null ? null : at(released),
        cut: (cents / 100).toFixed(2),
        currency,
        ...back,
      };
    });
    // A night before the first record would be incomplete.
    const of = [{ ...first, currency: 'EUR' }, ...others];
    const place = open({ settings: RULES });
    const names = ['2025-09', '2025-10', '2025-11'];
    const firstOf = [30, 61, 91];
    const delta = (period: string, now: string) => place.tieout(['period', 'delta', period, '--by', 'Ann'], { now });
    for (const [i, { day, nightsBefore, states }] of months.entries()) {
      const closeDay = (firstOf[i] ?? 0) + day - 1;
      // The newest night may be weeks older than the close; then much is learned after it.
      await nightsOf(of, { server, place }, dayAt(closeDay - 1 - nightsBefore).slice(0, 10));
      await close(place, names[i] ?? '', dayAt(closeDay));
      if (states && i > 0) await delta(names[i - 1] ?? '', dayAt(closeDay));
    }
    await nightsOf(of, { server, place }, '2026-03-20');
    for (const period of names) await delta(period, '2026-03-21T08:00:00Z');
    const journals: string[] = [];
    for (const period of names)
      for (const flags of [[], ['--corrections']])
        journals.push((await place.tieout(['journal', '--period', period, ...flags, '--format', 'generic'])).out);
    const { rows } = readCsv((await place.tieout(['revenue', '--format', 'csv'])).out);
    for (const currency of ['EUR', 'GBP']) {
      const cents = (text: string) => Math.round(Number(text) * 100);
      const booked = journals.reduce((sum, each) => sum + (each === '' ? 0 : cents(bookedIn(each, currency))), 0);
      // Months that are not closed: nothing but the accrual has them.
      const later = rows.filter((row) => row.fiat_currency === currency && !names.includes(row.business_month ?? ''));
      const stands = of.filter(
        (life) => life.currency === currency && life.released !== null && life.returned === undefined,
      );
      const rest = later.reduce((sum, { accrued_total }) => sum + cents(accrued_total || '0'), 0);
      expect(booked + rest).toBe(stands.reduce((sum, { cut }) => sum + cents(cut ?? '0'), 0));
    }
  });
  await fc.assert(property, { numRuns: 12, seed: 28, endOnFailure: true });
});
