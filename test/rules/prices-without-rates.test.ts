/** What is known without a quote, or without a stated rate: a sale's price, a rate in EUR, a network fee. */
import { describe, expect, it } from 'vitest';
import { type Market, NO_MARKET, NOTHING_SEEN } from '../../src/domain/market.ts';
import type { MatchedQuote } from '../../src/domain/quote.ts';
import type { ReferenceAsOf } from '../../src/domain/reference.ts';
import { feeNetworkDiffers } from '../../src/rules/fee-network-differs.ts';
import { rateOutOfLine } from '../../src/rules/rate-out-of-line.ts';
import { workedOut } from '../explain/work-out.ts';
import {
  aCase,
  aMatchedQuote,
  aPurchase,
  aSale,
  at,
  dec,
  someAssetTerms,
  someGlobalTerms,
  someReference,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

/** A sale of 0.1 ETH, where one costs 2,490 EUR, that was read half an hour after its creation. */
const aSaleOf = (fiatValue: string) =>
  aCase({ state: aSale({ fiatValue }), reference: someReference(), receivedAt: at('2026-11-01 10:30') });

describe('a sale without a stated rate', () => {
  it.each([
    ['249.00', []],
    // Below by a tenth of the price, by 5 % and 3 EUR of fees that it may have cost.
    ['208.65', []],
    ['208.64', ['exchange_rate']],
    // No fee makes a price higher.
    ['273.90', []],
    ['273.91', ['exchange_rate']],
  ])('of 0.1 ETH for %s EUR', (fiatValue, fields) => {
    expect(fieldsOf(rateOutOfLine, aSaleOf(fiatValue))).toEqual(fields);
  });

  it('says what the payout comes to, and its arithmetic', () => {
    const subject = aSaleOf('24.90');
    expect(ask(rateOutOfLine, subject)).toMatchObject([
      {
        actual: '249',
        expected: '2490',
        explanation:
          'With its fee the payout comes to 249 EUR per ETH_ETH; the published prices (2026-11-01 09:00 UTC) had 2490 EUR: 90.0 % lower, ' +
          'and 16.2 % is allowed.',
      },
    ]);
    expect(workedOut(subject, 'RATE_OUT_OF_LINE', 'exchange_rate')).toEqual([
      'reference: the published prices (2026-11-01 09:00 UTC)',
      'reference price: 2490.00 EUR',
      'payout with its fee, per token: 249.00 EUR',
      'difference: 249.00 − 2490.00 = -2241.00 EUR',
      'tolerance: 0.1 × 2490 + 154.5 (the most that its fee can be) = 403.50 EUR',
      'outcome: 2241.00 > 403.50: a break',
    ]);
  });
});

describe('a price without a quote, executed a day later on a falling market', () => {
  const seen = { low: dec('1800'), high: dec('2490'), count: 24, hours: 24 };
  const found = (exchangeRate: string, over: Partial<Market> = {}, quote: MatchedQuote | null = null) =>
    ask(
      rateOutOfLine,
      aCase({
        state: aPurchase({ updatedAt: at('2026-11-02 10:00'), exchangeRate, exchangeRateEur: null }),
        quote,
        reference: someReference(),
        market: { ...NO_MARKET, prices: { quotes: null, listings: seen }, ...over },
      }),
    );

  it('is held against what others saw while it was executed', () => {
    expect(found('1700')).toEqual(NOTHING);
    expect(found('2730')).toEqual(NOTHING);
    expect(found('2740')).toMatchObject([
      {
        explanation:
          'The rate is 2740 EUR per ETH_ETH; 24 listings around its execution had 2490 EUR: 10.0 % higher, and 10.0 % is allowed.',
      },
    ]);
    expect(found('1600')).toHaveLength(1);
  });

  it('may have left that range in hours that nobody saw, unless lists were near', () => {
    const few = { prices: { quotes: null, listings: { ...seen, count: 4, hours: 4 } } };
    expect(found('1600', few)).toEqual(NOTHING);
    expect(found('1600', { ...few, unlisted: 5_400_000 })).toHaveLength(1);
  });

  it('lies between the lists around the creation too, where the nearest price is hours away', () => {
    const one = { quotes: null, listings: { low: dec('1800'), high: dec('1800'), count: 1 } };
    const away = { prices: one, away: 5_400_000 };
    expect(found('2240', { prices: one, unlisted: 0 })).toHaveLength(1);
    expect(found('2240', { ...away, unlisted: 0 })).toEqual(NOTHING);
    expect(found('2740', { ...away, unlisted: 0 })).toHaveLength(1);
  });

  it('of a record with a quote is held against its quote', () => {
    const terms = { ...someAssetTerms({ price: '2490' }), currencyCode: 'EUR' };
    const quote = aMatchedQuote();
    const quoted = { ...quote, quote: { ...quote.quote, assetTerms: terms } };
    expect(found('1800', { prices: NOTHING_SEEN }, quoted)).toMatchObject([
      { explanation: expect.stringContaining('quote q-17') },
    ]);
  });
});

/** A listing of four PLN for one EUR. */
const zloty: ReferenceAsOf = {
  ...someReference(),
  global: { ...someGlobalTerms(), currencyCode: 'PLN' },
  asset: { ...someAssetTerms(), price: dec('10000'), priceEur: dec('2500') },
};
const inZloty = (exchangeRateEur: string) =>
  aPurchase({ fiatCurrency: 'PLN', exchangeRate: '10000', exchangeRateEur, fiatRateEur: null });

describe('a rate in EUR of a purchase in PLN, of which the body has no rate', () => {
  it.each([
    ['2500', []],
    // Four in a hundred between the listing and the execution.
    ['2600', []],
    ['2601', ['exchange_rate_eur']],
  ])('%s by the listing', (rate, fields) => {
    expect(fieldsOf(rateOutOfLine, aCase({ state: inZloty(rate), quote: null, reference: zloty }))).toEqual(fields);
  });

  it('by its v1 quote before the listing, with its arithmetic', () => {
    const quote = aMatchedQuote({
      quote: { api: 'v1', fiatCurrency: 'PLN', assetTerms: null, fiatRateEur: dec('0.2') },
    });
    const subject = aCase({ state: inZloty('2500'), quote, reference: zloty });
    expect(workedOut(subject, 'RATE_OUT_OF_LINE', 'exchange_rate_eur')).toEqual([
      'rate in PLN: 10000.00 PLN',
      'EUR for one PLN: 0.2 by quote q-17',
      'which makes in EUR: 10000 × 0.2 = 2000.00 EUR',
      'rate in EUR it states: 2500.00 EUR',
      'difference: 2500.00 − 2000.00 = +500.00 EUR',
      'tolerance: 0.04 × 2000.00 = 80.00 EUR',
      'outcome: 500.00 > 80.00: a break',
    ]);
  });
});

/** Listings an hour before the creation and after it; the execution ends 20 minutes after it. */
function listed(...fees: readonly [string, string?]): ReferenceAsOf {
  const [before, after] = fees.map((networkFee, i) => ({
    assets: {
      capturedAt: at(i === 0 ? '2026-11-01 09:20' : '2026-11-01 11:00'),
      global: someGlobalTerms(),
      asset: { ...someAssetTerms(), networkFee: dec(networkFee ?? '') },
    },
  }));
  return { ...someReference(), ...(before && { before }), ...(after && { after }) };
}

describe('a network fee of 0.86 EUR without a quote', () => {
  it.each([
    // An hour from the listing: a quarter twice.
    [['0.50', '0.58'], NOTHING],
    [['0.50', '0.56'], ['network_fee']],
    [['0.20', '0.90'], NOTHING],
    // Less than published is a favour; one listing alone proves nothing.
    [['9.00', '9.00'], NOTHING],
    [['0.20'], NOT_APPLICABLE],
  ] as const)('where %s were published', (fees, fields) => {
    const [before = '', after] = fees as readonly string[];
    const reference = listed(...((after === undefined ? [before] : [before, after]) as [string, string?]));
    expect(fieldsOf(feeNetworkDiffers, aCase({ quote: null, reference }))).toEqual(fields);
  });

  it.each([
    [{}, '0.66'],
    // The base fee is 3.90 EUR: a discount of 0.26 EUR, one of 0.90 EUR, and a host's fee on top.
    [{ appliedFee: '4.50' }, '0.4'],
    [{ appliedFee: '3.86' }, undefined],
    [{ appliedFee: '6.00' }, '0.66'],
    [{ baseFee: null }, undefined],
  ] as const)('of a record with %j has %s at stake', (state, loss) => {
    const subject = aCase({ state: aPurchase(state), quote: null, reference: listed('0.20', '0.20') });
    const found = ask(feeNetworkDiffers, subject);
    expect(typeof found === 'string' ? found : found.map((each) => each.loss)).toEqual([loss]);
  });

  it('of a payment that came hours after both lists is not judged by them', () => {
    const paidBy = (updatedAt: string) => {
      const subject = aCase({
        state: aPurchase({ updatedAt: at(updatedAt) }),
        quote: null,
        reference: listed('0.20', '0.20'),
      });
      return fieldsOf(feeNetworkDiffers, subject);
    };
    expect(paidBy('2026-11-01 13:00')).toEqual(['network_fee']);
    expect(paidBy('2026-11-01 13:01')).toEqual(NOT_APPLICABLE);
  });

  it('of such a payment is judged by what others saw while it was executed', () => {
    const seen = (high: string, hours: number) => ({
      quotes: null,
      listings: { low: dec('0.20'), high: dec(high), count: hours, hours },
    });
    const found = (high: string, hours: number) =>
      ask(
        feeNetworkDiffers,
        aCase({
          state: aPurchase({ updatedAt: at('2026-11-02 10:00') }),
          quote: null,
          reference: listed('0.20', '0.20'),
          market: { ...NO_MARKET, networkFees: seen(high, hours) },
        }),
      );
    // A quarter, and with the root of two hours: 0.6035 of it and a minor unit.
    expect(found('0.54', 24)).toEqual(NOTHING);
    expect(found('0.52', 24)).toMatchObject([
      {
        expected: '0.52',
        explanation:
          'The network fee is 0.86 EUR; 24 listings around its execution had at most 0.52 EUR for it: 0.34 EUR more, and 0.32 EUR is allowed.',
      },
    ]);
    expect(found('0.20', 24)).toMatchObject([{ explanation: expect.stringContaining('the lists of') }]);
    expect(found('0.52', 10)).toEqual(NOT_APPLICABLE);
  });

  it('its arithmetic', () => {
    expect(
      workedOut(aCase({ quote: null, reference: listed('0.20', '0.20') }), 'FEE_NETWORK_DIFFERS', 'network_fee'),
    ).toEqual([
      'published by: the lists of 2026-11-01 09:20 UTC and 2026-11-01 11:00 UTC',
      'highest of them: 0.20 EUR',
      'network fee: 0.86 EUR',
      'difference: 0.86 − 0.20 = +0.66 EUR',
      'tolerance: 0.5 × 0.2, and a minor unit = 0.11 EUR',
      'outcome: 0.66 > 0.11: a break',
    ]);
  });
});
