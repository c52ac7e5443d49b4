import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createInstantPrinter } from '../../src/publish/csv-file.ts';

it('prints UTC with milliseconds', () => {
  expect(createInstantPrinter()(Date.UTC(2026, 9, 3, 4, 5, 6, 7))).toBe('2026-10-03T04:05:06.007Z');
});

it('prints what the platform prints, for the years 0 to 9999', () => {
  const print = createInstantPrinter();
  fc.assert(
    fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (instant) => {
      expect(print(instant)).toBe(new Date(instant).toISOString());
    }),
    { numRuns: 2000 },
  );
});

it('prints many instants of one day and of the days around it', () => {
  const print = createInstantPrinter();
  const midnight = Date.UTC(2026, 10, 21);
  for (const offset of [-1, 0, 1, 999, 1000, 59_999, 60_000, 86_399_999, 86_400_000]) {
    expect(print(midnight + offset)).toBe(new Date(midnight + offset).toISOString());
  }
});

it('refuses a text that is no instant, and reads the next one correctly', () => {
  const print = createInstantPrinter();
  // The platform prints the years beyond with a sign, which a spreadsheet takes for a formula.
  for (const none of [Number.NaN, 253_402_300_800_000, -62_167_219_200_001, 9e15]) {
    expect(() => print(none)).toThrow(RangeError);
  }
  expect(print(0)).toBe('1970-01-01T00:00:00.000Z');
});
