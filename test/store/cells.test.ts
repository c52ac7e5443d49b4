import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { dateOf, dayOf, decimalCell, deflateText, inflateText, readDecimal } from '../../src/store/cells.ts';

it.each([
  ['0', '0', 0],
  ['-0.43', '-43', 2],
  ['104.76', '10476', 2],
  ['0.00000000000000001', '1', 17],
  ['-123456789012345678901234567890', '-123456789012345678901234567890', 0],
])('a decimal cell %s is %s / 10^%i', (cell, unscaled, scale) => {
  const value = readDecimal(cell);
  expect([value.unscaled, value.scale]).toEqual([BigInt(unscaled), scale]);
});

it('a decimal has the same value after it was stored, with any digits', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      fc.integer({ min: 0, max: 60 }),
      (unscaled, scale) => {
        const value = Decimal.of(unscaled, scale);
        expect(readDecimal(decimalCell(value) ?? '').equals(value)).toBe(true);
      },
    ),
  );
});

it('a damaged decimal is not read as something else', () => {
  for (const cell of ['', 'NaN', '1.2.3', '1,5', '--1']) expect(() => readDecimal(cell)).toThrow();
});

it.each([
  ['1970-01-01', 0],
  ['1969-12-31', -1],
  ['2000-03-01', 11_017],
  ['2028-02-29', 21_243],
])('%s is day %i', (date, day) => {
  expect(dayOf(date)).toBe(day);
  expect(dateOf(day)).toBe(date);
});

it.each(['2026-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '20261101', 'today', '2026-11-01T00:00'])(
  '%s is no calendar day',
  (text) => {
    expect(() => dayOf(text)).toThrow(RangeError);
  },
);

it('a text that another hand damaged, or made to fill the memory, is refused by name', () => {
  const whole = deflateText('{"id":"a"}');
  expect(inflateText(whole)).toBe('{"id":"a"}');
  const bomb = deflateRawSync(Buffer.alloc(70 * 1024 * 1024));
  for (const bytes of [new Uint8Array(), Uint8Array.of(0, 1), whole.subarray(0, -2), bomb])
    expect(() => inflateText(bytes)).toThrow('a text in the database is damaged');
});
