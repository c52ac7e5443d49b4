import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuoteRequest } from '../../src/ports/service.ts';
import { methodUnsupported } from '../../src/rules/method-unsupported.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { quoteRequestBody } from '../../src/service/ask-quote.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseQuote } from '../../src/service/normalise-quote.ts';
import { fieldsOf } from '../rules/ask.ts';
import { asNumber, asObject, get, type Json, post } from '../sandbox/a-sandbox.ts';
import { aMethodQuote, aV3Asset } from '../service/bodies.ts';
import { aCase, aPurchase, at } from '../support/builders.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { complaints, expectType, plain } from './support/fields.ts';

describe('§2.6 quote request body (v3 on-ramp and off-ramp)', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 0 });
  });
  afterAll(() => sandbox.close());

  const PATHS = ['/host-api/v3/onramp/quote/all', '/host-api/v3/offramp/quote/all'];
  const ask = (path: string, body: unknown) => post(sandbox.url, `${path}?hostApiKey=${sandbox.hostApiKey}`, body);

  /** Every field of the table at once, less one of the two amounts. */
  const WHOLE: Json = {
    cryptoAssetSymbol: 'ETH_ETH',
    fiatCurrency: 'EUR',
    cryptoAmount: '50000000000000000',
    userCountryCode: 'FR',
    userRegionCode: 'IDF',
  };
  const QUOTE: QuoteRequest = {
    api: 'v3',
    direction: 'onramp',
    cryptoAssetSymbol: 'ETH_ETH',
    fiatCurrency: 'EUR',
    cryptoAmount: '50000000000000000',
    userCountryCode: 'FR',
    userRegionCode: 'IDF',
  };

  /** A captured quote as the product reads it, for this request. */
  const captured = (request: unknown) =>
    normaliseQuote({
      quoteId: 'q-1',
      direction: 'onramp',
      api: 'v3',
      capturedAt: 0,
      request: parseExactJson(JSON.stringify(request)),
      response: parseExactJson(`{"asset":${ETHER},"PIX":${aMethodQuote({ cryptoAmount: '"50000000000000000"' })}}`),
      identifierName: 'Service',
    });
  const ETHER = aV3Asset({ symbol: '"ETH"', type: '"NATIVE"', address: 'null', decimals: '18' });

  it('the product sends every field by its name, and fiatValue as a number with all its digits', () => {
    expect(JSON.parse(quoteRequestBody(QUOTE))).toEqual(WHOLE);
    expect(quoteRequestBody({ ...QUOTE, cryptoAmount: undefined, fiatValue: '49.90000000000000001' })).toBe(
      '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","userCountryCode":"FR","userRegionCode":"IDF","fiatValue":49.90000000000000001}',
    );
  });

  it.each(PATHS)('%s: the sandbox takes every field', async (path) => {
    expect((await ask(path, WHOLE)).status).toBe(200);
    const { cryptoAmount: _, ...rest } = WHOLE;
    expect((await ask(path, { ...rest, fiatValue: 100 })).status).toBe(200);
  });

  it.each([
    ['cryptoAssetSymbol', 'cryptoAssetSymbol must be a string'],
    ['fiatCurrency', 'fiatCurrency must be a string'],
    ['cryptoAmount', 'exactly one of cryptoAmount and fiatValue must be given'],
  ])('%s is required: the sandbox refuses without it, on both endpoints', async (field, message) => {
    for (const path of PATHS) {
      const { status, body } = await ask(path, { ...WHOLE, [field]: undefined });
      expect([status, body.messages]).toEqual([400, [message]]);
    }
  });

  it.each(['userCountryCode', 'userRegionCode'])('%s is not required', async (field) => {
    for (const path of PATHS) expect((await ask(path, { ...WHOLE, [field]: undefined })).status).toBe(200);
    expect(JSON.parse(quoteRequestBody({ ...QUOTE, [field]: undefined }))).not.toHaveProperty(field);
  });

  it.each([
    [{ fiatValue: undefined, cryptoAmount: undefined }],
    [{ fiatValue: '50', cryptoAmount: '1' }],
    [{ fiatValue: undefined, cryptoAmount: '1.5' }],
    [{ fiatValue: '-1', cryptoAmount: undefined }],
  ])('the product sends no request with %j', (amounts) => {
    expect(() => quoteRequestBody({ ...QUOTE, ...amounts })).toThrow(/amount|fiat value/);
  });

  it.each([
    [{ ...WHOLE }, []],
    [{ ...WHOLE, cryptoAmount: undefined }, ['request.fiatValue missing']],
    [{ ...WHOLE, fiatCurrency: undefined }, ['request.fiatCurrency missing']],
    [{ ...WHOLE, cryptoAssetSymbol: undefined }, ['request.cryptoAssetSymbol missing']],
    [{ ...WHOLE, userCountryCode: undefined, userRegionCode: undefined }, []],
  ])('the product reads the request of a captured quote %j', (request, expected) => {
    expect(complaints(captured(request))).toEqual(expected);
  });

  it('cryptoAssetSymbol has the form <CHAIN>_<SYMBOL>; one that is not traded is refused', async () => {
    const answer = await ask(PATHS[0] ?? '', { ...WHOLE, cryptoAssetSymbol: 'ETH_NOTHING' });
    expect([answer.status, answer.body]).toEqual([
      400,
      { code: 'ASSET_NOT_SUPPORTED', statusCode: 400, cryptoAssetSymbol: 'ETH_NOTHING' },
    ]);
  });

  it('userCountryCode leaves out the methods of other countries', async () => {
    const methods = async (country: string | undefined) =>
      Object.keys((await ask(PATHS[0] ?? '', { ...WHOLE, userCountryCode: country })).body);
    expect(await methods('US')).toEqual(['asset', 'CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY']);
    expect(await methods(undefined)).toEqual([
      'asset',
      'MANUAL_BANK_TRANSFER',
      'AUTO_BANK_TRANSFER',
      'CARD_PAYMENT',
      'APPLE_PAY',
      'GOOGLE_PAY',
    ]);
  });

  it.each([
    [{ userRegionCode: 7 }, 'userRegionCode must be a string'],
    [{ userRegionCode: 'Bavaria' }, 'userRegionCode must be the second part of an ISO 3166-2 code'],
    [{ userCountryCode: 'Germany' }, 'userCountryCode must be an ISO 3166-1 alpha-2 code'],
    [{ userCountryCode: 49 }, 'userCountryCode must be a string'],
  ])('parameters are of their declared types: %j is refused', async (wrong, message) => {
    for (const path of PATHS) {
      const { status, body } = await ask(path, { ...WHOLE, ...wrong });
      expect([status, body.messages]).toEqual([400, [message]]);
    }
  });

  it('the body is JSON: another form is refused', async () => {
    expect((await get(sandbox.url, PATHS[0] ?? '')).status).toBe(404);
    const form = await fetch(`${sandbox.url}${PATHS[0]}?hostApiKey=${sandbox.hostApiKey}`, {
      method: 'POST',
      body: new URLSearchParams({ fiatCurrency: 'EUR' }),
    });
    expect(form.status).toBe(415);
  });
});

