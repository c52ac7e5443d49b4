import { expect, test } from 'vitest';
import type { Case } from '../../src/domain/case.ts';
import { amountDiffers } from '../../src/rules/amount-differs.ts';
import type { Rule } from '../../src/rules/rule.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  dec,
  LOCKED,
  someTerms,
  someTolerances,
} from '../support/builders.ts';
import { ask as askBy, fieldsOf as fieldsBy, NOT_APPLICABLE, NOTHING } from './ask.ts';

/** Quotes that bind; how floating prices are judged is in first-night.test.ts. */
const BOUND = someTerms({ binding: LOCKED });
const ask = (rule: Rule, subject: Case) => askBy(rule, subject, BOUND);
const fieldsOf = (rule: Rule, subject: Case, terms = BOUND) => fieldsBy(rule, subject, terms);

test('another fiat value than quoted', () => {
  expect(ask(amountDiffers, aCase({ state: aPurchase({ fiatValue: '106.26' }) }))).toEqual([
    {
      field: 'fiat_value',
      expected: '104.76',
      actual: '106.26',
      difference: '1.5',
      unit: 'money',
      loss: '1.5',
      currency: 'EUR',
      tolerance: '0.10476',
      explanation:
        'The user pays 106.26 EUR; quote q-17 (card, 4 min before) was for 104.76 EUR: 1.50 EUR more (1.4 %).',
    },
  ]);
});

test('less crypto than quoted, in whole tokens', () => {
  expect(ask(amountDiffers, aCase({ state: aPurchase({ cryptoUnits: 39_800_000_000_000_000n }) }))).toEqual([
    {
      field: 'crypto_amount',
      expected: '0.04',
      actual: '0.0398',
      difference: '-0.0002',
      unit: 'crypto',
      loss: '0.5',
      currency: 'ETH_ETH',
      tolerance: '0.00000000004',
      explanation:
        'The purchase is for 0.0398 ETH_ETH; quote q-17 (card, 4 min before) had 0.04 ETH_ETH: 0.0002 ETH_ETH less (0.5 %).',
    },
  ]);
});

test('more crypto than quoted; a promise of zero has no percentage', () => {
  const quoted = (cryptoUnits: bigint) => aCase({ quote: aMatchedQuote({ method: { cryptoUnits } }) });
  expect(ask(amountDiffers, quoted(32_000_000_000_000_000n))).toMatchObject([
    {
      difference: '0.008',
      explanation:
        'The purchase is for 0.04 ETH_ETH; quote q-17 (card, 4 min before) had 0.032 ETH_ETH: 0.008 ETH_ETH more (25.0 %).',
    },
  ]);
  expect(ask(amountDiffers, quoted(0n))).toMatchObject([
    {
      difference: '0.04',
      explanation:
        'The purchase is for 0.04 ETH_ETH; quote q-17 (card, 4 min before) had 0 ETH_ETH: 0.04 ETH_ETH more.',
    },
  ]);
});

test('a sale pays out: the user receives', () => {
  const quote = aMatchedQuote({
    quote: { direction: 'offramp' },
    method: { method: 'SEPA', fiatValue: '203', cryptoUnits: 100_000_000_000_000_000n },
  });
  expect(ask(amountDiffers, aCase({ state: aSale(), quote }))).toMatchObject([
    {
      field: 'fiat_value',
      difference: '-3',
      explanation:
        'The user receives 200.00 EUR; quote q-17 (SEPA, 4 min before) was for 203.00 EUR: 3.00 EUR less (1.5 %).',
    },
  ]);
});

test('both may differ, for a captured quote too', () => {
  const state = aPurchase({ fiatValue: '50', cryptoUnits: 10_000_000_000_000_000n });
  expect(fieldsOf(amountDiffers, aCase({ state, quote: aMatchedQuote({ basis: 'captured' }) }))).toEqual([
    'fiat_value',
    'crypto_amount',
  ]);
});

