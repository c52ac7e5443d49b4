import { describe, expect, it, test } from 'vitest';
import { recordContradictsItself } from '../../src/rules/record-contradicts-itself.ts';
import { aCase, aPurchase, aSale, at, type StateOverrides, USDC } from '../support/builders.ts';
import { ask, NOTHING } from './ask.ts';

const bought = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aPurchase(state) }));
const sold = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aSale(state), kind: 'sale' }));

describe('a released purchase without a receiver', () => {
  it('contradicts itself where the body says so', () => {
    expect(bought({ receiverAddress: null, lacks: [] })).toMatchObject([{ field: 'receiver_address' }]);
  });

  it('is a remark where the body lacks the field, which is counted with the others', () => {
    expect(bought({ receiverAddress: null, lacks: ['receiverAddress'] })).toMatchObject([{ severity: 'info' }]);
    // A version before did not keep what a body lacks.
    expect(bought({ receiverAddress: null })).toMatchObject([{ severity: 'info' }]);
  });

  it('is nothing before the crypto is sent', () => {
    expect(bought({ receiverAddress: null, lacks: [], status: 'PAYMENT_STARTED', finalTxHash: null })).toEqual(NOTHING);
  });
});

test('a purchase says nothing of a transfer of its tokens', () => {
  expect(bought({ cryptoStatus: 'failed' })).toEqual(NOTHING);
});

describe('a sale that was paid out', () => {
  it.each(['not-started', 'failed'])('for tokens whose transfer is %s contradicts itself', (cryptoStatus) => {
    expect(sold({ status: 'RELEASED', cryptoStatus })).toMatchObject([
      { field: 'crypto_status', actual: cryptoStatus },
    ]);
    expect(sold({ status: 'initiated', cryptoStatus })).toEqual(NOTHING);
    expect(sold({ status: null, cryptoStatus })).toEqual(NOTHING);
  });

  it.each(['completed', 'initiated', 'delayed'])('for tokens whose transfer is %s does not', (cryptoStatus) => {
    expect(sold({ status: 'completed', cryptoStatus })).toEqual(NOTHING);
  });
});

test('a fee is stated in the currency of the payout, or in the crypto', () => {
  expect(sold({ feeCurrency: 'CHF' })).toMatchObject([{ field: 'fee_currency', expected: 'EUR', actual: 'CHF' }]);
  expect(sold({ feeCurrency: 'ETH' })).toEqual(NOTHING);
  expect(sold({ fiatCurrency: 'PLN', feeCurrency: 'EUR', exchangeRateEur: '2500' })).toEqual(NOTHING);
  expect(sold({ fiatCurrency: 'PLN', feeCurrency: 'EUR', exchangeRateEur: null })).toMatchObject([
    { field: 'fee_currency' },
  ]);
});

describe('moments', () => {
  const created = at('2026-11-01 10:00');
  const { endTime, ...fields } = { endTime: 'end_time', updatedAt: 'updated_at' };

  it.each(Object.entries({ ...fields, endTime }))('%s: clocks of two servers may be a second apart', (name, field) => {
    expect(bought({ [name]: created - 1000 })).toEqual(NOTHING);
    expect(bought({ [name]: created - 1001 })).toMatchObject([{ field }]);
  });

  it.each(['updatedAt', 'endTime'])('%s before a creation that cannot be true contradicts nothing', (name) => {
    expect(bought({ createdAt: Date.UTC(9999, 0, 1), [name]: created })).toEqual(NOTHING);
  });
});

test('an expiry before its creation, or years later, is a contradiction whatever the date; that of updates is another rule', () => {
  const ending = (endTime: number) => bought({ endTime });
  expect(bought({ updatedAt: Date.UTC(2001, 0, 1) })).toEqual(NOTHING);
  expect(ending(0)).toMatchObject([{ field: 'end_time', actual: '1970-01-01T00:00:00.000Z' }]);
  expect(ending(at('2036-10-29 10:00'))).toEqual(NOTHING);
  expect(ending(at('2036-10-29 10:01'))).toMatchObject([
    { field: 'end_time', explanation: expect.stringContaining('more than ten years after it was created') },
  ]);
});

describe('a receiver that nobody has the key of', () => {
  it.each([
    ["the token's own contract", USDC.address?.toLowerCase() ?? ''],
    ['the address of all zeros', '0x0000000000000000000000000000000000000000'],
  ])('%s', (name, receiverAddress) => {
    expect(bought({ asset: USDC, receiverAddress })).toMatchObject([
      { field: 'receiver_address', explanation: expect.stringContaining(name) },
    ]);
  });
});

describe('an address or a transaction', () => {
  it('of another form says nothing where the chain is only presumed', () => {
    const receiverAddress = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
    expect(bought({ receiverAddress })).toMatchObject([{ field: 'receiver_address' }]);
    expect(bought({ receiverAddress, asset: { ...aPurchase().asset, chainPresumed: true } })).toEqual(NOTHING);
  });

  it('of a purchase that fell back after it was sent is left to the status', () => {
    const state = aPurchase({ status: 'PAYMENT_STARTED' });
    const fellBack = (peak: string) =>
      ask(recordContradictsItself, aCase({ state, history: { peak: { status: peak, at: at('2026-11-01 10:20') } } }));
    expect(fellBack('RELEASED')).toEqual(NOTHING);
    expect(fellBack('RELEASING')).toEqual(NOTHING);
    expect(fellBack('FIAT_RECEIVED')).toMatchObject([{ field: 'final_tx_hash' }]);
  });

  it.each(['CANCELLED', 'EXPIRED'])('of a purchase that was being sent and is %s is a contradiction', (status) => {
    const history = { peak: { status: 'RELEASING', at: at('2026-11-01 10:20') } };
    const found = ask(recordContradictsItself, aCase({ state: aPurchase({ status }), history }));
    expect(found).toMatchObject([{ field: 'final_tx_hash' }]);
  });
});

test('a sale for no crypto contradicts itself where it was paid out', () => {
  expect(sold({ cryptoUnits: 0n })).toMatchObject([{ field: 'crypto_amount' }]);
  expect(sold({ cryptoUnits: 0n, fiatValue: '0' })).toEqual(NOTHING);
});

test('one EUR is one EUR, but for the digits of a double', () => {
  expect(bought({ fiatRateEur: '1.0000005' })).toEqual(NOTHING);
  expect(bought({ fiatRateEur: '1.001' })).toMatchObject([{ field: 'fiat_rate_eur' }]);
});
