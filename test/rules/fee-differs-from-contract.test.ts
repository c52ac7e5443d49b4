import { expect, test } from 'vitest';
import type { PriceLine, PriceList } from '../../src/domain/price-list.ts';
import { feeDiffersFromContract } from '../../src/rules/fee-differs-from-contract.ts';
import { freezeTerms, thawTerms } from '../../src/rules/terms.ts';
import { aCase, aMatchedQuote, aPurchase, aSale, at, dec, someTerms } from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

const LINE: PriceLine = {
  line: 12,
  isDefault: false,
  kinds: null,
  methods: ['CARD_PAYMENT'],
  currencies: ['EUR'],
  countries: null,
  assets: null,
  amount: null,
  dates: null,
  percent: dec('3.9'),
  fixed: dec('0'),
  minimum: null,
  maximum: null,
  networkFee: 'on-top',
  hostFee: 'on-top',
};

function prices(...lines: Partial<PriceLine>[]): PriceList {
  const own = lines.map((line) => ({ ...LINE, ...line }));
  return {
    name: 'Partner',
    versions: [{ version: '2026-1', from: at('2026-01-01 00:00'), to: at('2027-01-01 00:00'), lines: own }],
  };
}

/** The purchase: 100 EUR of crypto, a fee of 4.76 EUR of which 0.86 EUR are the network's. */
const fields = (list: PriceList, subject = aCase()) =>
  fieldsOf(feeDiffersFromContract, subject, { ...someTerms(), prices: list });

test.each<[string, Partial<PriceLine>, readonly string[]]>([
  ['3.9 % and the network fee', {}, []],
  ['a cent less is tolerated', { percent: dec('3.89') }, []],
  ['two cents less are not', { percent: dec('3.88') }, ['applied_fee']],
  ['a percentage and an amount', { percent: dec('2.9'), fixed: dec('1') }, []],
  ['the least fee', { percent: dec('1'), minimum: dec('3.90') }, []],
  ['the largest fee', { percent: dec('9'), maximum: dec('3.90') }, []],
  ['the network fee inside', { percent: dec('4.76'), networkFee: 'included' }, []],
  ['a fee below the contract', { percent: dec('4.5') }, ['applied_fee']],
])('%s', (_name, line, expected) => {
  expect(fields(prices(line))).toEqual(expected);
});

test.each<[string, Partial<PriceLine>]>([
  ['another method', { methods: ['PIX'] }],
  ['another currency', { currencies: ['USD'] }],
  ['another asset', { assets: ['ETH_USDC'] }],
  ['another kind', { kinds: ['sale'] }],
  ['a country, which nothing says', { countries: ['de'] }],
  ['another band', { amount: { from: dec('0'), to: dec('104.76') } }],
  ['other days', { dates: { from: at('2026-11-02 00:00'), to: null } }],
])('a list with a price for %s has none for the record', (_name, line) => {
  expect(fields(prices({ percent: dec('1'), ...line }))).toEqual(NOT_APPLICABLE);
});

test('the country is the one of the quote; an unknown one is not guessed from the default', () => {
  const matched = aMatchedQuote();
  const german = aCase({ quote: { ...matched, quote: { ...matched.quote, country: 'de' } } });
  const list = prices({ percent: dec('1'), countries: ['de'] }, { isDefault: true, methods: null, currencies: null });
  expect(fields(list, german)).toEqual(['applied_fee']);
  expect(fields(list)).toEqual(NOT_APPLICABLE);
});

test('a fee below the contract is a remark, as one below a quote is, unless the price is locked', () => {
  const list = prices({ percent: dec('4.5') });
  const found = (price: 'indicative' | 'locked') => {
    const terms = { ...someTerms(), prices: list };
    return ask(feeDiffersFromContract, aCase(), { ...terms, binding: { ...terms.binding, price } });
  };
  expect(found('indicative')).toMatchObject([{ field: 'applied_fee', severity: 'info' }]);
  expect(found('locked')).toMatchObject([{ field: 'applied_fee', loss: '-0.6' }]);
  expect(
    ask(feeDiffersFromContract, aCase(), { ...someTerms(), prices: prices({ percent: dec('2') }) }),
  ).not.toMatchObject([{ severity: 'info' }]);
});

