import { expect, test } from 'vitest';
import { fieldChanged } from '../../src/rules/field-changed.ts';
import { figuresOf } from '../../src/rules/judge-case.ts';
import {
  aCase,
  anUnreachable,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  ETH,
  type StateOverrides,
  someTerms,
  USDC,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

function changed(was: StateOverrides, is: StateOverrides) {
  const first = aSnapshot(aPurchase(was), at('2026-11-01 10:01'));
  return aCase({ state: aPurchase(is), history: { first } });
}

const FIRST_SEEN = 'when the purchase was first seen (2026-11-01 10:01 UTC)';

test.each([
  [
    'the address',
    { receiverAddress: '0xaaaa' },
    { receiverAddress: '0xbbbb' },
    {
      field: 'receiver_address',
      expected: '0xaaaa',
      actual: '0xbbbb',
      explanation: `The receiver address was 0xaaaa ${FIRST_SEEN} and is 0xbbbb now.`,
    },
  ],
  [
    'the fiat value',
    {},
    { fiatValue: '110' },
    {
      field: 'fiat_value',
      expected: '104.76',
      actual: '110',
      difference: '5.24',
      unit: 'money',
      loss: '5.24',
      currency: 'EUR',
      tolerance: '0',
      explanation: `The fiat value was 104.76 EUR ${FIRST_SEEN} and is 110.00 EUR now: 5.24 EUR more.`,
    },
  ],
  [
    'the crypto amount',
    {},
    { cryptoUnits: 39_000_000_000_000_000n },
    {
      field: 'crypto_amount',
      expected: '0.04',
      actual: '0.039',
      difference: '-0.001',
      unit: 'crypto',
      loss: '2.5',
      currency: 'ETH_ETH',
      tolerance: '0.00000000004',
      explanation: `The crypto amount was 0.04 ETH_ETH ${FIRST_SEEN} and is 0.039 ETH_ETH now.`,
    },
  ],
  [
    'the creation time',
    {},
    { createdAt: at('2026-11-01 10:05') },
    {
      field: 'created_at',
      expected: '2026-11-01T10:00:00.000Z',
      actual: '2026-11-01T10:05:00.000Z',
      explanation: `The creation time was 2026-11-01T10:00:00.000Z ${FIRST_SEEN} and is 2026-11-01T10:05:00.000Z now.`,
    },
  ],
  [
    'a creation time that is gone',
    {},
    { createdAt: null },
    {
      field: 'created_at',
      expected: '2026-11-01T10:00:00.000Z',
      actual: null,
      explanation: `The creation time was 2026-11-01T10:00:00.000Z ${FIRST_SEEN} and is gone now.`,
    },
  ],
  [
    'the method',
    {},
    { paymentMethod: null },
    {
      field: 'payment_method',
      expected: 'CARD_PAYMENT',
      actual: null,
      explanation: `The payment method was CARD_PAYMENT ${FIRST_SEEN} and is gone now.`,
    },
  ],
])('%s may not change', (_, was, is, expected) => {
  expect(ask(fieldChanged, changed(was, is))).toEqual([expected]);
});

test('a release that was announced with another receiver or total than before and after it is told', () => {
  const as = { status: 'RELEASED', receiverAddress: '0xbbbb', fiatValue: '110' };
  const subject = changed({ receiverAddress: '0xaaaa' }, { receiverAddress: '0xaaaa', status: 'RELEASED' });
  const { first } = subject.history;
  const withEnd = (state: StateOverrides) => {
    const firstTerminal = aSnapshot(aPurchase(state), at('2026-11-01 10:20'));
    return { ...subject, history: { ...subject.history, first, firstTerminal } };
  };
  const seen = 'when the purchase was seen as RELEASED (2026-11-01 10:20 UTC)';
  expect(ask(fieldChanged, withEnd(as))).toMatchObject([
    { field: 'receiver_address', explanation: `The receiver address was 0xbbbb ${seen} and is 0xaaaa now.` },
    { field: 'fiat_value', explanation: `The fiat value was 110.00 EUR ${seen} and is 104.76 EUR now: 5.24 EUR less.` },
  ]);
  const [ended, terms] = [withEnd(as), someTerms()];
  const workings = fieldChanged.working?.({ ...ended, terms, ...figuresOf(ended, terms) }, 'receiver_address');
  expect(workings?.lines[0]).toMatchObject({ label: 'seen as RELEASED' });
  expect(ask(fieldChanged, withEnd({ status: 'RELEASED', receiverAddress: '0xaaaa' }))).toEqual(NOTHING);
});

test.each<[string, StateOverrides, StateOverrides]>([
  ['total', { fiatValue: '106.26' }, { fiatValue: '104.76' }],
  ['crypto amount', { cryptoUnits: 39_000_000_000_000_000n }, { cryptoUnits: 40_000_000_000_000_000n }],
  [
    'crypto amount at the price of its moment',
    { cryptoUnits: 38_000_000_000_000_000n, exchangeRate: '2631.57' },
    { cryptoUnits: 39_840_637_450_199_203n, exchangeRate: '2510' },
  ],
  [
    'crypto amount with a fee that is a cent lower',
    { cryptoUnits: 38_000_000_000_000_000n, exchangeRate: '2631.57' },
    { cryptoUnits: 39_844_621_513_944_223n, exchangeRate: '2510', appliedFee: '4.75', baseFee: '3.89' },
  ],
])('a %s that was corrected to the promised one is no loss', (_, was, is) => {
  const corrected = changed(was, is);
  expect(ask(fieldChanged, corrected)).not.toHaveProperty('0.loss');
  expect(ask(fieldChanged, { ...corrected, quote: null })).toMatchObject([{ loss: expect.stringMatching(/^-/) }]);
});

test.each<[string, StateOverrides]>([
  ['a residual', { cryptoUnits: 80_000_000_000_000_000n }],
  ['a price', { cryptoUnits: 80_000_000_000_000_000n, exchangeRate: '1250' }],
])('%s that is better than promised is the loss of the Service', (_, is) => {
  const more = changed({ cryptoUnits: 39_000_000_000_000_000n }, is);
  expect(ask(fieldChanged, more)).toMatchObject([{ loss: expect.stringMatching(/^-/) }]);
});

test('another asset is reported by what differs: identity, token contract, decimals', () => {
  expect(ask(fieldChanged, changed({ asset: USDC }, { asset: ETH }))).toMatchObject([
    {
      field: 'asset',
      expected: 'ETH_USDC',
      actual: 'ETH_ETH',
      explanation: `The asset was ETH_USDC ${FIRST_SEEN} and is ETH_ETH now.`,
    },
    {
      field: 'asset_address',
      expected: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      actual: null,
      explanation: `The token contract was 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 ${FIRST_SEEN} and is gone now.`,
    },
    {
      field: 'asset_decimals',
      expected: '6',
      actual: '18',
      explanation: `The number of decimals of the asset was 6 ${FIRST_SEEN} and is 18 now.`,
    },
  ]);
});

test('another currency makes another value, without a difference that would mix the two', () => {
  expect(ask(fieldChanged, changed({}, { fiatCurrency: 'USD', fiatValue: '113.50' }))).toEqual([
    {
      field: 'fiat_currency',
      expected: 'EUR',
      actual: 'USD',
      explanation: `The fiat currency was EUR ${FIRST_SEEN} and is USD now.`,
    },
    {
      field: 'fiat_value',
      expected: '104.76',
      actual: '113.5',
      explanation: `The fiat value was 104.76 EUR ${FIRST_SEEN} and is 113.50 USD now.`,
    },
  ]);
});

test.each([
  ['nothing changed', {}, {}],
  ['equal numbers are written otherwise', { fiatValue: '104.760' }, {}],
  ['addresses differ in case only', { receiverAddress: '0xABCD' }, { receiverAddress: '0xabcd' }],
  [
    'the contract differs in case only',
    { asset: USDC },
    { asset: { ...USDC, address: USDC.address?.toLowerCase() ?? '' } },
  ],
  ['units differ by the noise of floating point', {}, { cryptoUnits: 40_000_000_000_000_321n }],
  ['unknown values were filled in', { receiverAddress: null, createdAt: null, paymentMethod: null }, {}],
  ['the contract is filled in', { asset: { ...USDC, address: null } }, { asset: USDC }],
  ['fees and status moved, which other rules report', { status: 'RELEASING', appliedFee: '5' }, {}],
])('no change where %s', (_, was, is) => {
  expect(ask(fieldChanged, changed(was, is))).toEqual(NOTHING);
});

test('the escrow of a sale that is not named any more has not been altered; another one has', () => {
  const first = aSnapshot(aSale({ receiverAddress: '0xabcd' }), at('2026-11-01 10:01'));
  const sale = (receiverAddress: string | null) => aCase({ state: aSale({ receiverAddress }), history: { first } });
  expect(fieldsOf(fieldChanged, sale(null))).toEqual([]);
  expect(fieldsOf(fieldChanged, sale('0xef'))).toEqual(['receiver_address']);
});

test('nor has its payout method', () => {
  const first = aSnapshot(aSale({ paymentMethod: 'SEPA' }));
  const sale = (paymentMethod: string | null) => aCase({ state: aSale({ paymentMethod }), history: { first } });
  expect(fieldsOf(fieldChanged, sale(null))).toEqual([]);
  expect(fieldsOf(fieldChanged, sale('CARD'))).toEqual(['payment_method']);
});

test.each([
  ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', true],
  ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', false],
  ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '1a1zp1ep5qgefi2dmptftl5slmv7divfna', false],
])('%s and %s are one address: %s', (was, receiverAddress, isOne) => {
  const history = { first: aSnapshot(aPurchase({ receiverAddress: was })) };
  const found = ask(fieldChanged, aCase({ state: aPurchase({ receiverAddress }), history }));
  expect(found).toHaveLength(isOne ? 0 : 1);
});

