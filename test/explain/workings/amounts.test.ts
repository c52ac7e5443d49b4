import { describe, expect, it } from 'vitest';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  type CaseOverrides,
  NO_REFERENCE,
  someAssetTerms,
  someGlobalTerms,
  someReference,
} from '../../support/builders.ts';
import { arithmeticOf, withTolerance, workedOut } from '../work-out.ts';

const noLimits = someGlobalTerms({ minPurchaseAmount: null, maxPurchaseAmount: null });
const unread = anUnreachable();
const noRate = aPurchase({ exchangeRate: null, exchangeRateEur: null });
const dollars = { fiatCurrency: 'USD', fiatRateEur: null };

describe('there is nothing to work with', () => {
  it.each<[rule: string, field: string, where: string, subject: CaseOverrides]>([
    ['AMOUNT_DIFFERS', 'fiat_value', 'the record was not read', { observation: unread }],
    ['AMOUNT_DIFFERS', 'fiat_value', 'no quote belongs to it', { quote: null }],
    ['AMOUNT_DIFFERS', 'fiat_value', 'the quote is in another currency', { state: aPurchase(dollars) }],
    ['AMOUNT_DIFFERS', 'fiat_value', 'the quote lacks its method', { quote: aMatchedQuote({ method: null }) }],
    ['AMOUNT_OUT_OF_LIMITS', 'fiat_value', 'the record was not read', { observation: unread }],
    ['AMOUNT_OUT_OF_LIMITS', 'fiat_value', 'its asset is not known', { quote: null, reference: NO_REFERENCE }],
    ['AMOUNT_OUT_OF_LIMITS', 'fiat_value', 'there is no limit', { reference: someReference({ global: noLimits }) }],
    ['AMOUNT_OUT_OF_LIMITS', 'crypto_amount', 'the asset has no least amount', {}],
    ['FEE_OUT_OF_BOUNDS', 'service_fee', 'the record was not read', { observation: unread }],
    ['FEE_OUT_OF_BOUNDS', 'service_fee', 'nothing was published', { reference: NO_REFERENCE }],
    ['FEE_OUT_OF_BOUNDS', 'service_fee', 'it states no fee', { state: aPurchase({ appliedFee: null }) }],
    ['TOTAL_NOT_FOOTING', 'fiat_value', 'the record was not read', { observation: unread }],
    ['TOTAL_NOT_FOOTING', 'fiat_value', 'it states no rate', { state: noRate }],
    ['TOTAL_NOT_FOOTING', 'fiat_value', 'it states no fee', { state: aPurchase({ appliedFee: null }) }],
    ['RATE_OUT_OF_LINE', 'exchange_rate', 'the record was not read', { observation: unread }],
    ['RATE_OUT_OF_LINE', 'exchange_rate', 'it states no rate', { state: noRate }],
    ['RATE_OUT_OF_LINE', 'exchange_rate', 'no price is known', { quote: null, reference: NO_REFERENCE }],
    ['RATE_OUT_OF_LINE', 'exchange_rate_eur', 'its currency has no rate', { state: aPurchase(dollars) }],
    [
      'RATE_OUT_OF_LINE',
      'exchange_rate_eur',
      'it states no rate in EUR',
      { state: aPurchase({ exchangeRateEur: null }) },
    ],
  ])('for %s of %s where %s', (rule, field, _where, subject) => {
    expect(arithmeticOf(aCase(subject), rule, field)).toBeNull();
  });
});

