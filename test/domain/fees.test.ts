import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ComparedPart } from '../../src/domain/compare-promise.ts';
import type { Decimal } from '../../src/domain/decimal.ts';
import { feePercentOf, tokensOf } from '../../src/domain/fee-parts.ts';
import { compareFees, feeBounds, varianceOf } from '../../src/domain/fees.ts';
import type { MatchedQuote } from '../../src/domain/quote.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import {
  aMatchedQuote,
  aPurchase,
  aSale,
  dec,
  LOCKED,
  type MatchOverrides,
  type StateOverrides,
  someFeeTerms,
  someGlobalTerms,
  USDC,
} from '../support/builders.ts';

const texts = (values: Readonly<Record<string, Decimal | null>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value?.toString() ?? null]));

const compared = (part: ComparedPart | null) =>
  part === null
    ? null
    : [part.actual, part.expected, part.difference, part.allowed]
        .map(String)
        .concat(part.agrees ? 'agrees' : 'differs');

function compare(state: RecordState, quote: MatchedQuote | null) {
  return compareFees(state, quote, someFeeTerms(LOCKED));
}

const bought = (state: StateOverrides, quote: MatchOverrides = {}) => compare(aPurchase(state), aMatchedQuote(quote));

const apart = (state: RecordState, quote: MatchedQuote | null) => varianceOf(state, quote, compare(state, quote));
const boughtApart = (state: StateOverrides, quote: MatchOverrides = {}) =>
  apart(aPurchase(state), aMatchedQuote(quote));

describe('the figures of a record', () => {
  test('the value of the crypto, and what base and network fee leave of the applied one', () => {
    expect(texts(bought({ appliedFee: '4.50' }).actual as never)).toEqual({
      fiatValue: '104.76',
      applied: '4.5',
      base: '3.9',
      network: '0.86',
      adjustment: '-0.26',
      exchangeRate: '2500',
      cv: '100',
    });
  });

  test('units become whole tokens by the decimals of the asset', () => {
    expect(tokensOf({ cryptoUnits: 1_500_000n, asset: USDC }).toString()).toBe('1.5');
  });

  test('without a rate the value follows from the total and the fee: off a purchase, onto a sale', () => {
    expect(bought({ exchangeRate: null }).actual.cv?.toString()).toBe('100');
    expect(compare(aSale({ appliedFee: '3' }), null).actual.cv?.toString()).toBe('203');
    expect(compare(aSale(), null).actual.cv).toBeNull();
  });

  test('an adjustment is known only where all three fees are', () => {
    expect(bought({ networkFee: null }).actual.adjustment).toBeNull();
    expect(bought({ baseFee: null }).actual.adjustment).toBeNull();
    expect(bought({ appliedFee: null }).actual.adjustment).toBeNull();
  });

  test('the fee in percent is of the value, without the network fee', () => {
    expect(feePercentOf(bought({}).actual)?.toString()).toBe('3.9');
    expect(feePercentOf(bought({ networkFee: null }).actual)?.toString()).toBe('4.76');
    expect(feePercentOf(bought({ appliedFee: null }).actual)).toBeNull();
    expect(feePercentOf(bought({ cryptoUnits: 0n }).actual)).toBeNull();
    expect(feePercentOf({ ...bought({}).actual, cv: null })).toBeNull();
    const parts = { ...bought({}).actual, applied: dec('1.86'), cv: dec('3') };
    expect(feePercentOf(parts)?.toString()).toBe('33.333333');
  });
});

