import { expect, test } from 'vitest';
import { agree, allowance, fiatTolerance } from '../../src/domain/tolerance.ts';
import { dec, someTolerances } from '../support/builders.ts';

test.each([
  ['EUR', '0.01'],
  ['JPY', '1'],
  ['KWD', '0.001'],
  // No minor unit is known: only the relative part is left.
  ['XQQ', '0'],
])('in %s the absolute part is %s by default', (currency, absolute) => {
  const tolerance = fiatTolerance(someTolerances(), currency, 'AMOUNT_DIFFERS');
  expect([tolerance.absolute.toString(), tolerance.relative.toString()]).toEqual([absolute, '0.001']);
});

test("the rule's own part wins over the currency's, and that over the general one, each for itself", () => {
  const tolerances = someTolerances({
    currencies: new Map([['JPY', { absolute: dec('5'), relative: dec('0.02') }]]),
    rules: new Map([['FEE_BASE_DIFFERS', { absolute: dec('7') }]]),
  });
  const parts = (currency: string, rule: string) => {
    const { absolute, relative } = fiatTolerance(tolerances, currency, rule);
    return [absolute.toString(), relative.toString()];
  };
  expect(parts('JPY', 'FEE_BASE_DIFFERS')).toEqual(['7', '0.02']);
  expect(parts('JPY', 'AMOUNT_DIFFERS')).toEqual(['5', '0.02']);
  expect(parts('EUR', 'FEE_BASE_DIFFERS')).toEqual(['7', '0.001']);
  expect(parts('EUR', 'AMOUNT_DIFFERS')).toEqual(['0.01', '0.001']);
});

test('a rule may ask for the minor unit where its currency has another', () => {
  const tolerances = someTolerances({
    currencies: new Map([['EUR', { absolute: dec('5') }]]),
    rules: new Map([['TOTAL_NOT_FOOTING', { absolute: 'minor-unit' as const }]]),
  });
  expect(fiatTolerance(tolerances, 'EUR', 'TOTAL_NOT_FOOTING').absolute.toString()).toBe('0.01');
});

test.each([
  ['5', '0.01'],
  ['10', '0.01'],
  ['1000', '1'],
  ['-1000', '1'],
  ['0', '0.01'],
])('what is allowed around %s is %s: the larger part', (expected, allowed) => {
  const tolerance = { absolute: dec('0.01'), relative: dec('0.001') };
  expect(allowance(tolerance, dec(expected)).toString()).toBe(allowed);
});

test.each([
  ['4.77', '4.76', true],
  ['4.75', '4.76', true],
  ['4.7700000000000001', '4.76', false],
  ['4.7499999999999999', '4.76', false],
])('%s agrees with %s within a cent: %s', (actual, expected, agrees) => {
  expect(agree(dec(actual), dec(expected), dec('0.01'))).toBe(agrees);
});
