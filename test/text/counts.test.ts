import { expect, test } from 'vitest';
import { count, counted } from '../../src/text/counts.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [12_345, '12,345'],
  [1_234_567, '1,234,567'],
])('%i is written %s', (n, shown) => {
  expect(count(n)).toBe(shown);
});

test('one has the singular, every other number the plural', () => {
  expect([0, 1, 2, 1200].map((n) => counted(n, 'record'))).toEqual([
    '0 records',
    '1 record',
    '2 records',
    '1,200 records',
  ]);
  expect([1, 3].map((n) => counted(n, 'is', 'are'))).toEqual(['1 is', '3 are']);
});
