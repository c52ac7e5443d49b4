import { expect, test } from 'vitest';
import type { Case } from '../../src/domain/case.ts';
import { restated } from '../../src/rules/restated.ts';
import {
  aCase,
  anUnreachable,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  dec,
  type StateOverrides,
} from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

/** A purchase that was first seen as released, and is what the second argument says tonight. */
function restatement(was: StateOverrides, is: StateOverrides) {
  const firstTerminal = aSnapshot(aPurchase(was), at('2026-11-02 04:15'));
  return aCase({ state: aPurchase(is), history: { firstTerminal }, receivedAt: at('2026-11-09 04:15') });
}

test('a fee that changed after the end is a finding with both figures', () => {
  expect(ask(restated, restatement({}, { appliedFee: '6.26' }))).toEqual([
    {
      field: 'applied_fee',
      expected: '4.76',
      actual: '6.26',
      difference: '1.5',
      unit: 'money',
      currency: 'EUR',
      tolerance: '0',
      explanation:
        'The applied fee was 4.76 EUR when the purchase was first seen as RELEASED (2026-11-02 04:15 UTC) ' +
        'and is 6.26 EUR now: 1.50 EUR more.',
    },
  ]);
});

function lossOf(subject: Case) {
  const answer = ask(restated, subject);
  return typeof answer === 'string' ? undefined : answer[0]?.loss;
}

test.each<[string, Parameters<typeof aCase>[0], string | undefined]>([
  ['the change, where no fee was promised', { quote: null }, '-1.5'],
  ['nothing, where a fee was quoted: the rule that compares with the quote measures it', {}, undefined],
  ['nothing, where a fee was shown', { quote: null, tracked: { shown: { total: null, fee: dec('4.76') } } }, undefined],
])('the loss is %s', (_, promise, loss) => {
  const firstTerminal = aSnapshot(aPurchase({ appliedFee: '6.26' }), at('2026-11-02 04:15'));
  const subject = aCase({ state: aPurchase({ appliedFee: '4.76' }), history: { firstTerminal }, ...promise });
  expect(ask(restated, subject)).toMatchObject([{ field: 'applied_fee', difference: '-1.5' }]);
  expect(lossOf(subject)).toBe(loss);
});

test('a sale may end without ever having had a status', () => {
  const firstTerminal = aSnapshot(aSale({ appliedFee: '3' }), at('2026-11-02 04:15'));
  const subject = aCase({ state: aSale({ appliedFee: '4' }), history: { firstTerminal } });
  expect(ask(restated, subject)).toMatchObject([
    {
      explanation:
        'The applied fee was 3.00 EUR when the sale was first seen finished (2026-11-02 04:15 UTC) and is 4.00 EUR now: ' +
        '1.00 EUR more.',
    },
  ]);
});

test('a change below the minor unit is shown with as many digits as it takes', () => {
  expect(ask(restated, restatement({ baseFee: '3.9' }, { baseFee: '3.8996' }))).toMatchObject([
    {
      difference: '-0.0004',
      explanation: expect.stringMatching(/was 3\.9000 EUR .* and is 3\.8996 EUR now: 0\.0004 EUR less\.$/),
    },
  ]);
});

test.each<[string, StateOverrides, StateOverrides, number]>([
  ['a fee in its sixteenth digit', { appliedFee: '15.615583926640' }, { appliedFee: '15.615583926640001' }, 0],
  ['a fee in its eleventh digit', { appliedFee: '15.615583926' }, { appliedFee: '15.615583927' }, 1],
  [
    'a rate of many zeros in its last digit',
    { exchangeRate: '0.00001843201' },
    { exchangeRate: '0.000018432010000000001' },
    0,
  ],
  [
    'a rate of many zeros in its seventh digit',
    { exchangeRate: '0.00001843201' },
    { exchangeRate: '0.00001843202' },
    1,
  ],
  ['a hash in capitals', { finalTxHash: `0x${'ab'.repeat(32)}` }, { finalTxHash: `0x${'AB'.repeat(32)}` }, 0],
  ['a hash without its prefix', { finalTxHash: 'cd'.repeat(32) }, { finalTxHash: 'CD'.repeat(32) }, 0],
  ['a signature of Solana in another case', { finalTxHash: 'z'.repeat(88) }, { finalTxHash: 'Z'.repeat(88) }, 1],
])('what a double or a hexadecimal digit may do is no change: %s', (_, was, is, found) => {
  expect(ask(restated, restatement(was, is))).toHaveLength(found);
});

