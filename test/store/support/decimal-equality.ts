/** Decimals are equal by value: 3.90 is stored, and comes back, as 3.9. */
import { expect } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.ts';

export function compareDecimalsByValue(): void {
  expect.addEqualityTesters([
    (a: unknown, b: unknown) => (a instanceof Decimal && b instanceof Decimal ? a.equals(b) : undefined),
  ]);
}
