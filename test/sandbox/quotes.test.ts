import { Big } from 'big.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { aSandbox, asNumber, asObject, type Json, post } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSandbox();
});
afterAll(() => sandbox.close());

const ask = (path: string, body: unknown) => post(sandbox.url, `${path}?hostApiKey=${sandbox.hostApiKey}`, body);
const onramp = (body: unknown) => ask('/host-api/v3/onramp/quote/all', body);
const offramp = (body: unknown) => ask('/host-api/v3/offramp/quote/all', body);
const v1 = (body: unknown) => ask('/host-api/quote', body);

/** Relative distance of two numbers, exactly. */
function apart(a: Big, b: Big): number {
  return a.minus(b).abs().div(b).toNumber();
}

/** cv of a v1 quote by its own rate. */
function cvOf(quote: Json): Big {
  return new Big(String(quote.cryptoAmount))
    .div(new Big(10).pow(asNumber(asObject(quote.asset).decimals)))
    .times(String(quote.assetExchangeRate));
}

describe('POST /host-api/v3/onramp/quote/all (spec §2.6, §2.7)', () => {
  it('charges 3.9 % of the value by card, and the network fee on top of it', async () => {
    const { body } = await onramp({ cryptoAssetSymbol: 'MATIC_USDC', cryptoAmount: '1000000000', fiatCurrency: 'EUR' });
    const card = asObject(body.CARD_PAYMENT);
    const network = asNumber(asObject(body.asset).networkFee);
    const cv = new Big(asNumber(card.fiatValue)).minus(asNumber(card.appliedFee));
    const base = new Big(asNumber(card.baseServiceFee));
    expect(apart(base, cv.times('0.039'))).toBeLessThan(1e-12);
    expect(card.cryptoAmount).toBe('1000000000');
    expect(new Big(asNumber(card.appliedFee)).lte(base.plus(network).plus('1e-12'))).toBe(true);
    expect(network).toBe(0.02);
  });

  it('gives the asset figures in EUR for some currencies', async () => {
    const { body } = await onramp({ cryptoAssetSymbol: 'ETH_ETH', fiatValue: 30, fiatCurrency: 'KWD' });
    expect(body.asset).toMatchObject({ currencyCode: 'EUR', networkFee: 1.41 });
    expect(body.CARD_PAYMENT).toMatchObject({ fiatCurrency: 'KWD', fiatValue: 30 });
  });
});

describe('POST /host-api/v3/offramp/quote/all (spec §2.7)', () => {
  it('has the total that the user receives, each method less its fee', async () => {
    const request = { cryptoAssetSymbol: 'BTC_BTC', cryptoAmount: '10000000', fiatCurrency: 'EUR' };
    const { body } = await offramp(request);
    const [card, sepa] = [asObject(body.CARD), asObject(body.SEPA)];
    const gross = (method: Json) => asNumber(method.fiatValue) + asNumber(method.appliedFee);
    expect(gross(card)).toBeCloseTo(gross(sepa), 6);
    expect(asNumber(card.fiatValue)).toBeLessThan(asNumber(sepa.fiatValue));
  });

  it('may have no base fee', async () => {
    const { body } = await offramp({ cryptoAssetSymbol: 'BTC_BTC', fiatValue: 2000, fiatCurrency: 'MXN' });
    expect(asObject(body.SPEI).baseServiceFee).toBeNull();
    expect(asObject(body.SPEI).fiatValue).toBe(2000);
  });

  it('refuses an asset that is only sold, not bought back', async () => {
    const { status, body } = await offramp({ cryptoAssetSymbol: 'XLM_AQUA', fiatValue: 50, fiatCurrency: 'EUR' });
    expect([status, body.code]).toEqual([400, 'ASSET_NOT_SUPPORTED']);
  });
});

describe('POST /host-api/quote (spec §2.10, §7.2)', () => {
  const request = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 };

  it('foots and keeps its two rates in line', async () => {
    const { body } = await v1({ ...request, paymentMethodType: 'APPLE_PAY' });
    const total = cvOf(body).plus(asNumber(body.appliedFee));
    expect(apart(total, new Big(100))).toBeLessThan(1e-14);
    const inEur = new Big(asNumber(body.assetExchangeRate)).times(asNumber(body.fiatExchangeRateEur));
    expect(apart(inEur, new Big(asNumber(body.assetExchangeRateEur)))).toBeLessThan(1e-13);
  });

  it('charges the least fee on small amounts', async () => {
    const { body } = await v1({ ...request, fiatValue: 20, paymentMethodType: 'MANUAL_BANK_TRANSFER' });
    expect(body).toMatchObject({ baseServiceFee: 2.49, networkFee: 1.41, fiatValue: 20 });
    expect(asNumber(body.appliedFee)).toBeCloseTo(3.9, 12);
  });

  it('accepts the v1 name of an asset and repeats it', async () => {
    const { body } = await v1({ ...request, cryptoAssetSymbol: 'USDC' });
    expect(body).toMatchObject({
      cryptoAssetSymbol: 'USDC',
      asset: { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
    });
  });
});

describe('what every quote endpoint asks for (spec §4.1 rule 1, §5.1)', () => {
  const PATHS = ['/host-api/v3/onramp/quote/all', '/host-api/v3/offramp/quote/all', '/host-api/quote'];
  const request = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 };

  it.each(PATHS)('%s needs a hostApiKey', async (path) => {
    const missing = await post(sandbox.url, path, request);
    expect(missing.status).toBe(400);
    expect(missing.body).toMatchObject({ name: 'ValidationException', messages: ['hostApiKey must be a string'] });
  });

  it.each(PATHS)('%s takes exactly one of the two amounts', async (path) => {
    const messages = ['exactly one of cryptoAmount and fiatValue must be given'];
    const neither = await ask(path, { ...request, fiatValue: undefined });
    expect([neither.status, neither.body.messages]).toEqual([400, messages]);
    const both = await ask(path, { ...request, cryptoAmount: '1000' });
    expect([both.status, both.body.messages]).toEqual([400, messages]);
  });

  it.each(PATHS)(
    '%s refuses an amount whose units no request may have: 1e300 was an error of the server',
    async (path) => {
      const { status, body } = await ask(path, { ...request, fiatValue: 1e300 });
      expect([status, body.messages]).toEqual([400, ['fiatValue must not be greater than 1000000000000000']]);
      const most = await ask(path, { ...request, fiatValue: 1e15 });
      expect([most.status, /"cryptoAmount":"\d{41}/.test(JSON.stringify(most.body))]).toEqual([200, false]);
    },
  );

  it.each(PATHS)('%s reports everything that is wrong with a body at once', async (path) => {
    const { status, body } = await ask(path, { fiatValue: '100' });
    expect([status, body.messages]).toEqual([
      400,
      ['cryptoAssetSymbol must be a string', 'fiatCurrency must be a string', 'fiatValue must be a positive number'],
    ]);
  });

  it("uses the maker's name in identifiers", async () => {
    const other = await aSandbox({ identifierName: 'Maker' });
    const { body } = await post(other.url, `/host-api/quote?hostApiKey=${other.hostApiKey}`, request);
    await other.close();
    expect(body).toHaveProperty('baseMakerFee');
    expect(body).not.toHaveProperty('baseServiceFee');
  });
});
