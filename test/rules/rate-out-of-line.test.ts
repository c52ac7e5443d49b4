import { describe, expect, it, test } from 'vitest';
import type { MatchedQuote } from '../../src/domain/quote.ts';
import { rateOutOfLine } from '../../src/rules/rate-out-of-line.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  at,
  dec,
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

/** Published at 2,500 EUR on both sides of an execution within minutes; a list may be another one. */
const listedAround = (
  exchangeRate: string,
  {
    state = {},
    quote = null,
    lists = [{}, {}],
  }: { state?: StateOverrides; quote?: MatchedQuote | null; lists?: Listing[] } = {},
) => {
  const [before, after] = lists.map(({ on = '', currencyCode = 'EUR', ...asset }, i) => ({
    assets: {
      capturedAt: at(on === '' ? `2026-11-01 ${i === 0 ? '09:30' : '11:00'}` : on),
      global: someGlobalTerms({ currencyCode }),
      asset: someAssetTerms({ price: '2500', ...asset }),
    },
  }));
  const reference = someReference({ asset: someAssetTerms({ price: '2500' }) });
  return aCase({
    state: aPurchase({ exchangeRate, exchangeRateEur: exchangeRate, updatedAt: at('2026-11-01 10:10'), ...state }),
    quote,
    reference: { ...reference, ...(before && { before }), ...(after && { after }) },
  });
};
type Listing = Parameters<typeof someAssetTerms>[0] & { on?: string; currencyCode?: string };
const margins = someTerms({ common: { margins: { 'ETH_ETH/onramp': '0.006', 'ETH_ETH/offramp': '-0.006' } } });

test('without a quote, the published prices around it and the margin of other quotes bound the price', () => {
  expect(fieldsOf(rateOutOfLine, listedAround('2600'), margins)).toEqual([]);
  const [found] = ask(rateOutOfLine, listedAround('2665.9'), margins);
  expect(found).toMatchObject({
    field: 'exchange_rate',
    expected: '2515',
    explanation:
      'The rate is 2665.9 EUR per ETH_ETH; the published prices around it with the usual margin of 0.6 % (2026-11-01 09:30 UTC) had ' +
      '2515 EUR: 6.0 % higher, and 4.1 % is allowed.',
  });
  expect(found).not.toHaveProperty('severity');
  // Better than the market is a favour.
  expect(ask(rateOutOfLine, listedAround('2350'), margins)).toMatchObject([{ severity: 'info' }]);
});

test('so do prices of a few hours around it, which the room grows with', () => {
  const everyThreeHours = (exchangeRate: string) =>
    fieldsOf(
      rateOutOfLine,
      listedAround(exchangeRate, { lists: [{ on: '2026-11-01 07:50' }, { on: '2026-11-01 10:50' }] }),
      margins,
    );
  // 2,515 with the margin; 1.5 % and 3.7 % of three hours are allowed.
  expect(everyThreeHours('2640')).toEqual([]);
  expect(everyThreeHours('2665.9')).toEqual(['exchange_rate']);
});

test('the two prices with the margin are the ends of what was usual', () => {
  const rising = { lists: [{ price: '2500' }, { price: '2600' }] };
  expect(fieldsOf(rateOutOfLine, listedAround('2700', rising), margins)).toEqual([]);
  expect(fieldsOf(rateOutOfLine, listedAround('2739', rising), margins)).toEqual(['exchange_rate']);
  expect(fieldsOf(rateOutOfLine, listedAround('2400', rising), margins)).toEqual(['exchange_rate']);
});

describe('of a sale', () => {
  const soldAt = (exchangeRate: string | null, state: StateOverrides = {}) => {
    const own = aSale({ exchangeRate, status: 'RELEASED', updatedAt: at('2026-11-01 10:10'), ...state });
    return {
      ...listedAround('2500'),
      ...aCase({ state: own, kind: 'sale', quote: null, reference: listedAround('2500').reference }),
    };
  };

  it('a lower price than the hour had is the loss of the user, a higher one a favour', () => {
    const [lower] = ask(rateOutOfLine, soldAt('2350'), margins);
    expect(lower).toMatchObject({ field: 'exchange_rate', expected: '2485' });
    expect(lower).not.toHaveProperty('severity');
    expect(ask(rateOutOfLine, soldAt('2640'), margins)).toMatchObject([{ severity: 'info' }]);
  });

  it('without a rate and a fee, the price of the day counts: the fee is not known', () => {
    expect(ask(rateOutOfLine, soldAt(null, { fiatValue: '220' }), margins)).toEqual(NOTHING);
  });

  it('its own fee is known where the body names it', () => {
    const paid = { fiatValue: '219', appliedFee: '1' };
    expect(fieldsOf(rateOutOfLine, soldAt(null, paid))).toEqual(['exchange_rate']);
    expect(fieldsOf(rateOutOfLine, soldAt(null, { fiatValue: '220' }))).toEqual([]);
  });

  it('the least fee that it may have is 3 EUR, in its own currency', () => {
    const price = { price: '10000', priceEur: dec('2500') };
    const reference = someReference({
      global: someGlobalTerms({ currencyCode: 'PLN' }),
      asset: someAssetTerms(price),
    });
    const sold = (fiatValue: string) =>
      aCase({
        state: aSale({ fiatCurrency: 'PLN', fiatValue }),
        kind: 'sale',
        quote: null,
        reference,
        receivedAt: at('2026-11-01 10:30'),
      });
    // 0.1 ETH is worth 1,000 PLN: less a tenth, 5 % and 12 PLN.
    expect(fieldsOf(rateOutOfLine, sold('838.00'))).toEqual([]);
    expect(fieldsOf(rateOutOfLine, sold('837.99'))).toEqual(['exchange_rate']);
  });
});