describe('against the quote, figure by figure', () => {
  test('every part with its difference and its tolerance', () => {
    const fees = bought({ appliedFee: '6.26', baseFee: '5.40' });
    expect(fees.comparedAs).toBe('amount');
    expect(compared(fees.applied)).toEqual(['6.26', '4.76', '1.5', '0.01', 'differs']);
    expect(compared(fees.base)).toEqual(['5.4', '3.9', '1.5', '0.01', 'differs']);
    expect(compared(fees.network)).toEqual(['0.86', '0.86', '0', '0.01', 'agrees']);
    expect(fees.withinTolerance).toBe(false);
    expect(bought({}).withinTolerance).toBe(true);
  });

  test('variances are actual − quoted, and the parts sum to the applied one', () => {
    expect(texts(boughtApart({ appliedFee: '6', baseFee: '5.40', networkFee: '0.80' }) as never)).toEqual({
      applied: '1.24',
      base: '1.5',
      network: '-0.06',
      adjustment: '-0.2',
      ratePercent: '0',
    });
  });

  test('a quote may have an adjustment of its own: a promised discount', () => {
    expect(bought({}, { method: { appliedFee: '4.50' } }).quoted?.adjustment?.toString()).toBe('-0.26');
  });

  test('what a quote is silent about goes into the adjustment, so that the row still foots', () => {
    const sides = [{ appliedFee: '6.26', baseFee: '5.40' }, { method: { networkFee: null } }] as const;
    const fees = bought(...sides);
    expect(texts(boughtApart(...sides) as never)).toMatchObject({
      applied: '1.5',
      base: '1.5',
      network: null,
      adjustment: '0',
    });
    expect(fees.quoted?.adjustment).toBeNull();
    expect(fees.network).toBeNull();
  });

  test('without an applied fee there is no variance to split', () => {
    const parts = texts(boughtApart({ appliedFee: null }) as never);
    expect(parts).toMatchObject({ applied: null, base: null, network: null, adjustment: null });
  });

  test('a network fee that was converted has one percent more room', () => {
    const method = { networkFee: '10', networkFeeExact: false };
    expect(compared(bought({ networkFee: '10.11' }, { method }).network)).toEqual([
      '10.11',
      '10',
      '0.11',
      '0.11',
      'agrees',
    ]);
    expect(bought({ networkFee: '10.12' }, { method }).network?.agrees).toBe(false);
    expect(bought({ networkFee: '10.02' }, { method: { networkFee: '10' } }).network?.agrees).toBe(false);
  });

  test('rate variance is in percent of the quoted rate', () => {
    expect(boughtApart({ exchangeRate: '2525' })?.ratePercent?.toString()).toBe('1');
    expect(boughtApart({}, { method: { exchangeRate: null } })?.ratePercent).toBeNull();
    expect(boughtApart({}, { method: { exchangeRate: '0' } })?.ratePercent).toBeNull();
  });

  test('a sale without a rate is compared by what a token brings in', () => {
    const method = { method: 'SEPA', fiatValue: '250', cryptoUnits: 10n ** 17n, exchangeRate: null };
    const quote = aMatchedQuote({ method, quote: { direction: 'offramp' } });
    expect(apart(aSale(), quote)?.ratePercent?.toString()).toBe('-20');
    expect(apart(aSale({ cryptoUnits: 0n }), quote)?.ratePercent).toBeNull();
  });

  test('an off-ramp quote is worth its payout and its fee together', () => {
    const quote = aMatchedQuote({ quote: { direction: 'offramp' }, method: { fiatValue: '200', appliedFee: '3' } });
    expect(compare(aSale(), quote).quoted?.cv?.toString()).toBe('203');
  });

  test('nothing that can be compared is neither within tolerance nor beyond it', () => {
    const quote = aMatchedQuote({ quote: { direction: 'offramp' }, method: { fiatValue: '200' } });
    expect(compare(aSale(), quote).withinTolerance).toBeNull();
  });
});

