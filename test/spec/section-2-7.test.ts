import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseQuote } from '../../src/service/normalise-quote.ts';
import { aSandbox, asNumber, asObject, type Json, post } from '../sandbox/a-sandbox.ts';
import { aMethodQuote, aV3Asset } from '../service/bodies.ts';
import { complaints, expectType, plain } from './support/fields.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSandbox({ records: 0 });
});
afterAll(() => sandbox.close());

const quote = async (direction: 'onramp' | 'offramp', body: Json): Promise<Json> =>
  (await post(sandbox.url, `/host-api/v3/${direction}/quote/all?hostApiKey=${sandbox.hostApiKey}`, body)).body;

/** What the product makes of a result with this method in it; on-ramp and in EUR. */
function read(fields: Readonly<Record<string, string | undefined>>, direction: 'onramp' | 'offramp' = 'onramp') {
  const name = direction === 'onramp' ? 'CARD_PAYMENT' : 'SEPA';
  return normaliseQuote({
    quoteId: 'q-1',
    direction,
    api: 'v3',
    capturedAt: 0,
    request: parseExactJson('{"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","fiatValue":97}'),
    response: parseExactJson(`{"asset":${aV3Asset()},"${name}":${aMethodQuote(fields)}}`),
    identifierName: 'Service',
  });
}

/** The table of per-method fields. The base fee of the off-ramp may be null in the field. */
const FIELDS: readonly [name: string, onramp: string, offramp: string, required: 'yes' | 'no'][] = [
  ['fiatCurrency', 'string', 'string', 'yes'],
  ['cryptoAmount', 'string', 'string', 'yes'],
  ['fiatValue', 'number', 'number', 'yes'],
  ['baseServiceFee', 'number', 'number or null', 'yes'],
  ['appliedFee', 'number', 'number', 'yes'],
  ['hostFeeCut', 'number or absent', 'number or absent', 'no'],
];

const CURRENCIES = ['EUR', 'USD', 'GBP', 'BRL', 'MXN'];

/** Which methods support which of these currencies in the sandbox (its own choice: spec §2.4 names no currency). */
const PAYMENT: Readonly<Record<string, readonly string[]>> = {
  EUR: ['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER', 'CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY'],
  USD: ['CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY'],
  GBP: ['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER', 'CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY'],
  BRL: ['CARD_PAYMENT', 'PIX'],
  MXN: ['CARD_PAYMENT', 'GOOGLE_PAY'],
};
const PAYOUT: Readonly<Record<string, readonly string[]>> = {
  EUR: ['CARD', 'SEPA'],
  USD: ['AMERICAN_BANK_TRANSFER'],
  GBP: ['CARD'],
  BRL: ['PIX'],
  MXN: ['SPEI'],
};

describe('§2.7 quote result (v3)', () => {
  it.each(CURRENCIES)('%s: asset, and one key for each method that supports the currency', async (fiatCurrency) => {
    const wish = { cryptoAssetSymbol: 'BTC_BTC', cryptoAmount: '10000000', fiatCurrency };
    const [bought, sold] = [await quote('onramp', wish), await quote('offramp', wish)];
    expect(Object.keys(bought)).toEqual(['asset', ...(PAYMENT[fiatCurrency] ?? [])]);
    expect(Object.keys(sold)).toEqual(['asset', ...(PAYOUT[fiatCurrency] ?? [])]);
    for (const [name, onramp, offramp] of FIELDS) {
      for (const method of PAYMENT[fiatCurrency] ?? []) expectType(bought, `${method}.${name}`, onramp);
      for (const method of PAYOUT[fiatCurrency] ?? []) expectType(sold, `${method}.${name}`, offramp);
    }
  });

  it('asset is the AssetInfo of §2.2, or the OfframpAssetInfo of §2.3', async () => {
    const wish = { cryptoAssetSymbol: 'ETH_ETH', fiatValue: 100, fiatCurrency: 'EUR' };
    const shape = { symbol: 'ETH', chain: 'ETH', decimals: 18, type: 'NATIVE', address: null, currencyCode: 'EUR' };
    expect((await quote('onramp', wish)).asset).toMatchObject({ ...shape, networkFee: 1.41 });
    expect((await quote('offramp', wish)).asset).toMatchObject(shape);
  });

  it.each(FIELDS)('%s: the product misses it where it is required', (name, _on, offramp, required) => {
    const needed = required === 'yes';
    expect(complaints(read({ [name]: undefined }))).toEqual(needed ? [`response.CARD_PAYMENT.${name} missing`] : []);
    expect(complaints(read({ [name]: undefined }, 'offramp'))).toEqual(
      needed && !offramp.includes('null') ? [`response.SEPA.${name} missing`] : [],
    );
  });

  it('fiatValue is the total with the fee: paid on-ramp, received off-ramp', async () => {
    const wish = { cryptoAssetSymbol: 'ETH_ETH', fiatValue: 500, fiatCurrency: 'EUR' };
    const card = asObject((await quote('onramp', wish)).CARD_PAYMENT);
    const sepa = asObject((await quote('offramp', wish)).SEPA);
    expect([card.fiatValue, sepa.fiatValue]).toEqual([500, 500]);
    // For the same fiat the buyer gets less crypto than the seller must give.
    expect(BigInt(String(card.cryptoAmount)) < BigInt(String(sepa.cryptoAmount))).toBe(true);
  });

  it('appliedFee is within fiatValue: the product values the crypto without it on-ramp, and with it off-ramp', () => {
    // 100 USDC for 97 EUR with 5 EUR of fees: 92 EUR bought, 102 EUR sold.
    expect(plain(read({}))).toMatchObject({ methods: [{ exchangeRate: '0.92', appliedFee: '5', fiatValue: '97' }] });
    expect(plain(read({}, 'offramp'))).toMatchObject({ methods: [{ exchangeRate: '1.02' }] });
  });

  it('baseServiceFee is before any modification: appliedFee may be lower than it', async () => {
    expect(plain(read({ baseServiceFee: '4.54', appliedFee: '3.63' }))).toMatchObject({
      methods: [{ baseFee: '4.54', appliedFee: '3.63' }],
    });
    const { CARD_PAYMENT: card } = await quote('onramp', {
      cryptoAssetSymbol: 'MATIC_USDC',
      fiatValue: 1000,
      fiatCurrency: 'EUR',
    });
    expect(asNumber(asObject(card).baseServiceFee)).toBeGreaterThan(35);
  });

  it('amounts are in fiatCurrency: the product takes no answer in another one', () => {
    expect(complaints(read({ fiatCurrency: '"USD"' }))).toEqual(['response.CARD_PAYMENT.fiatCurrency value']);
  });

  it('hostFeeCut is optional, and unknown is not zero', () => {
    expect(plain(read({}))).toMatchObject({ methods: [{ hostFeeCut: null }] });
    expect(plain(read({ hostFeeCut: '0.25' }))).toMatchObject({ methods: [{ hostFeeCut: '0.25' }] });
  });
});
