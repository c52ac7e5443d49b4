import { expect, test } from 'vitest';
import { feeOutOfBounds } from '../../src/rules/fee-out-of-bounds.ts';
import { figuresOf } from '../../src/rules/judge-case.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  type CaseOverrides,
  NO_REFERENCE,
  type StateOverrides,
  someGlobalTerms,
  someReference,
  someTerms,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

// Published: at least the lower of 2.49 EUR and 0.99 %, at most the higher of 2.49 EUR and 3.9 %. The value is 100 EUR.
const charging = (state: StateOverrides) => aCase({ state: aPurchase(state) });

test('above the maximum', () => {
  expect(ask(feeOutOfBounds, charging({ appliedFee: '9.86' }))).toEqual([
    {
      field: 'service_fee',
      expected: '3.9',
      actual: '9',
      difference: '5.1',
      unit: 'money',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The fee without the network fee is 9.00 EUR (9.0 % of 100.00 EUR); the published maximum is 3.90 EUR ' +
        '(the higher of 2.49 EUR and 3.9 %, as of 2026-11-01 09:00 UTC): 5.10 EUR more.',
    },
  ]);
});

test('above the maximum is a loss only where the quote does not measure it: one promise, one measure', () => {
  const state = { appliedFee: '9.86' };
  expect(ask(feeOutOfBounds, aCase({ state: aPurchase(state), quote: null }))).toMatchObject([{ loss: '5.1' }]);
  const asQuoted = aMatchedQuote({ method: { appliedFee: '9.86' } });
  expect(ask(feeOutOfBounds, aCase({ state: aPurchase(state), quote: asQuoted }))).toMatchObject([{ loss: '5.1' }]);
  const [measured] = ask(feeOutOfBounds, charging(state));
  expect(measured).not.toHaveProperty('loss');
});

test('what the host was to have of the quoted fee, and the Service kept, is no loss of the user', () => {
  const quote = aMatchedQuote({ method: { appliedFee: '6.86', hostFeeCut: '2.50' } });
  const kept = (hostFeeCut: string) =>
    ask(feeOutOfBounds, aCase({ state: aPurchase({ appliedFee: '6.86', hostFeeCut }), quote }));
  expect(kept('2.50')).toEqual(NOTHING);
  expect(kept('0.50')).toMatchObject([{ actual: '5.5', difference: '1.6' }]);
  expect(kept('0.50')).not.toMatchObject([{ loss: '1.6' }]);
});

test('a fee as quoted is held against the value that it was quoted for: a network fee of 1 EUR more makes it a larger share', () => {
  const charged = (baseFee: string, appliedFee: string, cryptoUnits: bigint) =>
    ask(feeOutOfBounds, charging({ baseFee, networkFee: '1.86', appliedFee, cryptoUnits }));
  expect(charged('3.90', '5.76', 39_600_000_000_000_000n)).toEqual(NOTHING);
  expect(charged('4.00', '5.86', 39_560_000_000_000_000n)).toMatchObject([{ actual: '4' }]);
});

test('below the minimum is only worth a remark: a discount, as a rule', () => {
  expect(ask(feeOutOfBounds, charging({ appliedFee: '1.36' }))).toEqual([
    {
      severity: 'info',
      field: 'service_fee',
      expected: '0.99',
      actual: '0.5',
      difference: '-0.49',
      unit: 'money',
      currency: 'EUR',
      tolerance: '0.01',
      explanation:
        'The fee without the network fee is 0.50 EUR (0.5 % of 100.00 EUR); the published minimum is 0.99 EUR ' +
        '(the lower of 2.49 EUR and 0.99 %, as of 2026-11-01 09:00 UTC): 0.49 EUR less.',
    },
  ]);
});

test('for small amounts the minimum amount is the highest fee, at any percentage', () => {
  const small = { cryptoUnits: 4_000_000_000_000_000n, fiatValue: '13.35' };
  expect(ask(feeOutOfBounds, charging({ ...small, appliedFee: '3.35' }))).toEqual(NOTHING);
  expect(ask(feeOutOfBounds, charging({ ...small, appliedFee: '3.37' }))).toMatchObject([
    { expected: '2.49', actual: '2.51', difference: '0.02' },
  ]);
});

test('for large ones it is the lowest: a percentage below the published one is no discount then', () => {
  const large = { cryptoUnits: 4_000_000_000_000_000_000n };
  expect(fieldsOf(feeOutOfBounds, charging({ ...large, appliedFee: '3.35' }))).toEqual([]);
  expect(fieldsOf(feeOutOfBounds, charging({ ...large, appliedFee: '3.33' }))).toEqual(['service_fee']);
});

