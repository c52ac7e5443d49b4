import { expect, test } from 'vitest';
import { majorToMinor, minorToMajor, minorUnit, minorUnitDigits, showMoney } from '../../src/domain/currency.ts';
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

test.each([
  ['50', 'EUR', '5000'],
  ['50.1', 'EUR', '5010'],
  ['50.10', 'EUR', '5010'],
  ['50.1000', 'EUR', '5010'],
  ['0.01', 'EUR', '1'],
  ['-3.5', 'EUR', '-350'],
  ['1e3', 'EUR', '100000'],
  ['5000', 'JPY', '5000'],
  ['1.234', 'KWD', '1234'],
  ['5000', 'HUF', '500000'],
  // Binary floating point makes 114.99999999999999 of 1.15 × 100.
  ['1.15', 'EUR', '115'],
  ['90071992547409.93', 'USD', '9007199254740993'],
])('%s %s is %s minor units', (major, code, minor) => {
  expect(majorToMinor(major, code)).toEqual({ ok: true, text: minor });
});

test.each([
  ['5000', 'EUR', '50.00'],
  ['1', 'EUR', '0.01'],
  ['5', 'JPY', '5'],
  ['1', 'KWD', '0.001'],
  ['-350', 'EUR', '-3.50'],
])('%s minor units of %s are %s', (minor, code, major) => {
  expect(minorToMajor(minor, code)).toEqual({ ok: true, text: major });
});

test.each([
  ['50.001', 'EUR', 'too-precise'],
  ['0.5', 'JPY', 'too-precise'],
  ['50', 'XQQ', 'unknown-currency'],
  ['50,00', 'EUR', 'not-a-number'],
  ['', 'EUR', 'not-a-number'],
])('%j %s has no minor units: %s', (major, code, reason) => {
  expect(majorToMinor(major, code)).toEqual({ ok: false, reason });
});

test('minor units are whole', () => {
  expect(minorToMajor('50.5', 'EUR')).toEqual({ ok: false, reason: 'not-a-number' });
  expect(minorToMajor('50', 'XQQ')).toEqual({ ok: false, reason: 'unknown-currency' });
});
