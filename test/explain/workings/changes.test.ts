import { describe, expect, it } from 'vitest';
import type { RecordState } from '../../../src/domain/snapshot.ts';
import {
  aCase,
  anUnreachable,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  type CaseOverrides,
  ETH,
  type StateOverrides,
  USDC,
} from '../../support/builders.ts';
import { arithmeticOf, workedOut } from '../work-out.ts';

const SEEN = at('2026-11-01 12:00');
const seenAs = (was: RecordState) => ({ first: aSnapshot(was, SEEN), firstTerminal: aSnapshot(was, SEEN) });

describe('there is nothing to work with', () => {
  it.each<[rule: string, where: string, subject: CaseOverrides]>([
    ['FIELD_CHANGED', 'the record was not read', { observation: anUnreachable(), history: seenAs(aPurchase()) }],
    ['FIELD_CHANGED', 'it was never seen before', {}],
    ['RESTATED', 'the record was not read', { observation: anUnreachable(), history: seenAs(aPurchase()) }],
    ['RESTATED', 'it was never seen finished', { history: { first: aSnapshot(aPurchase(), SEEN) } }],
  ])('for %s where %s', (rule, _where, subject) => {
    expect(arithmeticOf(aCase(subject), rule, 'applied_fee')).toBeNull();
  });
});

describe('a figure that changed', () => {
  it.each<[field: string, was: StateOverrides, is: StateOverrides, lines: readonly string[]]>([
    [
      'applied_fee',
      {},
      { appliedFee: '4' },
      ['then: 4.76 EUR', 'now: 4.00 EUR', 'difference: 4.00 − 4.76 = -0.76 EUR'],
    ],
    ['base_fee', {}, { baseFee: '4' }, ['then: 3.90 EUR', 'now: 4.00 EUR', 'difference: 4.00 − 3.90 = +0.10 EUR']],
    [
      'network_fee',
      {},
      { networkFee: '1' },
      ['then: 0.86 EUR', 'now: 1.00 EUR', 'difference: 1.00 − 0.86 = +0.14 EUR'],
    ],
    [
      'host_fee_cut',
      { hostFeeCut: '1' },
      { hostFeeCut: '2' },
      ['then: 1.00 EUR', 'now: 2.00 EUR', 'difference: 2.00 − 1.00 = +1.00 EUR'],
    ],
    ['exchange_rate', {}, { exchangeRate: '2400' }, ['then: 2500', 'now: 2400', 'difference: 2400 − 2500 = -100']],
    [
      'exchange_rate_eur',
      {},
      { exchangeRateEur: '2400' },
      ['then: 2500', 'now: 2400', 'difference: 2400 − 2500 = -100'],
    ],
    ['fiat_rate_eur', {}, { fiatRateEur: '0.5' }, ['then: 1', 'now: 0.5', 'difference: 0.5 − 1 = -0.5']],
  ])('after a terminal status is reported to the digit: %s', (field, was, is, lines) => {
    const subject = aCase({ state: aPurchase(is), history: seenAs(aPurchase(was)) });
    const told = workedOut(subject, 'RESTATED', field);
    expect(told.slice(2, 5)).toEqual(lines);
    expect(told[5]).toMatch(/^tolerance: nothing may change here = 0/);
  });

  it('has the tolerance of a rounding error where it is crypto', () => {
    const state = aPurchase({ cryptoUnits: 50_000_000_000_000_000n });
    const subject = aCase({ state, history: seenAs(aPurchase()) });
    expect(workedOut(subject, 'FIELD_CHANGED', 'crypto_amount').slice(2)).toEqual([
      'then: 0.04 ETH_ETH',
      'now: 0.05 ETH_ETH',
      'difference: 0.05 − 0.04 = +0.01 ETH_ETH',
      'tolerance: 0.000000001 × 0.04 = 0.00000000004 ETH_ETH',
      'outcome: 0.01 > 0.00000000004: a break',
    ]);
  });

  it('and no longer has a unit is shown in words', () => {
    const state = aPurchase({ exchangeRate: null, exchangeRateEur: null });
    const subject = aCase({ state, history: seenAs(aPurchase()) });
    expect(workedOut(subject, 'RESTATED', 'exchange_rate').slice(2)).toEqual([
      'then: 2500',
      'now: nothing',
      'outcome: not the same: a break',
    ]);
  });
});

describe('a text that changed', () => {
  const before = { paymentMethod: 'CARD_PAYMENT', asset: USDC };
  it.each<[field: string, is: StateOverrides, then: string, now: string]>([
    ['receiver_address', { receiverAddress: '0xbad' }, '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c', '0xbad'],
    ['asset', { asset: ETH }, 'ETH_USDC', 'ETH_ETH'],
    ['asset_address', { asset: { ...USDC, address: '0xbad' } }, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', '0xbad'],
    ['asset_decimals', { asset: { ...USDC, decimals: 8 } }, '6', '8'],
    ['fiat_currency', { asset: USDC, fiatCurrency: 'USD' }, 'EUR', 'USD'],
    [
      'created_at',
      { asset: USDC, createdAt: at('2026-11-01 10:00:01') },
      '2026-11-01T10:00:00.000Z',
      '2026-11-01T10:00:01.000Z',
    ],
    ['created_at', { asset: USDC, createdAt: null }, '2026-11-01T10:00:00.000Z', 'nothing'],
    ['payment_method', { asset: USDC, paymentMethod: 'PIX' }, 'CARD_PAYMENT', 'PIX'],
  ])('is shown as it was and as it is: %s', (field, is, then, now) => {
    const subject = aCase({ state: aPurchase(is), history: seenAs(aPurchase(before)) });
    expect(workedOut(subject, 'FIELD_CHANGED', field)).toEqual([
      'first seen: 2026-11-01 12:00 UTC',
      'looked at again: 2026-11-02 04:15 UTC',
      `then: ${then}`,
      `now: ${now}`,
      'outcome: not the same: a break',
    ]);
  });

  it('is a break after a terminal status too', () => {
    const subject = aCase({ state: aPurchase({ finalTxHash: '0xother' }), history: seenAs(aPurchase()) });
    expect(workedOut(subject, 'RESTATED', 'final_tx_hash').slice(2)).toEqual([
      'then: 0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
      'now: 0xother',
      'outcome: not the same: a break',
    ]);
  });

  it('is no break where both texts are equal', () => {
    const subject = aCase({ history: seenAs(aPurchase()) });
    expect(arithmeticOf(subject, 'FIELD_CHANGED', 'receiver_address')?.at(-1)).toBe('outcome: the same: no break');
  });

  it('is shown as unknown where the field is unknown', () => {
    const subject = aCase({ history: seenAs(aPurchase()) });
    expect(arithmeticOf(subject, 'FIELD_CHANGED', 'colour')?.slice(2)).toEqual([
      'then: nothing',
      'now: nothing',
      'outcome: the same: no break',
    ]);
  });
});

it('a record without a status is shown as finished, without a status name', () => {
  const history = seenAs(aSale({ appliedFee: '4' }));
  const subject = aCase({ state: aSale({ appliedFee: '5' }), history });
  expect(arithmeticOf(subject, 'RESTATED', 'applied_fee')?.[0]).toBe('seen finished: 2026-11-01 12:00 UTC');
});
