import { Big } from 'big.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { offrampQuoteV3, onrampQuoteV3, quoteV1 } from '../../src/service/wire/quotes.ts';
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
  it('has exactly the methods that support the currency, and the asset with its limits', async () => {
    const { status, body } = await onramp({ cryptoAssetSymbol: 'ETH_ETH', fiatValue: 100, fiatCurrency: 'USD' });
    expect(status).toBe(200);
    expect(onrampQuoteV3.safeParse(body).error).toBeUndefined();
    expect(Object.keys(body)).toEqual(['asset', 'CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY']);
    expect(body.asset).toMatchObject({ chain: 'ETH', symbol: 'ETH', currencyCode: 'USD', address: null });
    expect(body.CARD_PAYMENT).toMatchObject({ fiatCurrency: 'USD', fiatValue: 100 });
  });

  it('has the methods of the country where one is given', async () => {
    const { body } = await onramp({
      cryptoAssetSymbol: 'ETH_ETH',
      fiatValue: 100,
      fiatCurrency: 'EUR',
      userCountryCode: 'JP',
    });
    expect(Object.keys(body)).toEqual(['asset', 'CARD_PAYMENT', 'APPLE_PAY']);
  });

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

  it('says that the value is zero where the fees leave nothing', async () => {
    const { status, body } = await onramp({ cryptoAssetSymbol: 'ETH_USDC', fiatValue: 4, fiatCurrency: 'EUR' });
    expect([status, body]).toEqual([400, { code: 'SWAP.VALIDATION.SWAP_VALUE_IS_ZERO', statusCode: 400 }]);
  });
});

describe('POST /host-api/v3/offramp/quote/all (spec §2.7)', () => {
  it('has the payout methods, and the total that the user receives', async () => {
    const request = { cryptoAssetSymbol: 'BTC_BTC', cryptoAmount: '10000000', fiatCurrency: 'EUR' };
    const { body } = await offramp(request);
    expect(offrampQuoteV3.safeParse(body).error).toBeUndefined();
    expect(Object.keys(body)).toEqual(['asset', 'CARD', 'SEPA']);
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
    const { status, body } = await v1({ ...request, paymentMethodType: 'APPLE_PAY' });
    expect(status).toBe(200);
    expect(quoteV1.safeParse(body).error).toBeUndefined();
    const total = cvOf(body).plus(asNumber(body.appliedFee));
    expect(apart(total, new Big(100))).toBeLessThan(1e-14);
    const inEur = new Big(asNumber(body.assetExchangeRate)).times(asNumber(body.fiatExchangeRateEur));
    expect(apart(inEur, new Big(asNumber(body.assetExchangeRateEur)))).toBeLessThan(1e-13);
  });

  it('takes the method with the lowest fee where none is named', async () => {
    expect((await v1({ ...request, fiatValue: 1000 })).body.paymentMethodType).toBe('MANUAL_BANK_TRANSFER');
    expect((await v1({ ...request, fiatCurrency: 'BRL', fiatValue: 2000 })).body.paymentMethodType).toBe('PIX');
    expect((await v1({ ...request, fiatCurrency: 'PEN' })).body.paymentMethodType).toBe('CARD_PAYMENT');
  });

  it('charges the least fee on small amounts', async () => {
    const { body } = await v1({ ...request, fiatValue: 20, paymentMethodType: 'MANUAL_BANK_TRANSFER' });
    expect(body).toMatchObject({ baseServiceFee: 2.49, networkFee: 1.41, fiatValue: 20 });
    expect(asNumber(body.appliedFee)).toBeCloseTo(3.9, 12);
  });

  it('refuses a method that does not support the currency, with the documented body', async () => {
    const { status, body } = await v1({ ...request, paymentMethodType: 'PIX' });
    expect(status).toBe(400);
    expect(body).toEqual({
      code: 'SERVICES.HOST_API.UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD',
      currency: 'EUR',
      paymentMethodType: 'PIX',
      statusCode: 400,
    });
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
    const unknown = await post(sandbox.url, `${path}?hostApiKey=unknown-key`, request);
    expect([unknown.status, unknown.body.code]).toEqual([403, 'SERVICES.HOST_API.INVALID_HOST_API_KEY']);
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
