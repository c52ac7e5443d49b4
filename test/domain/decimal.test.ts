import { describe, expect, test } from 'vitest';
import { Decimal, DecimalSyntaxError } from '../../src/domain/decimal.ts';

describe('reading', () => {
  test.each([
    ['12', '12'],
    ['-0.43', '-0.43'],
    ['1.5e-7', '0.00000015'],
    ['1E+3', '1000'],
    ['2e3', '2000'],
    ['007.500', '7.5'],
    ['-0', '0'],
    ['-0.000', '0'],
    ['1180.9032500905719', '1180.9032500905719'],
    ['0.00869539999999999', '0.00869539999999999'],
    [
      '123456789012345678901234567890.123456789012345678901234567890',
      '123456789012345678901234567890.12345678901234567890123456789',
    ],
  ])('%s is %s', (text, printed) => {
    expect(Decimal.parse(text).toString()).toBe(printed);
    expect(JSON.stringify({ amount: Decimal.parse(text) })).toBe(`{"amount":"${printed}"}`);
  });

  test.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '.5',
    '1.',
    '+1',
    '1,5',
    '0x10',
    '1e',
    '1e1.5',
    'NaN',
    'Infinity',
    '--1',
    '1_000',
    '１',
  ])('%j is not a number', (text) => {
    expect(() => Decimal.parse(text)).toThrow(DecimalSyntaxError);
  });

  test.each([
    ['1'.repeat(121), 'too many digits'],
    [`0.${'1'.repeat(120)}`, 'too many digits'],
    ['1e121', 'exponent out of range'],
    ['1e-121', 'exponent out of range'],
    ['1e999999', 'exponent out of range'],
    ['1e9999999', 'syntax'],
  ])('beyond any amount of anything: %s, %s', (text, why) => {
    expect(() => Decimal.parse(text)).toThrow(DecimalSyntaxError);
    expect(() => Decimal.parse(text)).toThrow(`not a decimal number (${why}): ${text.slice(0, 60)}`);
  });

  test('a hundred and twenty digits are read, on either side of the point', () => {
    expect(Decimal.parse('1'.repeat(120)).toString()).toBe('1'.repeat(120));
    expect(Decimal.parse(`0.${'1'.repeat(119)}`).toString()).toBe(`0.${'1'.repeat(119)}`);
    expect(Decimal.parse('1e120').toString()).toBe(`1${'0'.repeat(120)}`);
    expect(Decimal.parse('1e-120').toString()).toBe(`0.${'0'.repeat(119)}1`);
  });

  test('the error quotes the text, shortened', () => {
    expect(() => Decimal.parse('one')).toThrow(expect.objectContaining({ name: 'DecimalSyntaxError' }));
    expect(() => Decimal.parse('one')).toThrow('not a decimal number (syntax): one');
    expect(() => Decimal.parse(`${'9'.repeat(200)}x`)).toThrow(/: 9{60}$/);
  });
});

describe('the edges', () => {
  test('units and decimals make whole tokens', () => {
    expect(Decimal.of(30_000_000_000_000_000n, 18).toString()).toBe('0.03');
    expect(Decimal.of(5n).toString()).toBe('5');
    expect(Decimal.of(0n, 18).toString()).toBe('0');
  });

  test.each([-1, 0.5, 1001, Number.NaN])('a scale of %s is refused', (scale) => {
    expect(() => Decimal.of(1n, scale)).toThrow(RangeError);
    expect(() => Decimal.of(1n, scale)).toThrow(`scale out of range: ${scale}`);
  });

  test('a thousand places are the most', () => {
    expect(Decimal.of(1n, 1000).toString()).toBe(`0.${'0'.repeat(999)}1`);
  });

  test.each(['0', '-0', '0.00', '-0.00'])('%s is zero, and not negative', (text) => {
    expect([Decimal.parse(text).isZero, Decimal.parse(text).isNegative]).toEqual([true, false]);
  });

  test('nothing is divided by zero', () => {
    expect(() => Decimal.ONE.dividedBy(Decimal.parse('0.00'), 2)).toThrow('division by zero');
  });

  test.each([-1, 0.5])('no number has %s places', (places) => {
    expect(() => Decimal.parse('15').rounded(places)).toThrow(RangeError);
    expect(() => Decimal.parse('15').dividedBy(Decimal.ONE, places)).toThrow(RangeError);
    expect(() => Decimal.parse('15').toPlaces(places)).toThrow(RangeError);
  });

  test.each([
    ['0.125', 2, 'half-up', '0.13'],
    ['0.125', 2, 'half-even', '0.12'],
    ['0.135', 2, 'half-even', '0.14'],
    ['0.129', 2, 'down', '0.12'],
    ['-0.125', 2, 'half-up', '-0.13'],
    ['-0.125', 2, 'half-even', '-0.12'],
    ['-0.129', 2, 'down', '-0.12'],
    ['-0.004', 2, 'half-up', '0'],
  ] as const)('%s at %i places, %s, is %s', (text, places, how, rounded) => {
    expect(Decimal.parse(text).rounded(places, how).toString()).toBe(rounded);
  });

  test.each([
    ['1.5', 2, '1.50'],
    ['1', 0, '1'],
    ['1', 3, '1.000'],
    ['0.005', 2, '0.00'],
    ['-1.005', 2, '-1.00'],
    ['-0.004', 2, '0.00'],
  ])('%s shown at %i places is %s', (text, places, shown) => {
    expect(Decimal.parse(text).toPlaces(places)).toBe(shown);
  });
});