test('a sale has a price as well: its network fee is paid from the user’s wallet, and is in no fee of it', () => {
  // 0.04 ETH at 2,500 EUR: 100 EUR, 4.49 of them the fee.
  const sold = (percent: string, more: Partial<PriceLine> = {}) => {
    const fees = { exchangeRate: '2500', fiatValue: '95.51', appliedFee: '4.49', paymentMethod: 'CARD' };
    const state = aSale({ ...fees, cryptoUnits: 40_000_000_000_000_000n });
    const list = prices({ kinds: ['sale'], methods: ['CARD'], percent: dec(percent), ...more });
    return ask(feeDiffersFromContract, aCase({ kind: 'sale', state }), { ...someTerms(), prices: list });
  };
  expect(sold('4.49')).toEqual(NOTHING);
  expect(sold('4.49', { networkFee: 'included' })).toEqual(NOTHING);
  expect(sold('2.9')).toMatchObject([
    {
      difference: '1.59',
      explanation:
        'The fee is 4.49 EUR; version 2026-1 of the price list (line 12: 2.9 % of 100.00 EUR) allows 2.90 EUR: 1.59 EUR more (54.8 %).',
    },
  ]);
});

test("the host's own fee on top is no overcharge of the partner; a share of the base fee is inside it", () => {
  const found = (figures: Record<string, string>, line: Partial<PriceLine> = {}) => {
    const state = aPurchase(Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, dec(figure)])));
    return ask(feeDiffersFromContract, aCase({ state }), { ...someTerms(), prices: prices(line) });
  };
  const onTop = { fiatValue: '105.76', appliedFee: '5.76', hostFeeCut: '1' };
  expect(found(onTop)).toEqual(NOTHING);
  expect(found(onTop, { percent: dec('4.9'), hostFee: 'included' })).toEqual(NOTHING);
  expect(found({ hostFeeCut: '1' })).toEqual(NOTHING);
  expect(found(onTop, { percent: dec('3') })).toMatchObject([
    {
      difference: '0.9',
      explanation:
        "The fee is 5.76 EUR; version 2026-1 of the price list (line 12: 3 % of 100.00 EUR, the network fee on top, the host's fee on top) allows 4.86 EUR: 0.90 EUR more (18.5 %).",
    },
  ]);
  expect(found(onTop, { hostFee: 'included' })).toMatchObject([{ difference: '1' }]);
});

test('without a list there is nothing to compare with', () => {
  expect(ask(feeDiffersFromContract, aCase())).toEqual(NOT_APPLICABLE);
});

test('a record from before the contract has no price', () => {
  expect(
    fields(prices({ percent: dec('1') }), aCase({ state: aPurchase({ createdAt: at('2025-12-31 23:59') }) })),
  ).toEqual(NOT_APPLICABLE);
});

test('the sentence names the line; the difference is the loss where quote and charge agree', () => {
  const terms = { ...someTerms(), prices: prices({ percent: dec('2.9') }) };
  expect(ask(feeDiffersFromContract, aCase(), terms)).toEqual([
    {
      field: 'applied_fee',
      expected: '3.76',
      actual: '4.76',
      difference: '1',
      unit: 'money',
      loss: '1',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The fee is 4.76 EUR; version 2026-1 of the price list (line 12: 2.9 % of 100.00 EUR, the network fee on top) ' +
        'allows 3.76 EUR: 1.00 EUR more (26.6 %).',
    },
  ]);
  expect(ask(feeDiffersFromContract, aCase(), { ...terms, prices: prices({}) })).toEqual(NOTHING);
});

test('a run keeps the list that it judged by, every digit of it', () => {
  const { asOf: _asOf, ...rest } = someTerms();
  const terms = {
    ...rest,
    rules: {},
    prices: prices({ percent: dec('1.990000000000000001'), amount: { from: dec('0'), to: dec('5') } }),
  };
  expect(thawTerms(freezeTerms(terms)).prices).toEqual(terms.prices);
});