/** The loss by total and by crypto; what remains of them is what the user lost by buying another amount than quoted. */
const losses = (state: Parameters<typeof aPurchase>[0]) => {
  const answer = ask(amountDiffers, aCase({ state: aPurchase(state) }));
  return typeof answer === 'string' ? [] : answer.map(({ loss }) => loss);
};

test('twice the amount for twice the price is no loss, and neither is the fee that grew with it', () => {
  const twice = { cryptoUnits: 80_000_000_000_000_000n, fiatValue: '208.66' };
  expect(losses({ ...twice, appliedFee: '8.66', baseFee: '7.80' })).toEqual(['100', '-100']);
});

test('of a fee that is too high at another amount, the excess is the loss', () => {
  const twice = { cryptoUnits: 80_000_000_000_000_000n, fiatValue: '210.16' };
  expect(losses({ ...twice, appliedFee: '10.16', baseFee: '9.30' })).toEqual(['101.5', '-100']);
});

test('a little more crypto for a little more money, which is within the tolerance, is no loss', () => {
  const more = { cryptoUnits: 40_030_000_000_000_000n };
  // 104.76 EUR promised 0.04; by the quote 0.07857 EUR (0.075 %) buy the other 0.00003.
  expect(losses({ ...more, fiatValue: '104.83857' })).toEqual(['0']);
  expect(losses(more)).toEqual(['-0.08']);
  expect(losses({ fiatValue: '104.83857', cryptoUnits: 39_970_000_000_000_000n })).toEqual(['0.15']);
});

test('the fiat tolerance is the larger of a minor unit and a thousandth', () => {
  const paid = (fiatValue: string, quoted: string) =>
    fieldsOf(
      amountDiffers,
      aCase({ state: aPurchase({ fiatValue }), quote: aMatchedQuote({ method: { fiatValue: quoted } }) }),
    );
  expect(paid('5.01', '5')).toEqual([]);
  expect(paid('5.010001', '5')).toEqual(['fiat_value']);
  expect(paid('1001', '1000')).toEqual([]);
  expect(paid('998.99', '1000')).toEqual(['fiat_value']);
});

test('a tolerance of the rule itself wins', () => {
  const rules = new Map([['AMOUNT_DIFFERS', { absolute: dec('2'), relative: dec('0') }]]);
  const terms = someTerms({ binding: LOCKED, tolerances: someTolerances({ rules }) });
  expect(fieldsOf(amountDiffers, aCase({ state: aPurchase({ fiatValue: '106.76' }) }), terms)).toEqual([]);
  expect(fieldsOf(amountDiffers, aCase({ state: aPurchase({ fiatValue: '106.77' }) }), terms)).toEqual(['fiat_value']);
});

test('the very figures of the quote are fine', () => {
  expect(ask(amountDiffers, aCase())).toEqual(NOTHING);
});

const other = aPurchase({ fiatValue: '50', cryptoUnits: 1n });
test.each([
  ['a fresh quote, which promised nothing', aCase({ state: other, quote: aMatchedQuote({ basis: 'requoted' }) })],
  ['another currency', aCase({ state: other, quote: aMatchedQuote({ quote: { fiatCurrency: 'GBP' } }) })],
  [
    'another asset',
    aCase({ state: other, quote: aMatchedQuote({ quote: { asset: { chain: 'BTC', symbol: 'BTC', decimals: 8 } } }) }),
  ],
  [
    'other decimals, which are another asset',
    aCase({ state: other, quote: aMatchedQuote({ quote: { asset: { chain: 'ETH', symbol: 'ETH', decimals: 9 } } }) }),
  ],
  ['a method that the quote lacks', aCase({ state: other, quote: aMatchedQuote({ method: null }) })],
  ['no quote', aCase({ state: other, quote: null })],
  ['no body', aCase({ observation: anUnreachable() })],
])('not applicable: %s', (_, subject) => {
  expect(ask(amountDiffers, subject)).toEqual(NOT_APPLICABLE);
});
