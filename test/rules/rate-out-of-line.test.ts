import { expect, test } from 'vitest';
import { rateOutOfLine } from '../../src/rules/rate-out-of-line.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  at,
  NO_REFERENCE,
  type StateOverrides,
  someAssetTerms,
  someGlobalTerms,
  someReference,
  someTerms,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

/** Only the record's own rates to look at. */
const alone = (state: StateOverrides) => aCase({ state: aPurchase(state), quote: null, reference: NO_REFERENCE });

const USD = { fiatCurrency: 'USD', exchangeRate: '2750', fiatRateEur: '0.92' };

test("the record's two rates contradict each other", () => {
  expect(ask(rateOutOfLine, alone({ ...USD, exchangeRateEur: '2500' }))).toEqual([
    {
      field: 'exchange_rate_eur',
      expected: '2530',
      actual: '2500',
      difference: '-30',
      unit: 'rate',
      currency: 'EUR',
      tolerance: '0.00253',
      explanation: 'The record gives 2500 EUR per ETH_ETH, but its rate in USD comes to 2530 EUR: 1.2 % lower.',
    },
  ]);
  expect(ask(rateOutOfLine, alone({ ...USD, exchangeRateEur: '2530' }))).toEqual(NOTHING);
});

test('a rate of zero has no percentage', () => {
  expect(ask(rateOutOfLine, alone({ exchangeRate: '0', exchangeRateEur: '2500' }))).toMatchObject([
    {
      difference: '2500',
      explanation: 'The record gives 2500 EUR per ETH_ETH, but its rate in EUR comes to 0 EUR.',
    },
  ]);
});

test('in EUR the two are the same thing', () => {
  const eur = (exchangeRateEur: string) => alone({ fiatRateEur: null, exchangeRateEur });
  expect(ask(rateOutOfLine, eur('2500'))).toEqual(NOTHING);
  expect(ask(rateOutOfLine, eur('2500.0024'))).toEqual(NOTHING);
  expect(ask(rateOutOfLine, eur('2500.0026'))).toMatchObject([
    {
      field: 'exchange_rate_eur',
      explanation: 'The record gives 2500.003 EUR per ETH_ETH, but its rate in EUR comes to 2500 EUR: 0.0001 % higher.',
    },
  ]);
});

test("the rate strays from the price that came with the user's quote", () => {
  const quote = aMatchedQuote({ quote: { assetTerms: { price: '2000' } } });
  expect(ask(rateOutOfLine, aCase({ quote }))).toEqual([
    {
      field: 'exchange_rate',
      expected: '2000',
      actual: '2500',
      difference: '500',
      unit: 'rate',
      currency: 'EUR',
      tolerance: '200',
      explanation:
        'The rate is 2500 EUR per ETH_ETH; quote q-17 (2026-11-01 09:56 UTC) had 2000 EUR: 25.0 % higher, and 10.0 % is allowed.',
    },
  ]);
});

test('or from the published price, where the quote has none or is not the user’s', () => {
  const reference = someReference({ asset: someAssetTerms({ price: '2800' }) });
  const strayed = [
    {
      field: 'exchange_rate',
      expected: '2800',
      explanation:
        'The rate is 2500 EUR per ETH_ETH; the published prices (2026-11-01 09:00 UTC) had 2800 EUR: 10.7 % lower, ' +
        'and 10.0 % is allowed.',
    },
  ];
  for (const quote of [
    null,
    aMatchedQuote({ quote: { assetTerms: null } }),
    aMatchedQuote({ basis: 'requoted' }),
    aMatchedQuote({ quote: { capturedAt: at('2026-10-31 09:00') } }),
  ]) {
    expect(ask(rateOutOfLine, aCase({ reference, quote }))).toMatchObject(strayed);
  }
});

test('a published price counts where the global part was not captured', () => {
  const reference = someReference({ global: null, asset: someAssetTerms({ price: '2800' }) });
  expect(ask(rateOutOfLine, aCase({ reference, quote: null }))).toMatchObject([{ expected: '2800' }]);
});

test('a tenth is allowed, no more', () => {
  const priced = (price: string) =>
    fieldsOf(rateOutOfLine, aCase({ quote: null, reference: someReference({ asset: someAssetTerms({ price }) }) }));
  expect(priced('2272.73')).toEqual([]);
  expect(priced('2272.72')).toEqual(['exchange_rate']);
});

test('both may be wrong', () => {
  const state = aPurchase({ exchangeRate: '5000' });
  expect(fieldsOf(rateOutOfLine, aCase({ state }))).toEqual(['exchange_rate_eur', 'exchange_rate']);
});

