import { expect, test } from 'vitest';
import { minorUnit, minorUnitDigits, showMoney } from '../../src/domain/currency.ts';
import { Decimal } from '../../src/domain/decimal.ts';

test.each([
  ['EUR', 2],
  ['USD', 2],
  ['JPY', 0],
  ['KRW', 0],
  ['CLP', 0],
  ['ISK', 0],
  ['KWD', 3],
  ['BHD', 3],
  // Those for which ICU has no minor units, and the two that divide by five.
  ['HUF', 2],
  ['IDR', 2],
  ['COP', 2],
  ['PKR', 2],
  ['MGA', 2],
  ['MRU', 2],
])('%s has %i digits after the point by ISO 4217', (code, digits) => {
  expect(minorUnitDigits(code)).toBe(digits);
});

test('the smallest amount follows from that', () => {
  expect(minorUnit('EUR')?.toString()).toBe('0.01');
  expect(minorUnit('JPY')?.toString()).toBe('1');
  expect(minorUnit('KWD')?.toString()).toBe('0.001');
});

test.each(['XQQ', 'eur', '', 'toString', 'ETH'])('%j is not a currency: unknown, not two digits', (code) => {
  expect(minorUnitDigits(code)).toBeUndefined();
  expect(minorUnit(code)).toBeUndefined();
});

test.each([
  ['6.26', 'EUR', '6.26 EUR'],
  ['6.2', 'EUR', '6.20 EUR'],
  ['6.267', 'EUR', '6.27 EUR'],
  ['100.4', 'JPY', '100 JPY'],
  ['1.5', 'KWD', '1.500 KWD'],
  ['0.0521', 'XQQ', '0.0521 XQQ'],
])('%s %s is shown as %s', (amount, code, shown) => {
  expect(showMoney(Decimal.parse(amount), code)).toBe(shown);
});
