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
  expect(hasReleased({ kind: 'purchase', status })).toBe(released);
});

test('a purchase without a status may still be on its way; a sale without one is as the specification has it, and was paid out', () => {
  expect(hasReleased({ kind: 'purchase', status: null })).toBe(false);
  expect(hasReleased({ kind: 'sale', status: null })).toBe(true);
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
