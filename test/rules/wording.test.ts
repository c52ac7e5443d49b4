import { expect, test } from 'vitest';
import {
  asClause,
  figuresApart,
  moneyApart,
  percentsApart,
  showDuration,
  showFigure,
  showPercent,
  showQuote,
  showShare,
  showSize,
} from '../../src/rules/wording.ts';
import { aMatchedQuote, DAYS, dec, HOURS, MINUTES } from '../support/builders.ts';

test.each([
  ['6.26', '4.76', 'EUR', ['6.26 EUR', '4.76 EUR', '1.50 EUR more']],
  ['6.2634', '6.2641', 'EUR', ['6.263 EUR', '6.264 EUR', '0.001 EUR less']],
  // Rounded to cents, the difference would not be that of the two.
  ['128.9163', '105.2241', 'BRL', ['128.916 BRL', '105.224 BRL', '23.692 BRL more']],
  ['6.26', '6.26', 'EUR', ['6.26 EUR', '6.26 EUR', '0.00 EUR more']],
  ['1000.4', '1000', 'JPY', ['1000.4 JPY', '1000.0 JPY', '0.4 JPY more']],
  ['5', '4.5', 'XQQ', ['5.00 XQQ', '4.50 XQQ', '0.50 XQQ more']],
  ['-0.2', '0.2', 'KWD', ['-0.200 KWD', '0.200 KWD', '0.400 KWD less']],
  // Past 24 places a difference is the noise of a division.
  [
    '1.000000000000000000000000000001',
    '1',
    'EUR',
    ['1.000000000000000000000000 EUR', '1.000000000000000000000000 EUR', '0.000000000000000000000000 EUR more'],
  ],
])('%s and %s %s never look the same unless they are, and foot with their difference', (a, b, currency, shown) => {
  expect(moneyApart(dec(a), dec(b), currency)).toEqual(shown);
});

test.each([
  ['1.5', 'EUR', '1.50 EUR'],
  ['-1.5', 'EUR', '1.50 EUR'],
  ['0.0004', 'EUR', '0.0004 EUR'],
  ['-250', 'JPY', '250 JPY'],
])('an amount of %s %s is written as "%s"', (difference, currency, told) => {
  expect(showSize(dec(difference), currency)).toBe(told);
});

test.each([
  ['1180.9032500905719', '1180.9'],
  ['0.008023728890597727', '0.00802373'],
  ['0.00000123456789', '0.00000123457'],
  ['123456789', '123456789'],
  ['0', '0'],
  ['2500', '2500'],
])('a rate of %s is shown as %s', (value, shown) => {
  expect(showFigure(dec(value))).toBe(shown);
});

test.each([
  ['2500.0026', '2500', ['2500.003', '2500']],
  ['0.04', '0.0399', ['0.04', '0.0399']],
  ['0.00000123', '1000', ['0.00000123', '1000']],
  ['1', '1', ['1', '1']],
])('figures of %s and %s are distinguished', (a, b, shown) => {
  expect(figuresApart(dec(a), dec(b))).toEqual(shown);
});

test.each([
  ['31.512', '31.5 %'],
  ['-7.26', '7.3 %'],
  ['10', '10.0 %'],
  ['0.04', '0.04 %'],
  ['0.000104', '0.0001 %'],
])('%s percent is written as "%s"', (percent, shown) => {
  expect(showPercent(dec(percent))).toBe(shown);
});

test('a share of nothing is not a number', () => {
  expect(showShare(dec('1'), dec('0'))).toBeNull();
  expect(showShare(dec('1'), dec('3'))).toBe('33.3 %');
});

test.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [MINUTES, '1 min'],
  [4 * MINUTES, '4 min'],
  [119 * MINUTES, '119 min'],
  [2 * HOURS, '2 hours'],
  [36 * HOURS, '36 hours'],
  [2 * DAYS, '2 days'],
  [5 * DAYS + 3 * HOURS, '5 days 3 hours'],
  [3 * DAYS + HOURS, '3 days 1 hour'],
  [9 * DAYS + 23 * HOURS, '9 days 23 hours'],
  [10 * DAYS + 3 * HOURS, '10 days'],
  [39 * DAYS + 2 * HOURS, '39 days'],
])('%i ms is written as "%s"', (ms, told) => {
  expect(showDuration(ms)).toBe(told);
});

test.each([
  ['MANUAL_BANK_TRANSFER', 'manual bank transfer'],
  ['APPLE_PAY', 'Apple Pay'],
  ['SEPA', 'SEPA'],
  ['SOFORT', 'SOFORT'],
])('a quote for %s names it %s', (method, word) => {
  expect(showQuote(aMatchedQuote({ method: { method } }))).toBe(`quote q-17 (${word}, 4 min before)`);
});

test('a quote is named without its unknown parts', () => {
  expect(showQuote(aMatchedQuote({ method: null, ageSeconds: null }))).toBe('quote q-17');
  expect(showQuote(aMatchedQuote({ ageSeconds: -240 }))).toBe('quote q-17 (card, 4 min after)');
  expect(showQuote(aMatchedQuote({ ageSeconds: 0 }))).toBe('quote q-17 (card, 0 s before)');
});

test('a sentence stands inside another without its full stop, and without losing anything else', () => {
  expect(asClause('The answer is a redirect, which is not followed.')).toBe(
    'The answer is a redirect, which is not followed',
  );
  expect(asClause('the key "fiatValue" is there twice')).toBe('the key "fiatValue" is there twice');
});

test('two percentages are printed with the places that tell them apart', () => {
  expect(percentsApart(dec('1.534'), dec('1.5'))).toEqual(['1.53 %', '1.5 %']);
  expect(percentsApart(dec('5.62'), dec('1.5'))).toEqual(['5.6 %', '1.5 %']);
});
