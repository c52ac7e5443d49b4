import { expect, test } from 'vitest';
import type { Case } from '../../src/domain/case.ts';
import { feeAppliedDiffers } from '../../src/rules/fee-applied-differs.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { aCase, aMatchedQuote, anUnreachable, aPurchase, aSale, LOCKED, someTerms } from '../support/builders.ts';
import { ask as askBy, fieldsOf as fieldsBy, NOT_APPLICABLE, NOTHING } from './ask.ts';

/** Quotes that bind; how floating prices are judged is in first-night.test.ts. */
const BOUND = someTerms({ binding: LOCKED });
const ask = (rule: Rule, subject: Case) => askBy(rule, subject, BOUND);
const fieldsOf = (rule: Rule, subject: Case, terms = BOUND) => fieldsBy(rule, subject, terms);

test('the sentence names both fees, the quote, how much, and where it is', () => {
  const state = aPurchase({ appliedFee: '6.26', baseFee: '5.40', fiatValue: '106.26' });
  const quote = aMatchedQuote({ method: { fiatValue: '106.26' } });
  expect(ask(feeAppliedDiffers, aCase({ state, quote }))).toEqual([
    {
      field: 'applied_fee',
      expected: '4.76',
      actual: '6.26',
      difference: '1.5',
      unit: 'money',
      loss: '1.5',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The user paid a fee of 6.26 EUR; quote q-17 (card, 4 min before) promised 4.76 EUR: 1.50 EUR more (31.5 %), ' +
        'all of it in the base fee.',
    },
  ]);
});

test.each([
  ['all of it in the network fee', { appliedFee: '5.76', networkFee: '1.86' }],
  ['all of it in the adjustment', { appliedFee: '5.76' }],
  ['1.20 EUR of it in the network fee and 0.30 EUR in the adjustment', { appliedFee: '6.26', networkFee: '2.06' }],
  [
    '1.00 EUR of it in the base fee, 0.30 EUR in the network fee and 0.20 EUR in the adjustment',
    { appliedFee: '6.26', baseFee: '4.90', networkFee: '1.16' },
  ],
  ['with 2.00 EUR more in the base fee and 0.50 EUR less in the adjustment', { appliedFee: '6.26', baseFee: '5.90' }],
])('the difference is %s', (where, fees) => {
  const answer = ask(feeAppliedDiffers, aCase({ state: aPurchase(fees) }));
  expect(answer).toMatchObject([{ explanation: expect.stringMatching(new RegExp(`%\\), ${where}\\.$`)) }]);
});

test('the printed parts add up to the printed difference: the largest takes what rounding leaves', () => {
  // 1.014 EUR: 0.505 in the base fee, 0.254 in the network fee and 0.255 in the adjustment.
  const state = aPurchase({ appliedFee: '5.774', baseFee: '4.405', networkFee: '1.114' });
  expect(ask(feeAppliedDiffers, aCase({ state }))).toMatchObject([
    {
      explanation: expect.stringMatching(
        / 5\.77 EUR; .* 4\.76 EUR: 1\.01 EUR more \(21\.3 %\), 0\.50 EUR of it in the base fee, 0\.25 EUR in the network fee and 0\.26 EUR in the adjustment\.$/,
      ),
    },
  ]);
  // The difference has a third place here, and so have its parts.
  const finer = aPurchase({ appliedFee: '6.264', baseFee: '5.264', networkFee: '1' });
  const quote = aMatchedQuote({ method: { appliedFee: '4.775', baseFee: '3.915' } });
  expect(ask(feeAppliedDiffers, aCase({ state: finer, quote }))).toMatchObject([
    {
      explanation: expect.stringMatching(
        /: 1\.489 EUR more .*, 1\.349 EUR of it in the base fee and 0\.140 EUR in the network fee\.$/,
      ),
    },
  ]);
});

test('where a part is unknown, the rest gets no name that it may not deserve', () => {
  const state = aPurchase({ appliedFee: '6.26' });
  const noNetwork = aMatchedQuote({ method: { networkFee: null } });
  const neither = aMatchedQuote({ method: { networkFee: null, baseFee: null } });
  expect(ask(feeAppliedDiffers, aCase({ state, quote: noNetwork }))).toMatchObject([
    { explanation: expect.stringMatching(/\(31\.5 %\), all of it in other parts\.$/) },
  ]);
  expect(ask(feeAppliedDiffers, aCase({ state, quote: neither }))).toMatchObject([
    { explanation: expect.stringMatching(/1\.50 EUR more \(31\.5 %\)\.$/) },
  ]);
});

