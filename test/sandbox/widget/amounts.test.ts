import { describe, expect, it } from 'vitest';
import { catalogueAsset } from '../../../src/sandbox/assets-catalogue.ts';
import { showCrypto, showFiat, typedToUnits, unitsToTyped } from '../../../src/sandbox/widget/quote.ts';

describe('amounts in digits', () => {
  it.each([
    ['0.05', 18, '50000000000000000'],
    ['1', 0, '1'],
    ['12.340', 2, '1234'],
    ['9007199254740993.000000000000000001', 18, '9007199254740993000000000000000001'],
    ['0', 18, null],
    ['0.001', 2, null],
    ['-1', 2, null],
    ['1e3', 2, null],
    ['', 2, null],
  ])('%s with %i places is %s', (typed, decimals, units) => {
    expect(typedToUnits(typed, decimals)).toBe(units);
  });

  it.each([
    ['5010', 2, '50.1'],
    ['5', 2, '0.05'],
    ['5000', 0, '5000'],
    ['100', 2, '1'],
    ['1.5', 2, null],
  ])('%s units with %i places are %s', (units, decimals, typed) => {
    expect(unitsToTyped(units, decimals)).toBe(typed);
  });
});

it('shows fiat with the places of its currency, and crypto with those that matter', () => {
  expect(showFiat(1234.5, 'EUR')).toBe('1,234.50 EUR');
  expect(showFiat(1234567.8, 'JPY')).toBe('1,234,568 JPY');
  const eth = catalogueAsset('ETH_ETH');
  expect(showCrypto(16_549_812_345_678_901n, eth)).toBe('0.01654981 ETH');
  expect(showCrypto(1_500_000_000_000_000_000_000n, eth)).toBe('1,500 ETH');
  expect(showCrypto(12_345n, eth)).toBe('0.00000000000001234 ETH');
});
