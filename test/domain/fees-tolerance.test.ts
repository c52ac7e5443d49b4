/** How much a figure may differ from its quote, and when a quote is for this very amount. */
import { describe, expect, test } from 'vitest';
import { compareFees } from '../../src/domain/fees.ts';
import { sameAmount } from '../../src/domain/quoted-amount.ts';
import {
  aMatchedQuote,
  aPurchase,
  aQuotedMethod,
  dec,
  LOCKED,
  type MatchOverrides,
  type StateOverrides,
  someFeeTerms,
  someTolerances,
} from '../support/builders.ts';

describe('each part has the tolerance of its own rule', () => {
  const allowedWith = (rule: string, state: StateOverrides, method: MatchOverrides['method'] = {}) => {
    const terms = someFeeTerms(LOCKED, { rules: new Map([[rule, { absolute: dec('2') }]]) });
    const fees = compareFees(aPurchase(state), aMatchedQuote({ method }), terms);
    return [fees.comparedAs, ...[fees.applied, fees.base, fees.network].map((part) => String(part?.allowed))];
  };

  test.each([
    ['FEE_APPLIED_DIFFERS', '2', '0.01', '0.01'],
    ['FEE_BASE_DIFFERS', '0.01', '2', '0.01'],
    ['FEE_NETWORK_DIFFERS', '0.01', '0.01', '2'],
  ])('figure by figure: %s', (rule, applied, base, network) => {
    expect(allowedWith(rule, {})).toEqual(['amount', applied, base, network]);
  });

  test('a converted network fee has its one percent on top of it', () => {
    expect(allowedWith('FEE_NETWORK_DIFFERS', {}, { networkFeeExact: false })).toEqual([
      'amount',
      '0.01',
      '0.01',
      '2.0086',
    ]);
  });

  // Twice the quoted amount, of which a quarter of a percentage point is 0.50.
  test.each([
    ['FEE_APPLIED_DIFFERS', '2', '0.5', '0.5'],
    ['FEE_BASE_DIFFERS', '0.5', '2', '0.5'],
    ['FEE_NETWORK_DIFFERS', '0.5', '0.5', '2'],
  ])('by percentage, where that is more than the percentage points: %s', (rule, applied, base, network) => {
    const twice = { cryptoUnits: 80_000_000_000_000_000n, fiatValue: '208.66' };
    expect(allowedWith(rule, twice)).toEqual(['percent', applied, base, network]);
  });

  test('whether a quote is for this very amount is asked with that of the amount', () => {
    const state = aPurchase({ fiatValue: '105.76', cryptoUnits: 1n });
    const within = (rule: string) =>
      sameAmount(state, aQuotedMethod(), someTolerances({ rules: new Map([[rule, { absolute: dec('1') }]]) }));
    expect(within('AMOUNT_DIFFERS')).toBe(true);
    expect(within('FEE_APPLIED_DIFFERS')).toBe(false);
  });
});

test.each([
  ['the fiat value agrees to a thousandth', { fiatValue: '104.86', cryptoUnits: 1n }, true],
  ['the crypto amount agrees to a billionth', { fiatValue: '200', cryptoUnits: 40_000_000_040_000_000n }, true],
  ['neither does', { fiatValue: '104.87', cryptoUnits: 40_000_000_040_000_001n }, false],
])('a quote is for this very amount where one of the two is: %s', (_, state, same) => {
  expect(sameAmount(aPurchase(state), aQuotedMethod(), someTolerances())).toBe(same);
});