test('the bound itself and a cent beyond it are within', () => {
  expect(fieldsOf(feeOutOfBounds, charging({ appliedFee: '4.77' }))).toEqual([]);
  expect(fieldsOf(feeOutOfBounds, charging({ appliedFee: '4.7701' }))).toEqual(['service_fee']);
  expect(fieldsOf(feeOutOfBounds, charging({ appliedFee: '1.84' }))).toEqual([]);
  expect(fieldsOf(feeOutOfBounds, charging({ appliedFee: '1.8399' }))).toEqual(['service_fee']);
});

test('without a network fee in the body the whole fee counts', () => {
  expect(ask(feeOutOfBounds, charging({ networkFee: null, appliedFee: '4.76' }))).toMatchObject([{ actual: '4.76' }]);
});

test('a fee that nothing bounds is not judged, and says so; one that was promised is', () => {
  const answerTo = (over: CaseOverrides) => {
    const subject = aCase({ reference: NO_REFERENCE, ...over });
    const terms = someTerms();
    return feeOutOfBounds.check({ ...subject, terms, ...figuresOf(subject, terms) });
  };
  const notJudged = { notJudged: 'no list of its time was captured' };
  expect(answerTo({ quote: null })).toEqual(notJudged);
  const inYen = someReference({ global: someGlobalTerms({ currencyCode: 'JPY' }) });
  expect(answerTo({ quote: null, reference: inYen })).toEqual(notJudged);
  expect(answerTo({})).toBe('not-applicable');
  expect(answerTo({ state: aPurchase({ appliedFee: '9.00', baseFee: '8.14' }) })).toEqual(notJudged);
  expect(answerTo({ quote: null, state: aPurchase({ appliedFee: null }) })).toBe('not-applicable');
  // The off-ramp publishes nothing: no list would tell more.
  const sale = aSale({ appliedFee: '12.50', exchangeRate: '2500' });
  expect(answerTo({ quote: null, kind: 'sale', state: sale })).toEqual(NOTHING);
  const inPln = { fiatCurrency: 'PLN', exchangeRate: '10000', exchangeRateEur: '2500', cryptoUnits: 10n ** 16n };
  const small = (appliedFee: string) => answerTo({ quote: null, kind: 'sale', state: aSale({ ...inPln, appliedFee }) });
  expect(small('12.01')).toEqual(NOTHING);
  expect(small('12.50')).toMatchObject([{ field: 'service_fee', severity: 'medium', currency: 'PLN' }]);
});

const OFFRAMP = someReference({
  global: someGlobalTerms({ minFeeAmount: null, minFeePercent: null, maxFeePercent: null }),
});

test.each([
  ['12.51', '0.1', []],
  ['12.52', '0.1', [{ severity: 'medium', expected: '12.5', difference: '0.02' }]],
  ['50', '0.1', [{ severity: 'medium', expected: '12.5', difference: '37.5' }]],
  ['3.00', '0.004', []],
  ['3.02', '0.004', [{ severity: 'medium', expected: '3', difference: '0.02' }]],
])('a fee of %s for a sale of %s ETH, without a quote: at most 5 %, or 3 EUR', (appliedFee, tokens, found) => {
  const cryptoUnits = BigInt(Math.round(Number(tokens) * 1000)) * 10n ** 15n;
  const state = aSale({ appliedFee, cryptoUnits, exchangeRate: '2500' });
  const subject = aCase({ kind: 'sale', state, quote: null, reference: OFFRAMP });
  const [first, ...others] = ask(feeOutOfBounds, subject);
  expect([first, ...others].filter((each) => each !== undefined)).toMatchObject(found);
  // Known ceilings are no promise, so nothing can be claimed by them.
  expect(first ?? {}).not.toHaveProperty('loss');
});

test.each([
  [
    'the figures are in another currency',
    aCase({ reference: someReference({ global: someGlobalTerms({ currencyCode: 'USD' }) }) }),
  ],
  [
    'the off-ramp has none, and a quote promised the fee',
    aCase({
      state: aSale({ appliedFee: '12.50', exchangeRate: '2500' }),
      quote: aMatchedQuote({ method: { appliedFee: '12.50' } }),
      reference: OFFRAMP,
    }),
  ],
  ['there is no value to take a percentage of', charging({ cryptoUnits: 0n })],
  ['there is no body', aCase({ observation: anUnreachable() })],
])('not applicable where %s', (_, subject) => {
  expect(ask(feeOutOfBounds, subject)).toEqual(NOT_APPLICABLE);
});
