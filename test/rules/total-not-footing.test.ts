import { expect, test } from 'vitest';
import { totalNotFooting } from '../../src/rules/total-not-footing.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  dec,
  someTerms,
  someTolerances,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

test('a total that its parts do not explain', () => {
  expect(ask(totalNotFooting, aCase({ state: aPurchase({ fiatValue: '106.26' }) }))).toEqual([
    {
      field: 'fiat_value',
      expected: '104.76',
      actual: '106.26',
      difference: '1.5',
      unit: 'money',
      loss: '1.5',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The total is 106.26 EUR, but 0.04 ETH_ETH at 2500 EUR plus a fee of 4.76 EUR comes to 104.76 EUR: 1.50 EUR more.',
    },
  ]);
});

test('a rate of zero does not foot, and what is lost by it is not known', () => {
  const [found] = ask(totalNotFooting, aCase({ state: aPurchase({ exchangeRate: '0' }) }));
  expect(found).toMatchObject({ expected: '4.76' });
  expect(found).not.toHaveProperty('loss');
});

test.each([aPurchase, aSale])(
  'tokens with other decimals than the quote has do not foot, and what is lost by it is not known',
  (of) => {
    const asset = { chain: 'ETH', symbol: 'ETH', decimals: 17, address: null };
    const [found] = ask(
      totalNotFooting,
      aCase({ state: of({ asset, exchangeRate: '2500', appliedFee: '4.76' }), quote: aMatchedQuote() }),
    );
    expect(found).toMatchObject({ field: 'fiat_value' });
    expect(found).not.toHaveProperty('loss');
  },
);

test('a cent is within tolerance at any size; the relative tolerance does not apply', () => {
  const total = (fiatValue: string, cryptoUnits: bigint) =>
    fieldsOf(totalNotFooting, aCase({ state: aPurchase({ fiatValue, cryptoUnits }) }));
  expect(total('104.77', 40_000_000_000_000_000n)).toEqual([]);
  expect(total('104.7701', 40_000_000_000_000_000n)).toEqual(['fiat_value']);
  expect(total('10004.77', 4_000_000_000_000_000_000n)).toEqual([]);
  expect(total('10004.78', 4_000_000_000_000_000_000n)).toEqual(['fiat_value']);
});

test("a currency's own minor unit counts: one yen, not a hundredth of it", () => {
  const yen = { fiatCurrency: 'JPY', exchangeRate: '400000', appliedFee: '700' };
  expect(fieldsOf(totalNotFooting, aCase({ state: aPurchase({ ...yen, fiatValue: '16701' }) }))).toEqual([]);
  expect(fieldsOf(totalNotFooting, aCase({ state: aPurchase({ ...yen, fiatValue: '16702' }) }))).toEqual([
    'fiat_value',
  ]);
});

test('one unit of the asset counts where it is worth more than a minor unit: a satoshi is four pesos', () => {
  const btc = { chain: 'BTC', symbol: 'BTC', decimals: 8, address: null };
  const pesos = (fiatValue: string) =>
    aPurchase({
      asset: btc,
      cryptoUnits: 25_000n,
      fiatCurrency: 'COP',
      exchangeRate: '400000000',
      appliedFee: '5000',
      fiatValue,
    });
  expect(ask(totalNotFooting, aCase({ state: pesos('105004') }))).toEqual(NOTHING);
  expect(fieldsOf(totalNotFooting, aCase({ state: pesos('105004.01') }))).toEqual(['fiat_value']);
});

test('tokens that end at the eighth place were rounded there, however many places the asset has', () => {
  const asset = { chain: 'BSC', symbol: 'BTCB', decimals: 18, address: '0x7130d2a12b9bcbfae4f2634d864a1ee1ce3ead9c' };
  const pesos = (cryptoUnits: bigint) =>
    aPurchase({
      asset,
      cryptoUnits,
      fiatCurrency: 'COP',
      exchangeRate: '400000000',
      appliedFee: '5000',
      fiatValue: '105003.99',
    });
  expect(ask(totalNotFooting, aCase({ state: pesos(250_000_000_000_000n) }))).toEqual(NOTHING);
  expect(ask(totalNotFooting, aCase({ state: pesos(249_980_000_000_000n) }))).not.toEqual(NOTHING);
  expect(fieldsOf(totalNotFooting, aCase({ state: pesos(250_000_000_000_001n) }))).toEqual(['fiat_value']);
});

test('a currency that ISO 4217 does not know still has the noise of floating point forgiven', () => {
  const unknown = { fiatCurrency: 'XQQ', fiatValue: '104.76000000000002' };
  expect(ask(totalNotFooting, aCase({ state: aPurchase(unknown) }))).toEqual(NOTHING);
  expect(fieldsOf(totalNotFooting, aCase({ state: aPurchase({ ...unknown, fiatValue: '104.77' }) }))).toEqual([
    'fiat_value',
  ]);
});

test('configuration may allow more', () => {
  const terms = someTerms({ tolerances: someTolerances({ currencies: new Map([['EUR', { absolute: dec('2') }]]) }) });
  expect(ask(totalNotFooting, aCase({ state: aPurchase({ fiatValue: '106.26' }) }), terms)).toEqual(NOTHING);
});

// 0.1 ETH at 2,030 EUR is 203 EUR.
const selling = (fiatValue: string, exchangeRate: string | null = '2030', appliedFee: string | null = '3') =>
  aCase({ state: aSale({ fiatValue, exchangeRate, appliedFee }) });

test('a sale foots before its fee or after it: rates may be net', () => {
  expect(ask(totalNotFooting, selling('200'))).toEqual(NOTHING);
  expect(ask(totalNotFooting, selling('203'))).toEqual(NOTHING);
  expect(ask(totalNotFooting, selling('201.50'))).toEqual([
    {
      field: 'fiat_value',
      expected: '200',
      actual: '201.5',
      difference: '1.5',
      unit: 'money',
      loss: '-1.5',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The total is 201.50 EUR, but 0.1 ETH_ETH at 2030 EUR minus a fee of 3.00 EUR comes to 200.00 EUR: 1.50 EUR more.',
    },
  ]);
});

test('a purchase foots with its fee only: a total that leaves the fee out is unexplained', () => {
  expect(ask(totalNotFooting, aCase({ state: aPurchase({ fiatValue: '100' }) }))).toMatchObject([
    { expected: '104.76', actual: '100', difference: '-4.76' },
  ]);
});

test.each([
  ['a sale has no rate', selling('201.50', null)],
  ['a sale has no fee', selling('201.50', '2030', null)],
  [
    'a purchase has no rate, so that its value would be derived from the very total',
    aCase({ state: aPurchase({ exchangeRate: null }) }),
  ],
  ['there is no body', aCase({ observation: anUnreachable() })],
])('not applicable where %s', (_, subject) => {
  expect(ask(totalNotFooting, subject)).toEqual(NOT_APPLICABLE);
});