describe('§2.7 quote result (v3)', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 0 });
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

  /** The table of per-method fields. */
  const FIELDS: readonly [name: string, onramp: string, offramp: string, required: 'yes' | 'no'][] = [
    ['fiatCurrency', 'string', 'string', 'yes'],
    ['cryptoAmount', 'string', 'string', 'yes'],
    ['fiatValue', 'number', 'number', 'yes'],
    ['baseServiceFee', 'number', 'number', 'yes'],
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

  it('a method that does not support the currency takes nothing from the others: a record made by it is the finding', () => {
    const response = `{"asset":${aV3Asset()},"CARD_PAYMENT":${aMethodQuote()},"PIX":${aMethodQuote()}}`;
    const quote = normaliseQuote({
      quoteId: 'q-1',
      direction: 'onramp',
      api: 'v3',
      capturedAt: at('2026-11-01 09:56'),
      request: parseExactJson('{"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","fiatValue":97}'),
      response: parseExactJson(response),
      identifierName: 'Service',
    });
    expect(plain(quote)).toMatchObject({ methods: [{ method: 'CARD_PAYMENT' }, { method: 'PIX' }] });
    const said = (paymentMethod: string) => fieldsOf(methodUnsupported, aCase({ state: aPurchase({ paymentMethod }) }));
    expect(said('CARD_PAYMENT')).toEqual([]);
    expect(said('PIX')).toEqual(['fiat_currency']);
  });

  it('asset is the AssetInfo of §2.2, or the OfframpAssetInfo of §2.3', async () => {
    const wish = { cryptoAssetSymbol: 'ETH_ETH', fiatValue: 100, fiatCurrency: 'EUR' };
    const shape = { symbol: 'ETH', chain: 'ETH', decimals: 18, type: 'NATIVE', address: null, currencyCode: 'EUR' };
    expect((await quote('onramp', wish)).asset).toMatchObject({ ...shape, networkFee: 1.41 });
    expect((await quote('offramp', wish)).asset).toMatchObject(shape);
  });

  // The base fee of the off-ramp may be null in the field.
  it.each(FIELDS)('%s: the product misses it where it is required', (name, _on, _off, required) => {
    const needed = required === 'yes';
    expect(complaints(read({ [name]: undefined }))).toEqual(needed ? [`response.CARD_PAYMENT.${name} missing`] : []);
    expect(complaints(read({ [name]: undefined }, 'offramp'))).toEqual(
      needed && name !== 'baseServiceFee' ? [`response.SEPA.${name} missing`] : [],
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
