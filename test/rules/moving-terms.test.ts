/** Limits and bounds at a moving rate, a host's fee on top, and ceilings by method and currency. */
import { expect, test } from 'vitest';
import { median } from '../../src/domain/survey.ts';
import { amountOutOfLimits } from '../../src/rules/amount-out-of-limits.ts';
import { feeOutOfBounds } from '../../src/rules/fee-out-of-bounds.ts';
import {
  aCase,
  aMatchedQuote,
  aPurchase,
  at,
  dec,
  someAssetTerms,
  someGlobalTerms,
  someReference,
  someTerms,
  someTolerances,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

const IN_POUNDS = { fiatCurrency: 'GBP', minPurchaseAmount: '5', maxPurchaseAmount: '13000' };
const pounds = someReference({
  global: someGlobalTerms({ currencyCode: 'GBP', minPurchaseAmount: '5', maxPurchaseAmount: '13000' }),
});

test.each([
  ['13195', []],
  ['13196', ['fiat_value']],
  ['4.93', []],
  ['4.92', ['fiat_value']],
])('%s GBP against limits of last night from 5 to 13,000: the rate may have moved by 1.5 %%', (fiatValue, fields) => {
  const state = aPurchase({ fiatCurrency: IN_POUNDS.fiatCurrency, fiatValue });
  expect(fieldsOf(amountOutOfLimits, aCase({ state, reference: pounds, quote: null }))).toEqual(fields);
});

test("with the rate of the list and the body's own, the limit is exact to a thousandth", () => {
  const asset = { ...someAssetTerms({ price: '2000' }), priceEur: dec('2400') };
  const reference = { ...pounds, asset };
  const ask = (fiatValue: string, fiatRateEur: string) => {
    const state = aPurchase({ fiatCurrency: 'GBP', fiatValue, fiatRateEur });
    return fieldsOf(amountOutOfLimits, aCase({ state, reference, quote: null }));
  };
  // 13,000 at 1.2 are 15,600 EUR; at 1.25 they are 12,480 pounds, and a thousandth more.
  expect(ask('12492', '1.25')).toEqual([]);
  expect(ask('12493', '1.25')).toEqual(['fiat_value']);
});

test("the two prices of a body of the specification's own shape widen it, and never narrow it", () => {
  const reference = { ...pounds, asset: { ...someAssetTerms({ price: '2000' }), priceEur: dec('2400') } };
  const ask = (fiatValue: string, exchangeRateEur: string) => {
    const rates = { exchangeRate: '2000', exchangeRateEur, fiatRateEur: null };
    const state = aPurchase({ fiatCurrency: 'GBP', fiatValue, ...rates });
    return fieldsOf(amountOutOfLimits, aCase({ state, reference, quote: null }));
  };
  // 15,600 EUR at 1.25 are fewer pounds than were published, at 1.1 more of them: 14,181.81.
  expect([ask('13195', '2500'), ask('13196', '2500')]).toEqual([[], ['fiat_value']]);
  expect([ask('14394', '2200'), ask('14395', '2200')]).toEqual([[], ['fiat_value']]);
});

test('between the lists on both sides of it, and a little around them', () => {
  const global = someGlobalTerms({ currencyCode: 'GBP', minPurchaseAmount: '5', maxPurchaseAmount: '14000' });
  const after = { assets: { capturedAt: at('2026-11-02 00:00'), global, asset: null } };
  const state = (fiatValue: string) => aPurchase({ fiatCurrency: 'GBP', fiatValue });
  const ask = (fiatValue: string) =>
    fieldsOf(amountOutOfLimits, aCase({ state: state(fiatValue), reference: { ...pounds, after }, quote: null }));
  expect(ask('14210')).toEqual([]);
  expect(ask('14211')).toEqual(['fiat_value']);
});

test("the least fee is that of the body's rate, of the list, or of the quote, whose moment fixed it", () => {
  const global = someGlobalTerms({ currencyCode: 'GBP', minFeeAmount: '2.00' });
  // 2.40 EUR: 1.98 GBP at the body's rate, 2.00 by the list, 2.05 when it was quoted.
  const asset = { ...someAssetTerms({ price: '2000' }), priceEur: dec('2400') };
  const reference = someReference({ global, asset });
  const found = (base: string, quote: ReturnType<typeof aMatchedQuote> | null) => {
    const fees = { baseFee: base, networkFee: '0.86', appliedFee: dec(base).plus(dec('0.86')).toString() };
    const state = aPurchase({ fiatCurrency: 'GBP', fiatRateEur: '1.21', cryptoUnits: 4_000_000_000_000_000n, ...fees });
    return ask(feeOutOfBounds, aCase({ state, reference, quote }));
  };
  const quoted = (fiatRateEur?: string) =>
    aMatchedQuote({
      quote: { fiatCurrency: 'GBP', ...(fiatRateEur === undefined ? {} : { fiatRateEur: dec(fiatRateEur) }) },
    });
  expect(found('2.01', null)).toEqual(NOTHING);
  expect(found('2.05', null)).toMatchObject([{ field: 'service_fee' }]);
  expect(found('2.05', quoted())).toMatchObject([{ field: 'service_fee' }]);
  expect(found('2.05', quoted('1.17'))).toEqual(NOTHING);
  expect(found('2.08', quoted('1.17'))).toMatchObject([{ field: 'service_fee' }]);
  // A v3 quote prices its asset in both currencies.
  const none = { minPurchaseAmount: null, maxPurchaseAmount: null, minPurchaseCryptoUnits: null };
  const assetTerms = { ...none, currencyCode: 'GBP', price: '2000' };
  const priced = aMatchedQuote({ quote: { fiatCurrency: 'GBP', exchangeRateEur: dec('2340'), assetTerms } });
  expect(found('2.05', priced)).toEqual(NOTHING);
  expect(found('2.08', priced)).toMatchObject([{ field: 'service_fee' }]);
});

test('a least fee that was fixed between two lists lies between theirs, whatever the rate of the body', () => {
  const listedAt = (amount: string) => someGlobalTerms({ currencyCode: 'GBP', minFeeAmount: amount });
  const reference = someReference({
    global: listedAt('2.00'),
    asset: { ...someAssetTerms({ price: '2000' }), priceEur: dec('2400') },
  });
  const after = { assets: { capturedAt: at('2026-11-01 12:00'), asset: null, global: listedAt('2.04') } };
  const found = (base: string) => {
    const fees = { baseFee: base, networkFee: '0.86', appliedFee: dec(base).plus(dec('0.86')).toString() };
    const state = aPurchase({ fiatCurrency: 'GBP', fiatRateEur: '1.21', cryptoUnits: 4_000_000_000_000_000n, ...fees });
    return fieldsOf(feeOutOfBounds, aCase({ state, reference: { ...reference, after }, quote: null }));
  };
  expect(found('2.06')).toEqual([]);
  expect(found('2.07')).toEqual(['service_fee']);
});

test('the least fee of an order that nobody pays is that of the day on which it is read', () => {
  const global = someGlobalTerms({ currencyCode: 'GBP', minFeeAmount: '2.00' });
  const found = (base: string, receivedAt: string) => {
    const fees = { baseFee: base, networkFee: '0.86', appliedFee: dec(base).plus(dec('0.86')).toString() };
    const rates = { fiatCurrency: 'GBP', exchangeRateEur: null, fiatRateEur: null };
    const state = { ...rates, ...fees, status: 'EXPIRED', finalTxHash: null, cryptoUnits: 4_000_000_000_000_000n };
    const reference = someReference({ global });
    return fieldsOf(
      feeOutOfBounds,
      aCase({ state: aPurchase(state), reference, quote: null, receivedAt: at(receivedAt) }),
    );
  };
  expect(found('2.04', '2026-11-01 23:00')).toEqual([]);
  expect(found('2.06', '2026-11-01 23:00')).toEqual(['service_fee']);
  expect(found('2.06', '2026-11-05 10:00')).toEqual([]);
  expect(found('2.09', '2026-11-05 10:00')).toEqual(['service_fee']);
});

test('a list may have two places of a currency that has three', () => {
  const reference = someReference({ global: someGlobalTerms({ currencyCode: 'KWD', minFeeAmount: '0.08' }) });
  const found = (baseFee: string) => {
    const fees = { baseFee, networkFee: '0', appliedFee: baseFee, fiatRateEur: null };
    const state = aPurchase({ fiatCurrency: 'KWD', exchangeRate: '25', fiatValue: '1', ...fees });
    return ask(feeOutOfBounds, aCase({ state, reference, quote: null }));
  };
  expect(found('0.09')).toEqual(NOTHING);
  expect(found('0.092')).toMatchObject([{ field: 'service_fee' }]);
});

test('a rounded amount moves with the rate of the body from where it was before it was rounded', () => {
  // 2.49 EUR are 0.9049 KWD and are listed as 0.90; at the rate of the body they are 0.9153.
  const asset = { ...someAssetTerms({ price: '1000' }), priceEur: dec('2751.7') };
  const reference = someReference({ global: someGlobalTerms({ currencyCode: 'KWD', minFeeAmount: '0.90' }), asset });
  const found = (baseFee: string) => {
    const fees = { baseFee, networkFee: '0', appliedFee: baseFee, fiatRateEur: '2.7204' };
    const state = aPurchase({ fiatCurrency: 'KWD', exchangeRate: '250', fiatValue: '10', ...fees });
    return fieldsOf(feeOutOfBounds, aCase({ state, reference, quote: null }));
  };
  expect(found('0.916')).toEqual([]);
  expect(found('0.919')).toEqual(['service_fee']);
});

// 0.04 ETH at 2,500 EUR: 3.9 % are 3.90.
const charged = (fee: string, over: Record<string, string | null> = {}) => aPurchase({ appliedFee: fee, ...over });

test.each([
  ['5.76', '1.00', []],
  ['5.80', '1.00', ['service_fee']],
  ['5.80', null, ['service_fee']],
])('a fee of %s with 0.86 for the network and %s for the host', (fee, hostFeeCut, fields) => {
  expect(fieldsOf(feeOutOfBounds, aCase({ state: charged(fee, { hostFeeCut }), quote: null }))).toEqual(fields);
});

test('a host fee that was quoted and is not stated could be what is too much', () => {
  const quote = aMatchedQuote({ method: { hostFeeCut: '1' } });
  expect(ask(feeOutOfBounds, aCase({ state: charged('5.70', { hostFeeCut: null }), quote }))).toEqual(NOT_APPLICABLE);
  expect(fieldsOf(feeOutOfBounds, aCase({ state: charged('6.70', { hostFeeCut: null }), quote }))).toEqual([
    'service_fee',
  ]);
});

test('so could the fee that a v1 quote adds to base and network fee, up to a fiftieth of the value', () => {
  const added = (appliedFee: string) => aMatchedQuote({ method: { appliedFee, networkFee: '0.86', baseFee: '3.9' } });
  const ofQuoted = (fee: string) =>
    ask(feeOutOfBounds, aCase({ state: charged(fee, { hostFeeCut: null }), quote: added(fee) }));
  expect(ofQuoted('5.76')).toEqual(NOT_APPLICABLE);
  expect(ofQuoted('6.7')).toEqual(NOT_APPLICABLE);
  expect(ofQuoted('6.78')).toHaveLength(1);
});

test('none is on top where base and network fee leave nothing of the applied fee: the base fee alone is too much', () => {
  const terms = someTerms({
    feeCeilings: [{ methods: null, currencies: null, percent: dec('5.45'), from: 0, to: null }],
  });
  // 9 % less a promotion's fifth; the host's cut of it is a quarter of the base fee, and the body does not state it.
  const fees = { baseFee: '9', hostFeeCut: '2.25' };
  const ofBase = (baseFee: string) => {
    const quote = aMatchedQuote({ method: { ...fees, baseFee, appliedFee: '8.06', networkFee: '0.86' } });
    return ask(feeOutOfBounds, aCase({ state: charged('8.06', { baseFee, hostFeeCut: null }), quote }), terms);
  };
  const found = ofBase('9');
  expect(found).toMatchObject([{ field: 'service_fee', actual: '7.2' }]);
  // No remark, but a break.
  expect(found[0]).not.toHaveProperty('severity');
  expect(ofBase('4.95')).toEqual(NOT_APPLICABLE);
});

test('a purchase without a quote may hold the host fee that most quotes of its night have', () => {
  const terms = someTerms({ hostShare: dec('0.01') });
  const without = (fee: string) => aCase({ state: charged(fee, { hostFeeCut: null }), quote: null });
  expect(ask(feeOutOfBounds, without('5.76'), terms)).toEqual(NOT_APPLICABLE);
  // A unit more: both sides may round the host fee.
  expect(ask(feeOutOfBounds, without('5.78'), terms)).toEqual(NOT_APPLICABLE);
  expect(ask(feeOutOfBounds, without('5.79'), terms)).toHaveLength(1);
  expect(ask(feeOutOfBounds, without('5.76'))).toHaveLength(1);
});

test('a v1 quote has no field for the host fee: that of its night may be in what it leaves, however large', () => {
  const feeCeilings = [{ methods: ['CARD_PAYMENT'], currencies: null, percent: dec('3.9'), from: 0, to: null }];
  const terms = someTerms({ hostShare: dec('0.025'), feeCeilings });
  const asked = (api: 'v1' | 'v3', by = terms) => {
    const method = { baseFee: '3.9', appliedFee: '7.26', networkFee: '0.86' };
    const quote = aMatchedQuote({ method, quote: { api } });
    return ask(feeOutOfBounds, aCase({ state: charged('7.26', { baseFee: '3.9', hostFeeCut: null }), quote }), by);
  };
  expect(asked('v1')).toEqual(NOT_APPLICABLE);
  expect(asked('v1', someTerms({ feeCeilings }))).toHaveLength(1);
  expect(asked('v3')).toHaveLength(1);
  const other = aCase({ state: charged('7.26', { hostFeeCut: null }), quote: aMatchedQuote({ method: null }) });
  expect(ask(feeOutOfBounds, other, terms)).toEqual(NOT_APPLICABLE);
});

test('the share in the middle counts: a quote with another one moves nothing', () => {
  const middle = (...counts: [string, number][]) => median(new Map(counts)).toString();
  expect(middle(['0.01', 60], ['0', 20], ['0.3', 20])).toBe('0.01');
  expect(middle(['0.01', 40], ['0', 60])).toBe('0');
  expect(middle()).toBe('0');
});

test('a negative fee is always found', () => {
  expect(ask(feeOutOfBounds, aCase({ state: charged('0.85') }))).toMatchObject([
    { severity: 'medium', expected: '0', actual: '-0.01' },
  ]);
  expect(ask(feeOutOfBounds, aCase({ state: charged('0.86') }))).toMatchObject([{ severity: 'info' }]);
});

test('above the published maximum and not above the ceiling of method and currency is a remark', () => {
  const terms = someTerms({
    feeCeilings: [{ methods: ['CARD_PAYMENT'], currencies: null, percent: dec('5.45'), from: 0, to: null }],
  });
  expect(ask(feeOutOfBounds, aCase({ state: charged('6.31'), quote: null }), terms)).toMatchObject([
    { severity: 'info' },
  ]);
  // Bodies carry binary fractions: 5.45 % comes out above itself.
  expect(ask(feeOutOfBounds, aCase({ state: charged('6.310000000000001'), quote: null }), terms)).toMatchObject([
    { severity: 'info' },
  ]);
  const [above] = ask(feeOutOfBounds, aCase({ state: charged('6.40'), quote: null }), terms);
  expect(above).not.toHaveProperty('severity');
  expect(ask(feeOutOfBounds, aCase({ state: charged('4.76'), quote: null }), terms)).toEqual(NOTHING);
});

test('a fee on top of which the host has its own is promised where the base fee is the quoted one', () => {
  const found = (quotedBase: string) => {
    const quote = aMatchedQuote({ method: { baseFee: quotedBase, networkFee: '0.46', hostFeeCut: '0.5' } });
    const state = charged('6.36', { hostFeeCut: '0.5', baseFee: '5' });
    return ask(feeOutOfBounds, aCase({ state, quote }), someTerms({ feeCeilings: [] }));
  };
  expect(found('5')).toMatchObject([{ severity: 'info' }]);
  expect(found('4')[0]).not.toHaveProperty('severity');
});

test('a whole fee as quoted is within its bounds by the network fee that was quoted, where that became lower since', () => {
  const found = (baseFee: string, appliedFee = '4.76') => {
    const quote = aMatchedQuote({ method: { baseFee: '3.9', networkFee: '0.86', appliedFee: '4.76' } });
    const state = charged(appliedFee, { baseFee, networkFee: '0.7' });
    return fieldsOf(feeOutOfBounds, aCase({ state, quote }));
  };
  expect(found('3.9')).toEqual([]);
  expect(found('4.06')).toEqual(['service_fee']);
  expect(found('3.9', '4.80')).toEqual(['service_fee']);
});

test('a percentage is of the value before the tokens were rounded down to whole units: of a satoshi that is more than a haléř', () => {
  const terms = someTerms({
    feeCeilings: [{ methods: ['CARD_PAYMENT'], currencies: null, percent: dec('5.45'), from: 0, to: null }],
    tolerances: someTolerances({ fiat: { absolute: 'minor-unit', relative: dec('0') } }),
  });
  const global = someGlobalTerms({ currencyCode: 'CZK', minFeeAmount: '980' });
  const reference = someReference({ global });
  const asset = { chain: 'BTC', symbol: 'BTC', decimals: 8, address: null };
  // 37,471.43 CZK buy 156,130.96 satoshi, of which 156,130 are delivered: 37,471.20 CZK.
  const card = (own: string, baseFee = own, hostShare?: string) => {
    const fees = { appliedFee: own, networkFee: '0', baseFee };
    const amounts = { cryptoUnits: 156_130n, exchangeRate: '24000000', fiatValue: '39513.62' };
    const state = aPurchase({ fiatCurrency: 'CZK', asset, ...amounts, ...fees });
    const night = hostShare === undefined ? terms : { ...terms, hostShare: dec(hostShare) };
    return ask(feeOutOfBounds, aCase({ state, reference, quote: null }), night);
  };
  // With 1 % for the host, which the body does not state.
  expect(card('2416.9072', '2042.193', '0.01')).toEqual(NOT_APPLICABLE);
  expect(card('2416.95', '2042.193', '0.01')).toHaveLength(1);
  expect(card('2042.193')).toMatchObject([{ severity: 'info' }]);
  expect(card('2042.21')[0]).not.toHaveProperty('severity');
});