test.each([
  ['no margin of the asset is known', listedAround('2665.9'), someTerms()],
  ['it has a quote of its own', listedAround('2665.9', { quote: aMatchedQuote() }), margins],
  ['the list before is of another currency', listedAround('2665.9', { lists: [{ currencyCode: 'USD' }, {}] }), margins],
  ['the list after has no price', listedAround('2665.9', { lists: [{}, { price: '0' }] }), margins],
  ['the list after has another asset', listedAround('2665.9', { lists: [{}, { symbol: 'USDC' }] }), margins],
  ['there is no list after', listedAround('2665.9', { lists: [{}] }), margins],
  ['the list before is hours old', listedAround('2665.9', { lists: [{ on: '2026-11-01 03:59' }, {}] }), margins],
  ['the next list is hours away', listedAround('2720', { lists: [{}, { on: '2026-11-01 16:11' }] }), margins],
  ['it was executed within a day', listedAround('2665.9', { state: { updatedAt: at('2026-11-02 10:00') } }), margins],
])('a tenth is allowed where %s', (_, subject, terms) => {
  expect(ask(rateOutOfLine, subject, terms)).toEqual(NOTHING);
});

test('days after the reference a floating price may be further off, and a binding one may not', () => {
  const state = aPurchase({ exchangeRate: '2990', exchangeRateEur: '2990', updatedAt: at('2026-11-02 09:00') });
  const late = (days: number) =>
    aCase({
      state: { ...state, updatedAt: at(`2026-11-0${1 + days} 09:00`) },
      quote: null,
      reference: someReference(),
      receivedAt: at('2026-11-08 04:15'),
    });
  // 20 % over 2,490: 12.5 % with the root of the days.
  expect(fieldsOf(rateOutOfLine, late(2))).toEqual(['exchange_rate']);
  expect(fieldsOf(rateOutOfLine, late(4))).toEqual([]);
  const binding = { price: 'locked', networkFee: 'locked' } as const;
  expect(fieldsOf(rateOutOfLine, late(4), someTerms({ binding }))).toEqual(['exchange_rate']);
});

test('before the execution a price is an estimate, where prices float', () => {
  const subject = aCase({ state: aPurchase({ exchangeRate: '5000', exchangeRateEur: '5000', status: 'INITIALIZED' }) });
  expect(fieldsOf(rateOutOfLine, subject)).toEqual([]);
  const binding = { price: 'locked', networkFee: 'locked' } as const;
  expect(fieldsOf(rateOutOfLine, subject, someTerms({ binding }))).toEqual(['exchange_rate']);
});

