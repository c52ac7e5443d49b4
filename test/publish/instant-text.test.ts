import fc from 'fast-check';
import { expect, it } from 'vitest';
import { instantText } from '../../src/publish/csv-file.ts';

it('prints UTC with milliseconds', () => {
  expect(instantText(Date.UTC(2026, 9, 3, 4, 5, 6, 7))).toBe('2026-10-03T04:05:06.007Z');
});

it('prints a year of four digits without a sign, for the years 0 to 9999', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (instant) => {
      const text = instantText(instant);
      expect(text).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
      expect(Date.parse(text)).toBe(instant);
    }),
    { numRuns: 2000 },
  );
});

it('refuses what is no instant of a calendar', () => {
  // The platform prints the years beyond with a sign, which a spreadsheet takes for a formula.
  for (const none of [Number.NaN, 253_402_300_800_000, -62_167_219_200_001, 9e15]) {
    expect(() => instantText(none)).toThrow(RangeError);
  }
});