test('a rate has no currency of its own', () => {
  expect(ask(restated, restatement({}, { exchangeRate: '2510.25' }))).toEqual([
    {
      field: 'exchange_rate',
      expected: '2500',
      actual: '2510.25',
      difference: '10.25',
      unit: 'rate',
      tolerance: '0',
      explanation:
        'The exchange rate was 2500 when the purchase was first seen as RELEASED (2026-11-02 04:15 UTC) and is 2510.25 now.',
    },
  ]);
});

test('a figure or hash that is gone is a restatement; the sentence says so', () => {
  expect(ask(restated, restatement({}, { networkFee: null, finalTxHash: null }))).toEqual([
    {
      field: 'network_fee',
      expected: '0.86',
      actual: null,
      explanation:
        'The network fee was 0.86 EUR when the purchase was first seen as RELEASED (2026-11-02 04:15 UTC) and is gone now.',
    },
    {
      field: 'final_tx_hash',
      expected: '0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
      actual: null,
      explanation:
        'The transaction hash was 0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed when the purchase was first seen as RELEASED (2026-11-02 04:15 UTC) and is gone now.',
    },
  ]);
});

test('what a body need not state is no restatement where it is gone: rates in EUR, and of a sale all but its amounts', () => {
  const rates = { exchangeRateEur: '2500', fiatRateEur: '1' };
  expect(ask(restated, restatement(rates, { exchangeRateEur: null, fiatRateEur: null }))).toEqual(NOTHING);
  expect(ask(restated, restatement({ hostFeeCut: '1' }, { hostFeeCut: null }))).toMatchObject([{ severity: 'info' }]);
  const [other] = ask(restated, restatement({ hostFeeCut: '1' }, { hostFeeCut: '0' }));
  expect(other).not.toHaveProperty('severity');
  const announced = aSale({
    ...rates,
    status: 'RELEASED',
    exchangeRate: '2500',
    appliedFee: '1',
    finalTxHash: '0xabc',
  });
  const history = { firstTerminal: aSnapshot(announced, at('2026-11-02 04:15')) };
  expect(ask(restated, aCase({ state: aSale({ finalTxHash: null }), history }))).toEqual(NOTHING);
  expect(ask(restated, aCase({ state: aSale({ finalTxHash: '0xdef' }), history }))).toHaveLength(1);
});

test.each([
  ['base_fee', { baseFee: '3.91' }, 'The base fee was 3.90 EUR'],
  ['network_fee', { networkFee: '0.87' }, 'The network fee was 0.86 EUR'],
  ['host_fee_cut', { hostFeeCut: '0.11' }, 'The host fee cut was 0.10 EUR'],
  ['exchange_rate_eur', { exchangeRateEur: '2500.01' }, 'The exchange rate in EUR was 2500'],
  ['fiat_rate_eur', { fiatRateEur: '1.01' }, 'The rate of EUR in EUR was 1'],
  [
    'final_tx_hash',
    { finalTxHash: '0xbeef' },
    'The transaction hash was 0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
  ],
] as const)('%s is watched', (field, is, told) => {
  expect(ask(restated, restatement({ hostFeeCut: '0.10' }, { hostFeeCut: '0.10', ...is }))).toMatchObject([
    { field, explanation: expect.stringMatching(new RegExp(`^${told} when the purchase was first seen as RELEASED `)) },
  ]);
});

test.each([
  ['nothing changed', {}, {}],
  ['the same numbers are written otherwise', { appliedFee: '4.760', exchangeRate: '2.5e3' }, {}],
  ['something was filled in', { hostFeeCut: null, finalTxHash: null }, { hostFeeCut: '0.10' }],
  ['the status changed, which another rule reports', {}, { status: 'CANCELLED' }],
  ['the fiat value changed, which another rule reports', {}, { fiatValue: '200' }],
  ['the currency changed, which another rule reports', {}, { fiatCurrency: 'USD', appliedFee: '5.40' }],
] as const)('no restatement where %s', (_, was, is) => {
  expect(ask(restated, restatement(was, is))).toEqual(NOTHING);
});

test('a record that never ended cannot be restated; neither can one that was not read', () => {
  const { history } = restatement({}, {});
  expect(ask(restated, aCase())).toEqual(NOT_APPLICABLE);
  expect(ask(restated, aCase({ history, observation: anUnreachable() }))).toEqual(NOT_APPLICABLE);
});