test('a difference scattered over all parts below the minor unit is in none of them', () => {
  // 0.0147 EUR: 0.0049 each in the base fee, the network fee and the adjustment.
  const state = aPurchase({ appliedFee: '4.7747', baseFee: '3.9049', networkFee: '0.8649' });
  expect(ask(feeAppliedDiffers, aCase({ state }))).toMatchObject([
    {
      difference: '0.0147',
      explanation:
        'The user paid a fee of 4.77 EUR; quote q-17 (card, 4 min before) promised 4.76 EUR: 0.01 EUR more (0.3 %).',
    },
  ]);
});

test('a fee below the promise is reported as well', () => {
  const state = aPurchase({ appliedFee: '2.38', baseFee: '1.52' });
  expect(ask(feeAppliedDiffers, aCase({ state }))).toMatchObject([
    {
      difference: '-2.38',
      explanation:
        'The user paid a fee of 2.38 EUR; quote q-17 (card, 4 min before) promised 4.76 EUR: 2.38 EUR less (50.0 %), ' +
        'all of it in the base fee.',
    },
  ]);
});

test('a quote for another amount is compared by its percentage of the value, and the sentence says so', () => {
  // Promised: 3.90 on a value of 100 and 0.86 for the network. On 200 that is 7.80 + 0.86 = 8.66.
  const state = aPurchase({
    cryptoUnits: 80_000_000_000_000_000n,
    fiatValue: '210.16',
    baseFee: '9.30',
    appliedFee: '10.16',
  });
  expect(ask(feeAppliedDiffers, aCase({ state }))).toEqual([
    {
      field: 'applied_fee',
      expected: '8.66',
      actual: '10.16',
      difference: '1.5',
      unit: 'money',
      loss: '1.5',
      currency: 'EUR',
      // A quarter of a percentage point of 200 EUR.
      tolerance: '0.5',
      explanation:
        'The user paid a fee of 10.16 EUR; quote q-17 (card, 4 min before) is for another amount, and its percentage of this amount is ' +
        '8.66 EUR: 1.50 EUR more (17.3 %), all of it in the base fee.',
    },
  ]);
});

test('a fresh quote is compared by percentage too', () => {
  const quote = aMatchedQuote({ basis: 'requoted', quote: { quoteId: 'rq-1' }, ageSeconds: -3 * 86_400 });
  const state = aPurchase({ appliedFee: '6.26', baseFee: '5.40' });
  expect(ask(feeAppliedDiffers, aCase({ state, quote }))).toMatchObject([
    {
      expected: '4.76',
      tolerance: '0.25',
      explanation:
        'The user paid a fee of 6.26 EUR; quote rq-1 (card, 3 days after) was asked for afterwards, and its percentage of ' +
        'this amount is 4.76 EUR: 1.50 EUR more (31.5 %), all of it in the base fee.',
    },
  ]);
  const near = aPurchase({ appliedFee: '5.01', baseFee: '4.15' });
  expect(ask(feeAppliedDiffers, aCase({ state: near, quote }))).toEqual(NOTHING);
});

test('a promise of no fee has no percentage', () => {
  const quote = aMatchedQuote({ method: { appliedFee: '0', baseFee: '0', networkFee: '0' } });
  expect(ask(feeAppliedDiffers, aCase({ quote }))).toMatchObject([
    { explanation: expect.stringContaining('promised 0.00 EUR: 4.76 EUR more, 3.90 EUR of it in the base fee') },
  ]);
});

test('the tolerance is a cent: exactly one agrees, a hair more does not', () => {
  const paying = (appliedFee: string) => fieldsOf(feeAppliedDiffers, aCase({ state: aPurchase({ appliedFee }) }));
  expect(paying('4.77')).toEqual([]);
  expect(paying('4.7700001')).toEqual(['applied_fee']);
});

test.each([
  ['no quote', aCase({ quote: null })],
  ['a method that the quote lacks', aCase({ quote: aMatchedQuote({ method: null }) })],
  ['a quote in another currency', aCase({ quote: aMatchedQuote({ quote: { fiatCurrency: 'GBP' } }) })],
  [
    'a sale whose body has no fee',
    aCase({ state: aSale(), quote: aMatchedQuote({ quote: { direction: 'offramp' } }) }),
  ],
  ['no body', aCase({ observation: anUnreachable() })],
])('not applicable: %s', (_, subject) => {
  expect(ask(feeAppliedDiffers, subject)).toEqual(NOT_APPLICABLE);
});

test('a quoted fee that does not contain its network fee is not expected to fall with that one', () => {
  const quote = aMatchedQuote({ method: { networkFee: '19.86', networkFeeExact: false } });
  const floating = someTerms();
  expect(askBy(feeAppliedDiffers, aCase({ quote }), floating)).toEqual(NOTHING);
  const dearer = aPurchase({ appliedFee: '6.26', baseFee: '5.40' });
  expect(askBy(feeAppliedDiffers, aCase({ state: dearer, quote }), floating)).toMatchObject([
    { expected: '4.76', difference: '1.5' },
  ]);
});
