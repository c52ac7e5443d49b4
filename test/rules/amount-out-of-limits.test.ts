import { expect, test } from 'vitest';
import { amountOutOfLimits } from '../../src/rules/amount-out-of-limits.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  at,
  NO_REFERENCE,
  someAssetTerms,
  someGlobalTerms,
  someReference,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

const paying = (fiatValue: string) => aPurchase({ fiatValue });

const MONEY = { field: 'fiat_value', unit: 'money', currency: 'EUR', tolerance: '0' };

test.each([
  [
    'below the global minimum, where the asset has none of its own',
    { expected: '6', actual: '5.2', difference: '-0.8' },
    'The fiat value of 5.20 EUR is below the minimum of 6.00 EUR that held for all assets then: 0.80 EUR less.',
  ],
  [
    'above the global maximum',
    { expected: '15000', actual: '16000', difference: '1000' },
    'The fiat value of 16000.00 EUR is above the maximum of 15000.00 EUR that held for all assets then: 1000.00 EUR more.',
  ],
])('%s', (_, figures, explanation) => {
  const found = ask(amountOutOfLimits, aCase({ state: paying(figures.actual) }));
  expect(found).toEqual([{ ...MONEY, ...figures, explanation }]);
});

test("the asset's own limits override the global ones, in either direction", () => {
  const reference = someReference({ asset: someAssetTerms({ minPurchaseAmount: '2', maxPurchaseAmount: '100' }) });
  const quote = null;
  expect(ask(amountOutOfLimits, aCase({ state: paying('5.20'), reference, quote }))).toEqual(NOTHING);
  expect(ask(amountOutOfLimits, aCase({ state: paying('104.76'), reference, quote }))).toMatchObject([
    {
      expected: '100',
      explanation:
        'The fiat value of 104.76 EUR is above the maximum of 100.00 EUR that held for ETH_ETH then: 4.76 EUR more.',
    },
  ]);
  expect(ask(amountOutOfLimits, aCase({ state: paying('1.20'), reference, quote }))).toMatchObject([
    {
      expected: '2',
      explanation:
        'The fiat value of 1.20 EUR is below the minimum of 2.00 EUR that held for ETH_ETH then: 0.80 EUR less.',
    },
  ]);
});

test("the asset's own limits hold where the global part was not captured", () => {
  const reference = someReference({ global: null, asset: someAssetTerms({ maxPurchaseAmount: '100' }) });
  expect(ask(amountOutOfLimits, aCase({ reference, quote: null }))).toMatchObject([{ expected: '100' }]);
});

test.each([
  ['unknown', null],
  ['in another currency', someGlobalTerms({ currencyCode: 'USD' })],
])("a quote's terms without limits leave everything within where the global ones are %s", (_, global) => {
  expect(ask(amountOutOfLimits, aCase({ state: paying('16000'), reference: someReference({ global }) }))).toEqual(
    NOTHING,
  );
});

test('the limits that came with the quote win over the published ones', () => {
  const reference = someReference({ asset: someAssetTerms({ maxPurchaseAmount: '100' }) });
  const quote = aMatchedQuote({ quote: { assetTerms: { maxPurchaseAmount: '500' } } });
  expect(ask(amountOutOfLimits, aCase({ reference, quote }))).toEqual(NOTHING);
  const tighter = aMatchedQuote({ basis: 'captured', quote: { assetTerms: { maxPurchaseAmount: '50' } } });
  expect(ask(amountOutOfLimits, aCase({ quote: tighter }))).toMatchObject([{ expected: '50' }]);
});

test('a limit of its own that came with the quote is not the global one of a later list', () => {
  const state = aPurchase({ fiatCurrency: 'BRL', fiatValue: '5300', fiatRateEur: null });
  const inBrl = { currencyCode: 'BRL', maxPurchaseAmount: '95000', minPurchaseAmount: '38' };
  const [asset, global] = [someAssetTerms(), someGlobalTerms(inBrl)];
  const after = { assets: { capturedAt: at('2026-11-01 11:00'), asset, global } };
  const reference = { ...someReference({ asset, global }), after };
  const quoted = (maxPurchaseAmount: string | null) =>
    aMatchedQuote({ quote: { fiatCurrency: 'BRL', assetTerms: { currencyCode: 'BRL', maxPurchaseAmount } } });
  const asked = (max: string | null) => ask(amountOutOfLimits, aCase({ state, reference, quote: quoted(max) }));
  expect(asked('700')).toMatchObject([{ field: 'fiat_value', expected: '710.5' }]);
  // The rate moves it by 1.5 %.
  expect(asked('5230')).toEqual(NOTHING);
  expect(asked(null)).toEqual(NOTHING);
});

