import { expect, it } from 'vitest';
import { extentOf, isWithinJsonLimits } from '../../src/text/json-limits.ts';

it('reads a hostile text no further than its limits', () => {
  expect(extentOf('['.repeat(1_000_000), ({ depth }) => depth <= 3)).toEqual({ depth: 4, lists: 4, further: 0 });
  expect(extentOf(','.repeat(1_000_000), ({ further }) => further <= 5).further).toBe(6);
});

it('counts what is in no string, with the limits themselves allowed', () => {
  expect(extentOf('{"a[,":[1,2],"\\"{":{}}', () => true)).toEqual({ depth: 2, lists: 3, further: 2 });
  expect(['['.repeat(64), '['.repeat(65)].map((text) => isWithinJsonLimits(text))).toEqual([true, false]);
  expect(['[1,2]', '[1,2,3]'].map((text) => isWithinJsonLimits(text, 2))).toEqual([true, false]);
});
