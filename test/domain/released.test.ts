import { expect, test } from 'vitest';
import { hasReleased, sameStatus } from '../../src/domain/released.ts';

test.each([
  ['RELEASED', true],
  ['completed', true],
  ['RELEASING', false],
  ['EXPIRED', false],
  ['failed', false],
  ['released', false],
])('money has moved for good in %s: %s', (status, released) => {
  expect(hasReleased({ status })).toBe(released);
});

test('a record without a status may still be on its way', () => {
  expect(hasReleased({ status: null })).toBe(false);
});

test.each([
  ['EXPIRED', 'EXPIRED', true],
  ['RELEASED', 'completed', true],
  ['completed', 'RELEASED', true],
  ['RELEASED', 'EXPIRED', false],
  ['EXPIRED', 'completed', false],
  ['RELEASED', 'RELEASING', false],
])('%s and %s say the same: %s', (a, b, same) => {
  expect(sameStatus(a, b)).toBe(same);
});
