import { expect, test } from 'vitest';
import type { Case } from '../../src/domain/case.ts';
import { feeBaseDiffers } from '../../src/rules/fee-base-differs.ts';
import { feeNetworkDiffers } from '../../src/rules/fee-network-differs.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { aCase, aMatchedQuote, anUnreachable, aPurchase, LOCKED, someTerms } from '../support/builders.ts';
import { ask as askBy, fieldsOf as fieldsBy, NOT_APPLICABLE, NOTHING } from './ask.ts';

/** Quotes that bind; how floating prices are judged is in first-night.test.ts. */
const BOUND = someTerms({ binding: LOCKED });
const ask = (rule: Rule, subject: Case) => askBy(rule, subject, BOUND);
const fieldsOf = (rule: Rule, subject: Case, terms = BOUND) => fieldsBy(rule, subject, terms);

test('another base fee is reported even where the total agrees', () => {
  expect(ask(feeBaseDiffers, aCase({ state: aPurchase({ baseFee: '5.40' }) }))).toEqual([
    {
      field: 'base_fee',
      expected: '3.9',
      actual: '5.4',
      difference: '1.5',
      unit: 'money',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The base fee is 5.40 EUR; quote q-17 (card, 4 min before) promised 3.90 EUR: 1.50 EUR more (38.5 %).',
    },
  ]);
});

test('another network fee', () => {
  expect(ask(feeNetworkDiffers, aCase({ state: aPurchase({ networkFee: '0.43' }) }))).toEqual([
    {
      field: 'network_fee',
      expected: '0.86',
      actual: '0.43',
      difference: '-0.43',
      unit: 'money',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The network fee is 0.43 EUR; quote q-17 (card, 4 min before) promised 0.86 EUR: 0.43 EUR less (50.0 %).',
    },
  ]);
});

test('a converted network fee has one percent more room, and the sentence says that it was converted', () => {
  const quote = aMatchedQuote({ method: { networkFee: '10', networkFeeExact: false } });
  const charged = (networkFee: string) => aCase({ quote, state: aPurchase({ networkFee }) });
  expect(fieldsOf(feeNetworkDiffers, charged('10.11'))).toEqual([]);
  expect(ask(feeNetworkDiffers, charged('10.12'))).toMatchObject([
    {
      tolerance: '0.11',
      explanation: expect.stringMatching(
        /0\.12 EUR more \(1\.2 %\) \(converted through the quote's own price list\)\.$/,
      ),
    },
  ]);
});

test.each([feeBaseDiffers, feeNetworkDiffers])(
  '$code: the quoted parts are fine; unknown ones cannot be compared',
  (rule) => {
    const silent = { baseFee: null, networkFee: null };
    expect(ask(rule, aCase())).toEqual(NOTHING);
    expect(ask(rule, aCase({ quote: aMatchedQuote({ method: silent }) }))).toEqual(NOT_APPLICABLE);
    expect(ask(rule, aCase({ state: aPurchase(silent) }))).toEqual(NOT_APPLICABLE);
    expect(ask(rule, aCase({ quote: null }))).toEqual(NOT_APPLICABLE);
    expect(ask(rule, aCase({ observation: anUnreachable() }))).toEqual(NOT_APPLICABLE);
  },
);