test('a total that was added up again from doubles has not changed', () => {
  const seen = { first: aSnapshot(aPurchase({ fiatValue: '104.76' })) };
  const asked = (fiatValue: string) => ask(fieldChanged, aCase({ state: aPurchase({ fiatValue }), history: seen }));
  expect(asked('104.76000000000001')).toEqual(NOTHING);
  expect(asked('104.7600001')).toMatchObject([{ field: 'fiat_value' }]);
});

test('the crypto tolerance is a billionth: one unit beyond it is a change', () => {
  expect(fieldsOf(fieldChanged, changed({}, { cryptoUnits: 40_000_000_040_000_000n }))).toEqual([]);
  expect(fieldsOf(fieldChanged, changed({}, { cryptoUnits: 40_000_000_040_000_001n }))).toEqual(['crypto_amount']);
});

test('after a terminal status, this rule still reports a changed amount', () => {
  const first = aSnapshot(aPurchase(), at('2026-11-01 10:01'));
  const subject = aCase({ state: aPurchase({ fiatValue: '110' }), history: { first, firstTerminal: first } });
  expect(fieldsOf(fieldChanged, subject)).toEqual(['fiat_value']);
});

test('on the first night, or without a body, there is nothing to compare', () => {
  const { history } = changed({}, {});
  expect(ask(fieldChanged, aCase())).toEqual(NOT_APPLICABLE);
  expect(ask(fieldChanged, aCase({ history, observation: anUnreachable() }))).toEqual(NOT_APPLICABLE);
});