describe('the limit in force', () => {
  const ownLimits = (asset: Parameters<typeof someAssetTerms>[0]) =>
    aCase({ quote: null, reference: someReference({ asset: someAssetTerms(asset) }) });
  const apart = (subject: CaseOverrides) => workedOut(aCase(subject), 'AMOUNT_OUT_OF_LIMITS', 'fiat_value').slice(0, 4);

  it('is the lowest one for all assets', () => {
    expect(apart({ state: aPurchase({ fiatValue: '5' }), quote: null })).toEqual([
      'limit in force: minimum for all assets',
      'minimum then: 6.00 EUR',
      'actual total: 5.00 EUR',
      'difference: 5.00 − 6.00 = -1.00 EUR',
    ]);
  });

  it("is the asset's own minimum where it has one", () => {
    const lines = workedOut(ownLimits({ minPurchaseAmount: '200' }), 'AMOUNT_OUT_OF_LIMITS', 'fiat_value');
    expect(lines.slice(0, 4)).toEqual([
      'limit in force: minimum for ETH_ETH',
      'minimum then: 200.00 EUR',
      'actual total: 104.76 EUR',
      'difference: 104.76 − 200.00 = -95.24 EUR',
    ]);
  });

  it("is the asset's own maximum where it has one", () => {
    const lines = workedOut(ownLimits({ maxPurchaseAmount: '100' }), 'AMOUNT_OUT_OF_LIMITS', 'fiat_value');
    expect(lines.slice(0, 2)).toEqual(['limit in force: maximum for ETH_ETH', 'maximum then: 100.00 EUR']);
  });

  it('is the maximum where there is no minimum', () => {
    const global = someGlobalTerms({ minPurchaseAmount: null, maxPurchaseAmount: '100' });
    expect(apart({ reference: someReference({ global }) })).toEqual([
      'limit in force: maximum for all assets',
      'maximum then: 100.00 EUR',
      'actual total: 104.76 EUR',
      'difference: 104.76 − 100.00 = +4.76 EUR',
    ]);
  });
});

describe('the crypto value that a fee is a share of', () => {
  const outOfBounds = (subject: CaseOverrides) =>
    workedOut(aCase({ reference: someReference(), ...subject }), 'FEE_OUT_OF_BOUNDS', 'service_fee');

  it('of a purchase without a rate is the total minus the fee', () => {
    const state = aPurchase({ exchangeRate: null, fiatValue: '110', appliedFee: '10', networkFee: '0.86' });
    expect(outOfBounds({ state }).slice(0, 3)).toEqual([
      'crypto value: 110.00 − 10.00 = 100.00 EUR',
      'service fee: 10.00 − 0.86 = 9.14 EUR',
      'maximum: the higher of 2.49 and 3.90 (3.9 % of the crypto value) = 3.90 EUR',
    ]);
  });

  it('of a sale is the payout plus the fee; a fee without parts is taken as the applied fee', () => {
    expect(outOfBounds({ state: aSale({ fiatValue: '190', appliedFee: '10' }) }).slice(0, 3)).toEqual([
      'crypto value: 190.00 + 10.00 = 200.00 EUR',
      'service fee: as applied = 10.00 EUR',
      'maximum: the higher of 2.49 and 7.80 (3.9 % of the crypto value) = 7.80 EUR',
    ]);
  });
});

describe('a rate in EUR', () => {
  it('of a record in EUR is its own', () => {
    const state = aPurchase({ fiatRateEur: null, exchangeRateEur: '2400' });
    expect(workedOut(aCase({ state }), 'RATE_OUT_OF_LINE', 'exchange_rate_eur').slice(0, 4)).toEqual([
      'rate in EUR: 2500.00 EUR',
      'which makes in EUR: as it is in EUR = 2500.00 EUR',
      'rate in EUR it states: 2400.00 EUR',
      'difference: 2400.00 − 2500.00 = -100.00 EUR',
    ]);
  });
});

it.each([
  ['AMOUNT_OUT_OF_LIMITS', 'fiat_value', { state: aPurchase({ fiatValue: '16000' }) }],
  ['FEE_OUT_OF_BOUNDS', 'service_fee', { state: aPurchase({ appliedFee: '26.86' }) }],
  ['TOTAL_NOT_FOOTING', 'fiat_value', { state: aPurchase({ fiatValue: '124.76' }) }],
])('%s is held to the tolerance that the settings give this rule', (rule, field, subject) => {
  const lines = workedOut(aCase(subject), rule, field, withTolerance(rule, '7.5'));
  expect(lines.find((line) => line.startsWith('tolerance: '))).toMatch(/the (larger|largest) of 7\.50.* = 7\.50 EUR$/);
});
