import { describe, expect, it, test } from 'vitest';
import { recordContradictsItself } from '../../src/rules/record-contradicts-itself.ts';
import { aCase, aPurchase, aSale, type StateOverrides } from '../support/builders.ts';
import { ask, NOTHING } from './ask.ts';

const bought = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aPurchase(state) }));
const sold = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aSale(state), kind: 'sale' }));

describe('a released purchase without a receiver', () => {
  it('contradicts itself where the body says so', () => {
    expect(bought({ receiverAddress: null, lacks: [] })).toMatchObject([{ field: 'receiver_address' }]);
  });

  it('is a remark where the body lacks the field, which is counted with the others', () => {
    expect(bought({ receiverAddress: null, lacks: ['receiverAddress'] })).toMatchObject([{ severity: 'info' }]);
  });

  it('is nothing before the crypto is sent', () => {
    expect(bought({ receiverAddress: null, lacks: [], status: 'PAYMENT_STARTED', finalTxHash: null })).toEqual(NOTHING);
  });
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