describe('against a quote for another amount, by percentage', () => {
  // 3.90 on a value of 100 and 0.86 for the network; on 200 that is 7.80 + 0.86.
  const DOUBLE = { cryptoUnits: 80_000_000_000_000_000n, fiatValue: '208.66', baseFee: '7.80', appliedFee: '8.66' };

  test('the service fee keeps its share, the network fee its price', () => {
    const fees = bought(DOUBLE);
    expect(fees.comparedAs).toBe('percent');
    expect(compared(fees.applied)).toEqual(['8.66', '8.66', '0', '0.5', 'agrees']);
    expect(compared(fees.base)).toEqual(['7.8', '7.8', '0', '0.5', 'agrees']);
    expect(compared(fees.network)).toEqual(['0.86', '0.86', '0', '0.5', 'agrees']);
  });

  test('a quarter of a percentage point is allowed', () => {
    expect(bought({ ...DOUBLE, appliedFee: '9.16' }).applied?.agrees).toBe(true);
    expect(bought({ ...DOUBLE, appliedFee: '9.1601' }).applied?.agrees).toBe(false);
  });

  test('near the quoted amount the room is what the fee changes by, or the minor unit: the points would hide an overcharge', () => {
    // On 100.20 the quote comes to 3.9078 + 0.86; 0.2 points of it would be 0.2505.
    const near = { cryptoUnits: 40_080_000_000_000_000n, baseFee: '3.90' };
    const over = bought({ ...near, fiatValue: '105.16', appliedFee: '4.96' });
    expect(over.comparedAs).toBe('percent');
    expect(compared(over.applied)).toEqual(['4.96', '4.7678', '0.1922', '0.01', 'differs']);
    // A fee that does not grow with the amount is as good as one that does.
    expect(bought({ ...near, fiatValue: '104.96', appliedFee: '4.76' }).applied?.agrees).toBe(true);
    const fresh = bought({ ...near, fiatValue: '105.16', appliedFee: '4.96' }, { basis: 'requoted' });
    expect(compared(fresh.applied)).toEqual(['4.96', '4.7678', '0.1922', '0.2505', 'agrees']);
  });

  test('a fresh quote is compared so even where the amount is the same', () => {
    expect(bought({}, { basis: 'requoted' }).comparedAs).toBe('percent');
  });

  test('without a value on either side there is no percentage', () => {
    const fees = bought(DOUBLE, { method: { fiatValue: '4.76' } });
    expect([fees.comparedAs, fees.applied, fees.withinTolerance]).toEqual(['percent', null, null]);
    expect(compare(aSale(), aMatchedQuote({ basis: 'requoted', quote: { direction: 'offramp' } })).applied).toBeNull();
  });
});

describe('no comparison', () => {
  test.each([
    ['without a quote', null],
    ['with a quote that lacks the method', aMatchedQuote({ method: null })],
    ['with a quote in another currency', aMatchedQuote({ quote: { fiatCurrency: 'GBP' } })],
    [
      'with a quote for another asset',
      aMatchedQuote({ quote: { asset: { chain: 'ETH', symbol: 'USDC', decimals: 6 } } }),
    ],
  ])('%s: the own figures are all there is', (_, quote) => {
    const fees = compare(aPurchase(), quote);
    expect(fees.actual.cv?.toString()).toBe('100');
    expect(feePercentOf(fees.actual)?.toString()).toBe('3.9');
    expect(apart(aPurchase(), quote)).toBeNull();
    expect({ ...fees, actual: null }).toEqual({
      actual: null,
      quoted: null,
      comparedAs: null,
      feesAtAmount: null,
      applied: null,
      base: null,
      network: null,
      withinTolerance: null,
    });
  });
});

test('bounds hold in their own currency, and only where all three figures were published', () => {
  expect(texts(feeBounds(aPurchase(), someGlobalTerms()) as never)).toEqual({
    min: '0.99',
    max: '3.9',
    amount: '2.49',
  });
  expect(feeBounds(aPurchase(), null)).toBeNull();
  expect(feeBounds(aPurchase(), someGlobalTerms({ currencyCode: 'USD' }))).toBeNull();
  for (const missing of ['minFeeAmount', 'minFeePercent', 'maxFeePercent'] as const) {
    expect(feeBounds(aPurchase(), someGlobalTerms({ [missing]: null }))).toBeNull();
  }
});

const amount = fc.tuple(fc.nat(1_000_000_000), fc.nat(17)).map(([n, scale]) => `${n}e-${scale}`);
const known = fc.option(amount, { freq: 4 });

test('for any known and unknown parts: applied = base + network + adjustment, exactly', () => {
  const sides = fc.record({ appliedFee: amount, baseFee: known, networkFee: known });
  fc.assert(
    fc.property(sides, sides, fc.constantFrom('linked', 'requoted'), (state, method, basis) => {
      const variance = boughtApart(state, { basis, method });
      const parts = [variance?.base, variance?.network, variance?.adjustment].map((part) =>
        micro(part?.toString() ?? '0'),
      );
      const difference = micro(dec(state.appliedFee).toString()) - micro(dec(method.appliedFee).toString());
      expect(micro(variance?.applied?.toString() ?? '')).toBe(difference);
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(difference);
    }),
  );
});

/** A plain decimal in units of 10^-40, by its digits alone. */
function micro(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(40, '0')}`);
}