const noEur = { exchangeRateEur: null };
const published = (overrides: Parameters<typeof someAssetTerms>[0], state: StateOverrides = noEur) =>
  aCase({ state: aPurchase(state), quote: null, reference: someReference({ asset: someAssetTerms(overrides) }) });

test.each([
  ['the price is more than a day old', published({ price: '1', capturedAt: at('2026-10-31 09:59') })],
  ['there is no price', published({ price: null })],
  ['the price is nothing', published({ price: '0' })],
  ['the price is of another asset', published({ symbol: 'USDC', price: '1' })],
  ['the creation time is unknown', published({ price: '1' }, { ...noEur, createdAt: null })],
  [
    'the price is in another currency',
    aCase({
      state: aPurchase(noEur),
      quote: null,
      reference: someReference({
        global: someGlobalTerms({ currencyCode: 'USD' }),
        asset: someAssetTerms({ price: '1' }),
      }),
    }),
  ],
  ['the record has no rate', alone({ exchangeRate: null })],
  ['the currency has no rate in EUR', alone({ fiatCurrency: 'USD', fiatRateEur: null })],
  ['there is no body', aCase({ observation: anUnreachable() })],
])('not applicable where %s', (_, subject) => {
  expect(ask(rateOutOfLine, subject)).toEqual(NOT_APPLICABLE);
});

test('a day to the minute is fresh enough', () => {
  expect(fieldsOf(rateOutOfLine, published({ price: '1', capturedAt: at('2026-10-31 10:00') }))).toEqual([
    'exchange_rate',
  ]);
});

const ofItsDay = (rate: string) => someTerms({ common: { fiatRates: { 'PLN/2026-11-01': rate } } });
const inPln = (exchangeRateEur: string) =>
  alone({ fiatCurrency: 'PLN', fiatRateEur: null, exchangeRate: '10000', exchangeRateEur });

test('where neither quote nor listing has a rate in EUR, that of the other records of its day counts', () => {
  expect(fieldsOf(rateOutOfLine, inPln('2500'), ofItsDay('0.25'))).toEqual([]);
  expect(ask(rateOutOfLine, inPln('3000'), ofItsDay('0.25'))).toMatchObject([
    {
      field: 'exchange_rate_eur',
      explanation:
        'The record gives 3000 EUR per ETH_ETH, but its rate in PLN comes to 2500 EUR by the other records of its day: 20.0 % higher.',
    },
  ]);
  expect(ask(rateOutOfLine, inPln('3000'))).toEqual(NOT_APPLICABLE);
});

/** Published at 2,500 EUR on both sides of an execution within minutes. */
const listedAround = (exchangeRate: string, state: StateOverrides = {}, hours = 1) => {
  const assets = (time: string) => ({
    capturedAt: at(time),
    global: someGlobalTerms(),
    asset: someAssetTerms({ price: '2500' }),
  });
  const reference = someReference({ asset: someAssetTerms({ price: '2500' }) });
  const after = `2026-11-01 ${10 + hours}:00`;
  return aCase({
    state: aPurchase({ exchangeRate, exchangeRateEur: exchangeRate, updatedAt: at('2026-11-01 10:10'), ...state }),
    quote: null,
    reference: { ...reference, before: { assets: assets('2026-11-01 09:30') }, after: { assets: assets(after) } },
  });
};
const margins = someTerms({ common: { margins: { 'ETH_ETH/onramp': '0.006' } } });

test('without a quote, the published prices of its hour and the margin of other quotes bound the price', () => {
  expect(fieldsOf(rateOutOfLine, listedAround('2600'), margins)).toEqual([]);
  expect(ask(rateOutOfLine, listedAround('2665.9'), margins)).toMatchObject([
    {
      field: 'exchange_rate',
      expected: '2515',
      explanation:
        'The rate is 2665.9 EUR per ETH_ETH; the published prices of its hour with the usual margin of 0.6 % (2026-11-01 09:30 UTC) had ' +
        '2515 EUR: 6.0 % higher, and 4.1 % is allowed.',
    },
  ]);
  // Better than the market is a favour.
  expect(ask(rateOutOfLine, listedAround('2350'), margins)).toMatchObject([{ severity: 'info' }]);
});

test.each([
  ['no margin of the asset is known', listedAround('2665.9'), someTerms()],
  ['the next list is hours away', listedAround('2665.9', {}, 5), margins],
  ['it was executed within a day', listedAround('2665.9', { updatedAt: at('2026-11-02 10:00') }), margins],
])('a tenth is allowed where %s', (_, subject, terms) => {
  expect(ask(rateOutOfLine, subject, terms)).toEqual(NOTHING);
});