test.each([
  ['a fresh quote', aMatchedQuote({ basis: 'requoted', quote: { assetTerms: { maxPurchaseAmount: '50' } } })],
  [
    'terms in another currency',
    aMatchedQuote({ quote: { assetTerms: { currencyCode: 'USD', maxPurchaseAmount: '50' } } }),
  ],
  [
    'another asset',
    aMatchedQuote({
      quote: { asset: { chain: 'BTC', symbol: 'BTC', decimals: 8 }, assetTerms: { maxPurchaseAmount: '50' } },
    }),
  ],
])('the limits of %s do not hold for this record', (_, quote) => {
  expect(ask(amountOutOfLimits, aCase({ quote }))).toEqual(NOTHING);
});

test('the minimum in units is that of the quote, whatever the currency of its other limits', () => {
  const minPurchaseCryptoUnits = 50_000_000_000_000_000n;
  const quote = aMatchedQuote({ quote: { assetTerms: { currencyCode: 'USD', minPurchaseCryptoUnits } } });
  expect(ask(amountOutOfLimits, aCase({ quote }))).toMatchObject([{ field: 'crypto_amount', expected: '0.05' }]);
});

test('below the minimum in units', () => {
  const reference = someReference({ asset: someAssetTerms({ minPurchaseCryptoUnits: 50_000_000_000_000_000n }) });
  expect(ask(amountOutOfLimits, aCase({ reference, quote: null }))).toEqual([
    {
      field: 'crypto_amount',
      expected: '0.05',
      actual: '0.04',
      difference: '-0.01',
      unit: 'crypto',
      currency: 'ETH_ETH',
      tolerance: '0.00000000005',
      explanation:
        'The crypto amount of 0.04 ETH_ETH is below the minimum of 0.05 ETH_ETH that held then: 0.01 ETH_ETH less.',
    },
  ]);
});

test('units carry the noise of floating point: a hair below the minimum is not below', () => {
  const reference = someReference({ asset: someAssetTerms({ minPurchaseCryptoUnits: 40_000_000_000_000_321n }) });
  expect(ask(amountOutOfLimits, aCase({ reference, quote: null }))).toEqual(NOTHING);
});

test('in EUR a limit is exact', () => {
  expect(fieldsOf(amountOutOfLimits, aCase({ state: paying('6') }))).toEqual([]);
  expect(fieldsOf(amountOutOfLimits, aCase({ state: paying('5.99') }))).toEqual(['fiat_value']);
  expect(fieldsOf(amountOutOfLimits, aCase({ state: paying('15000') }))).toEqual([]);
  expect(fieldsOf(amountOutOfLimits, aCase({ state: paying('15010') }))).toEqual(['fiat_value']);
});

test('without any limit everything is within', () => {
  const reference = someReference({ global: someGlobalTerms({ minPurchaseAmount: null, maxPurchaseAmount: null }) });
  expect(ask(amountOutOfLimits, aCase({ state: paying('0.05'), reference, quote: null }))).toEqual(NOTHING);
});

test.each([
  ['nothing was published before then', aCase({ reference: NO_REFERENCE, quote: null })],
  [
    'the published terms are of another asset',
    aCase({
      reference: someReference({ asset: someAssetTerms({ symbol: 'USDC', maxPurchaseAmount: '50' }) }),
      quote: null,
    }),
  ],
  ["the asset's own terms are unknown", aCase({ reference: someReference({ asset: null }), quote: null })],
  [
    'the published terms are in another currency',
    aCase({ reference: someReference({ global: someGlobalTerms({ currencyCode: 'USD' }) }), quote: null }),
  ],
  ['there is no body', aCase({ observation: anUnreachable() })],
])('not applicable where %s', (_, subject) => {
  expect(ask(amountOutOfLimits, subject)).toEqual(NOT_APPLICABLE);
});