test('an expiry that comes earlier is a change; a later one is a favour, and one that is not named says nothing', () => {
  const expiry = (then: string | null, now: string | null) => {
    const [endTime, is] = [then, now].map((text) => (text === null ? null : at(text)));
    const first = aSnapshot(aPurchase({ endTime: endTime ?? null }), at('2026-11-01 12:00'));
    return ask(fieldChanged, aCase({ state: aPurchase({ endTime: is ?? null }), history: { first } }));
  };
  expect(expiry('2026-11-04 10:00', '2026-11-03 10:00')).toMatchObject([{ field: 'end_time', severity: 'medium' }]);
  expect(expiry('2026-11-04 10:00', '2026-11-06 10:00')).toMatchObject([{ field: 'end_time', severity: 'info' }]);
  expect(expiry('2026-11-04 10:00', '2026-11-04 10:00')).toEqual(NOTHING);
  expect(expiry('2026-11-04 10:00', null)).toEqual(NOTHING);
  expect(expiry(null, '2026-11-04 10:00')).toEqual(NOTHING);
});

test('a body that is older than one that was seen before is told, though nothing else differs', () => {
  const first = aSnapshot(aPurchase(), at('2026-11-01 10:01'));
  const younger = { updatedAt: at('2026-11-01 12:00'), seenAt: at('2026-11-02 04:00') };
  const state = aPurchase({ updatedAt: at('2026-11-01 11:00') });
  const expected = [
    {
      field: 'updated_at',
      severity: 'medium',
      expected: '2026-11-01T12:00:00.000Z',
      actual: '2026-11-01T11:00:00.000Z',
      explanation:
        'The time of the last change was 2026-11-01T12:00:00.000Z when the record was seen on 2026-11-02 04:00 UTC and is 2026-11-01T11:00:00.000Z now.',
    },
  ];
  expect(ask(fieldChanged, aCase({ state, history: { first, younger } }))).toMatchObject(expected);
  // Also where tonight's body is the first one again.
  const same = aSnapshot(state, at('2026-11-01 11:01'));
  expect(ask(fieldChanged, aCase({ state, history: { first: same, younger } }))).toMatchObject(expected);
  expect(fieldChanged.working?.(aCase({ state, history: { first, younger } }) as never, 'updated_at')).not.toBeNull();
  expect(fieldsOf(fieldChanged, aCase({ state, history: { first } }))).toEqual([]);
});