describe('the rate in EUR of a purchase in PLN', () => {
  const zloty = (currencyCode = 'PLN', capturedAt = '2026-11-01 09:00') =>
    someReference({
      global: someGlobalTerms({ currencyCode }),
      asset: someAssetTerms({ price: '10000', priceEur: dec('2500'), capturedAt: at(capturedAt) }),
    });
  const firstAfter = (day: string) => {
    const { global, asset } = zloty();
    return { ...NO_REFERENCE, after: { assets: { global, asset, capturedAt: at(day) } } };
  };
  const bought = (
    exchangeRateEur: string,
    rest: Partial<Parameters<typeof aCase>[0]> = {},
    state: StateOverrides = {},
  ) =>
    aCase({
      state: aPurchase({ fiatCurrency: 'PLN', fiatRateEur: null, exchangeRate: '10000', exchangeRateEur, ...state }),
      quote: null,
      reference: zloty(),
      ...rest,
    });

  it('by a listing in another currency is not known', () => {
    expect(ask(rateOutOfLine, bought('2500', { reference: zloty('EUR') }))).toEqual(NOT_APPLICABLE);
  });

  it('by a quote whose rate is nothing is that of the listing', () => {
    const quote = aMatchedQuote({ quote: { api: 'v1', fiatCurrency: 'PLN', assetTerms: null, fiatRateEur: dec('0') } });
    expect(fieldsOf(rateOutOfLine, bought('2500', { quote }))).toEqual([]);
  });

  it.each([
    ['before', { receivedAt: at('2026-11-08 04:15') }, { updatedAt: at('2026-11-05 09:00') }],
    ['after', { reference: zloty('PLN', '2026-11-05 10:20') }, { updatedAt: at('2026-11-01 10:20') }],
    ['after, the only one,', { reference: firstAfter('2026-11-05 10:20') }, { updatedAt: at('2026-11-01 10:20') }],
  ] as const)('listing of four days %s: may be 8 %% off, twice as much as in one', (_, rest, state) => {
    expect(fieldsOf(rateOutOfLine, bought('2700', rest, state))).toEqual([]);
    expect(fieldsOf(rateOutOfLine, bought('2701', rest, state))).toEqual(['exchange_rate_eur']);
  });

  it('of one that never executed may be of its creation, days before the only list', () => {
    const expired = (rate: string) =>
      bought(
        rate,
        { reference: firstAfter('2026-11-05 10:00') },
        { status: 'EXPIRED', updatedAt: at('2026-11-04 10:00') },
      );
    expect(fieldsOf(rateOutOfLine, expired('2890'))).toEqual([]);
    expect(fieldsOf(rateOutOfLine, expired('2910'))).toEqual(['exchange_rate_eur']);
  });

  it('of one that never executed is held against the others of its day that did not, before any other rate', () => {
    const fiatRates = { 'PLN/2026-11-01': '0.23', 'PLN/2026-11-01 not executed': '0.25' };
    const terms = someTerms({ common: { fiatRates } });
    const expired = { status: 'EXPIRED', finalTxHash: null } as const;
    const judged = (
      rate: string,
      state: StateOverrides = expired,
      reference: ReturnType<typeof zloty> = NO_REFERENCE,
    ) => fieldsOf(rateOutOfLine, bought(rate, { reference }, state), terms);
    expect(judged('2500')).toEqual([]);
    expect(judged('2500', expired, zloty('PLN', '2026-11-01 10:20'))).toEqual([]);
    expect(judged('2290')).toEqual(['exchange_rate_eur']);
    expect(judged('2500', {})).toEqual(['exchange_rate_eur']);
  });

  it('by the other records of its day counts as of its creation', () => {
    const terms = someTerms({ common: { fiatRates: { 'PLN/2026-11-01': '0.25' } } });
    expect(fieldsOf(rateOutOfLine, bought('2600', { reference: NO_REFERENCE }), terms)).toEqual([]);
    expect(fieldsOf(rateOutOfLine, bought('2601', { reference: NO_REFERENCE }), terms)).toEqual(['exchange_rate_eur']);
  });
});

test('between the published prices of two days a price has only moved with the market', () => {
  const known = someReference({ asset: someAssetTerms({ price: '2200' }) });
  const asked = (next: string, day: string, rate = '2520') => {
    const assets = { capturedAt: at(day), global: someGlobalTerms(), asset: someAssetTerms({ price: next }) };
    const state = aPurchase({ exchangeRate: rate, exchangeRateEur: rate, createdAt: at('2026-11-01 10:00') });
    return fieldsOf(rateOutOfLine, aCase({ state, quote: null, reference: { ...known, after: { assets } } }));
  };
  expect(asked('2500', '2026-11-02 09:00')).toEqual([]);
  expect(asked('2210', '2026-11-02 09:00')).toEqual(['exchange_rate']);
  // A skim on top of the move, and a list that is too far away.
  expect(asked('2500', '2026-11-02 09:00', '2900')).toEqual(['exchange_rate']);
  expect(asked('2500', '2026-11-09 09:00')).toEqual(['exchange_rate']);
});

test('the rate of a currency moves until the body of an order is read that was never paid: a naira by 7 % in a day', () => {
  const quote = aMatchedQuote({ quote: { fiatCurrency: 'NGN', fiatRateEur: dec('0.0006') } });
  const read = (status: string, day: number, exchangeRateEur: string, fiatRateEur: string) => {
    const state = aPurchase({ fiatCurrency: 'NGN', exchangeRate: '5000000', exchangeRateEur, fiatRateEur, status });
    const receivedAt = at(`2026-11-0${day} 04:15`);
    return fieldsOf(rateOutOfLine, aCase({ state, quote, reference: NO_REFERENCE, receivedAt }));
  };
  expect(read('INITIALIZED', 2, '3210', '0.000642')).toEqual([]);
  expect(read('EXPIRED', 2, '3210', '0.000642')).toEqual([]);
  expect(read('RELEASED', 2, '3210', '0.000642')).toContain('fiat_rate_eur');
  expect(read('EXPIRED', 2, '3270', '0.000654')).toEqual(['fiat_rate_eur']);
  // Within four days twice as much.
  expect(read('EXPIRED', 5, '3450', '0.00069')).toEqual([]);
});
