import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { QuoteRequest, RawCall, ServiceClient } from '../../src/ports/service.ts';
import type { ServiceClientOptions } from '../../src/service/client.ts';
import { aMethodQuote, anAssetsAnswer, aPurchase, aV3Asset, PURCHASE_ID, SALE_ID, TOKEN } from './bodies.ts';
import { clientUnderTest, NOW } from './client-under-test.ts';
import { httpServer, sendHtml, sendJson } from './http-server.ts';

const KEY = 'key-of-the-host';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function clientOf(body: string, status = 200, options: Partial<ServiceClientOptions> = {}) {
  const server = await httpServer((response) => sendJson(response, body, status));
  open.push(server);
  const tested = clientUnderTest(server.baseUrl, options);
  open.push(tested.client);
  return { ...tested, requests: server.requests };
}

/** What a call throws, having checked that no secret is in it. */
async function thrownBy(call: Promise<unknown>): Promise<{ name: string; message: string }> {
  const error: unknown = await call.then(
    () => new Error('nothing was thrown'),
    (reason) => reason,
  );
  if (!(error instanceof Error)) throw new Error('no error');
  const shown = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)} ${error.stack}`;
  for (const secret of [KEY, TOKEN, '/host-api/', 'secret=']) expect(shown).not.toContain(secret);
  return { name: error.name, message: error.message };
}

const QUOTE: QuoteRequest = {
  api: 'v3',
  direction: 'onramp',
  cryptoAssetSymbol: 'ETH_USDC',
  fiatCurrency: 'EUR',
  fiatValue: '97.00000000000000001',
};
const QUOTED = `{"asset":${aV3Asset()},"PIX":${aMethodQuote()}}`;
const HOW = { pace: 'burst', quoteId: 'q-1' } as const;

describe('quotes', () => {
  it('are asked for with every digit, and kept as sent and received', async () => {
    const { client, requests, notes } = await clientOf(QUOTED);
    const { request, response, quote } = await client.quote(QUOTE, HOW);
    expect(requests).toMatchObject([
      { method: 'POST', url: `/api/host-api/v3/onramp/quote/all?hostApiKey=${KEY}`, body: request },
    ]);
    expect(request).toBe('{"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","fiatValue":97.00000000000000001}');
    expect(response).toBe(QUOTED);
    expect(quote).toMatchObject({ quoteId: 'q-1', capturedAt: NOW, methods: [{ method: 'PIX' }] });
    // A person waits: rather an error than a quarter of an hour of silence.
    expect(notes.acquired).toEqual([{ pace: 'burst', mayWait: false }]);
  });

  it('of each version and direction have their own address and fields', async () => {
    const { client, requests, notes } = await clientOf(QUOTED);
    await thrownBy(client.quote({ ...QUOTE, api: 'v1', paymentMethodType: 'PIX', userCountryCode: 'BR' }, HOW));
    const units = { fiatValue: undefined, cryptoAmount: '100000000' };
    await client.quote({ ...QUOTE, ...units, direction: 'offramp', userCountryCode: 'FR' } as QuoteRequest, HOW);
    const region = { paymentMethodType: 'PIX', userCountryCode: 'US', userRegionCode: 'CA', fiatValue: '97.00' };
    await client.quote({ ...QUOTE, ...region }, { ...HOW, pace: 'paced' });
    expect(requests.map(({ url, body }) => `${url} ${body}`)).toEqual([
      `/api/host-api/quote?hostApiKey=${KEY} {"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","paymentMethodType":"PIX","fiatValue":97.00000000000000001}`,
      `/api/host-api/v3/offramp/quote/all?hostApiKey=${KEY} {"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","cryptoAmount":"100000000","userCountryCode":"FR"}`,
      `/api/host-api/v3/onramp/quote/all?hostApiKey=${KEY} {"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","userCountryCode":"US","userRegionCode":"CA","fiatValue":97}`,
    ]);
    // A job waits for its slot, a person does not.
    expect(notes.acquired.map(({ mayWait }) => mayWait)).toEqual([false, false, true]);
  });

  it.each([
    [{}, { hostApiKey: null }, /^quotes need an integration key; set TIEOUT_HOST_API_KEY/],
    [{ api: 'v1', direction: 'offramp' }, {}, /the API v1 has no "offramp-quote"; ask v3/],
    [{ cryptoAmount: '1' }, {}, /needs one amount/],
    [{ fiatValue: 'ten' }, {}, /must be a positive number such as 49.90, not "ten"/],
    [{ fiatValue: undefined }, {}, /^a quote needs one amount: either the crypto amount in units or the fiat value$/],
    [{ fiatValue: '0' }, {}, /must be a positive number/],
    [{ fiatValue: '-5' }, {}, /must be a positive number such as 49.90, not "-5"$/],
    [{ fiatValue: '1e41' }, {}, /must be a positive number/],
    [{ fiatValue: 'x'.repeat(50) }, {}, /not "x{40}"$/],
    [
      { fiatValue: undefined, cryptoAmount: '0.5' },
      {},
      /^the crypto amount must be a whole number of units \(wei\), not "0.5"$/,
    ],
    [{ fiatValue: undefined, cryptoAmount: '1'.repeat(79) }, {}, /must be a whole number of units/],
    [{ fiatValue: undefined, cryptoAmount: '1x' }, {}, /must be a whole number of units/],
  ] as const)('that cannot be right are not sent: %j', async (overrides, options, message) => {
    const { client, requests } = await clientOf(QUOTED, 200, options);
    expect((await thrownBy(client.quote({ ...QUOTE, ...overrides } as QuoteRequest, HOW))).message).toMatch(message);
    expect(requests).toEqual([]);
  });

  it.each([
    [
      400,
      '{"code":"SWAP.VALIDATION.SWAP_VALUE_IS_ZERO","statusCode":400}',
      'RequestRejectedError',
      /HTTP 400, SWAP\.VALIDATION/,
    ],
    [403, '{"message":"Forbidden"}', 'RequestRejectedError', /HTTP 403$/],
    [429, '{}', 'RequestRejectedError', /HTTP 429, RATE_LIMITED/],
    [500, '{"code":"X"}', 'ServerFailureError', /failed 4 times, last with HTTP 500/],
    [302, '{}', 'RedirectedError', /HTTP 302/],
    [200, '<html>', 'NotJsonError', /ends in \/api/],
    [200, '{"a":1,"a":2}', 'UnreadableAnswerError', /the same key twice/],
    [200, '{"a":', 'TruncatedBodyError', /ended too early/],
    [
      200,
      `{"asset":${aV3Asset()},"PIX":{"appliedFee":"1","cryptoAmount":"1"}}`,
      'AnswerDriftError',
      /response\.PIX\.appliedFee: expected a number, found a string/,
    ],
  ])('that fail say why: %i %s', async (status, body, name, message) => {
    const { client } = await clientOf(body, status);
    const thrown = await thrownBy(client.quote(QUOTE, HOW));
    expect(thrown.name).toBe(name);
    expect(thrown.message).toMatch(message);
  });
});

describe('reference data', () => {
  it('assets: of every kind, for one currency', async () => {
    const body = anAssetsAnswer();
    const { client, requests, notes } = await clientOf(body, 200, { userIp: '203.0.113.7' });
    const answer = await client.assets({
      direction: 'onramp',
      currency: 'EUR',
      withDisabled: true,
      withHidden: false,
      pace: 'paced',
    });
    expect(answer).toMatchObject({
      sha256: createHash('sha256').update(body).digest('hex'),
      body,
      at: NOW,
      global: { currencyCode: 'EUR' },
      assets: [{ chain: 'ETH', symbol: 'USDC' }],
      leftOut: [],
    });
    expect(requests[0]?.url).toBe(
      `/api/host-api/v3/assets?currencyCode=EUR&withDisabled=true&withHidden=false&hostApiKey=${KEY}&userIp=203.0.113.7`,
    );
    expect(notes.acquired).toEqual([{ pace: 'paced', mayWait: true }]);
  });

  it('assets of which none can be read are no list: the Service offered some', async () => {
    const { client } = await clientOf(anAssetsAnswer({ assets: '[{"symbol":"ETH","chain":"ETH","decimal":18}]' }));
    const thrown = await thrownBy(client.assets({ direction: 'onramp', currency: 'EUR', pace: 'burst' }));
    expect(thrown.message).toMatch(/^the assets answer has changed its shape: assets\[0\]\.decimals: expected/);
  });

  it('assets as for another address than the configured one', async () => {
    const { client, requests } = await clientOf(anAssetsAnswer(), 200, { userIp: '203.0.113.7' });
    await client.assets({ direction: 'onramp', currency: 'EUR', pace: 'burst', userIp: '198.51.100.1' });
    expect(requests[0]?.url).toBe(`/api/host-api/v3/assets?currencyCode=EUR&hostApiKey=${KEY}&userIp=198.51.100.1`);
  });

  it('off-ramp assets need no key', async () => {
    const { client, requests } = await clientOf(anAssetsAnswer(), 200, { hostApiKey: null });
    await client.assets({ direction: 'offramp', currency: 'EUR', pace: 'burst' });
    expect(requests[0]?.url).toBe('/api/host-api/v3/offramp/assets?currencyCode=EUR');
  });

  it('assets of the earlier versions, with the parameters that each has', async () => {
    const v2 = await clientOf(anAssetsAnswer({ assets: '[]' }));
    const two = await v2.client.assets({ api: 'v2', currency: 'EUR', withHidden: true, pace: 'burst' });
    expect([two.global.currencyCode, v2.requests[0]?.url]).toEqual([
      'EUR',
      `/api/host-api/v2/assets?currencyCode=EUR&withHidden=true&hostApiKey=${KEY}`,
    ]);
    const head = '"minPurchaseAmountEur":3,"maxPurchaseAmountEur":20000,"minFeeAmountEur":2.49';
    const v1 = await clientOf(`{"assets":[],${head},"minFeePercent":0.99,"maxFeePercent":3.9}`);
    const one = await v1.client.assets({ api: 'v1', onlyEnabled: true, omitHidden: false, pace: 'burst' });
    expect([one.global.currencyCode, v1.requests[0]?.url]).toEqual([
      'EUR',
      `/api/host-api/assets?onlyEnabled=true&omitHidden=false&hostApiKey=${KEY}`,
    ]);
  });

  it('countries: no list of assets means all, an empty one none', async () => {
    const listed = (code: string, rest: string) =>
      `{"code":"${code}","name":"N","cardPaymentsEnabled":true,"mainCurrencyCode":"EUR"${rest}}`;
    const body = `[${listed('DE', '')},${listed('FR', ',"supportedAssets":null')},${listed('IE', ',"supportedAssets":[]')}]`;
    const { client, requests } = await clientOf(body);
    const { countries } = await client.countries({ pace: 'burst' });
    expect(countries.map(({ code, supportedAssets }) => [code, supportedAssets])).toEqual([
      ['DE', null],
      ['FR', null],
      ['IE', []],
    ]);
    expect(requests[0]?.url).toBe('/api/host-api/countries');
  });

  it.each([
    [
      'assets',
      (client: ServiceClient) => client.assets({ direction: 'onramp', currency: 'EUR', pace: 'burst' }),
      'the assets answer',
    ],
    ['countries', (client: ServiceClient) => client.countries({ pace: 'burst' }), 'the list of countries'],
    [
      'methods',
      (client: ServiceClient) => client.methods({ direction: 'onramp', pace: 'burst' }),
      'the list of methods',
    ],
    ['currencies', (client: ServiceClient) => client.currencies({ pace: 'burst' }), 'the list of currencies'],
  ])('%s of another shape are named', async (_, asking, what) => {
    const { client } = await clientOf('"x"');
    const { name, message } = await thrownBy(asking(client));
    expect([name, message.split(' has ')[0]]).toEqual(['AnswerDriftError', what]);
  });

  it('a currency that the Service does not have', async () => {
    const { client } = await clientOf('{"code":"FIAT_CURRENCY_NOT_SUPPORTED"}', 400);
    const asking = client.assets({ direction: 'onramp', currency: 'ARS', pace: 'paced' });
    await expect(asking).rejects.toMatchObject({ httpStatus: 400, errorCode: 'FIAT_CURRENCY_NOT_SUPPORTED' });
  });

  it('methods and currencies', async () => {
    const methods = '[{"name":"PIX","currencies":["BRL"],"countries":["br"]}]';
    const one = await clientOf(methods);
    expect(await one.client.methods({ direction: 'offramp', pace: 'paced' })).toMatchObject({
      body: methods,
      methods: [{ name: 'PIX', currencies: ['BRL'], countries: ['br'] }],
    });
    const other = await clientOf(
      '[{"fiatCurrency":"EUR","name":"Euro","onrampAvailable":true,"offrampAvailable":true}]',
    );
    expect(await other.client.currencies({ country: 'FR', pace: 'paced' })).toMatchObject({
      currencies: [{ code: 'EUR' }],
    });
    await one.client.methods({ direction: 'onramp', pace: 'burst' });
    await other.client.currencies({ pace: 'burst' });
    expect([...one.requests, ...other.requests].map(({ url }) => url)).toEqual([
      '/api/host-api/v3/payout-methods',
      '/api/host-api/v3/payment-methods',
      '/api/host-api/v3/currencies?countryCode=fr',
      '/api/host-api/v3/currencies',
    ]);
    expect([...one.notes.acquired, ...other.notes.acquired].map(({ mayWait }) => mayWait)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('any endpoint', () => {
  it.each([
    [
      { name: 'assets', api: 'v1', query: { onlyEnabled: 'true' } },
      `/host-api/assets?hostApiKey=${KEY}&onlyEnabled=true`,
    ],
    [{ name: 'assets', api: 'v2', query: {} }, `/host-api/v2/assets?hostApiKey=${KEY}`],
    [{ name: 'assets', api: 'v3', query: { hostApiKey: 'mine' } }, '/host-api/v3/assets?hostApiKey=mine'],
    [{ name: 'offramp-assets', api: 'v3', query: {} }, `/host-api/v3/offramp/assets?hostApiKey=${KEY}`],
    [{ name: 'payment-methods', api: 'v3', query: {} }, '/host-api/v3/payment-methods'],
    [{ name: 'payout-methods', api: 'v3', query: {} }, '/host-api/v3/payout-methods'],
    [{ name: 'currencies', api: 'v3', query: { countryCode: 'fr' } }, '/host-api/v3/currencies?countryCode=fr'],
    [{ name: 'countries', api: 'v1', query: {} }, '/host-api/countries'],
    [{ name: 'quote', api: 'v1', query: {}, body: '{}' }, `/host-api/quote?hostApiKey=${KEY}`],
    [{ name: 'quote', api: 'v3', query: {}, body: '{}' }, `/host-api/v3/onramp/quote/all?hostApiKey=${KEY}`],
    [{ name: 'offramp-quote', api: 'v3', query: {}, body: '{}' }, `/host-api/v3/offramp/quote/all?hostApiKey=${KEY}`],
    [
      { name: 'purchase', api: 'v1', query: {}, id: PURCHASE_ID, token: TOKEN },
      `/host-api/purchase/${PURCHASE_ID}?secret=${TOKEN}`,
    ],
    [
      { name: 'sale', api: 'v3', query: {}, id: SALE_ID, token: TOKEN },
      `/host-api/offramp/sale/${SALE_ID}?secret=${TOKEN}`,
    ],
  ] satisfies [RawCall, string][])('%j', async (call, url) => {
    const body = '{ "n": 1.10 }';
    const { client, requests, notes } = await clientOf(body);
    expect(await client.raw(call)).toEqual({ httpStatus: 200, body });
    expect(requests[0]?.url).toBe(`/api${url}`);
    expect(notes.acquired).toEqual([{ pace: 'burst', mayWait: false }]);
  });

  it('answers with errors of the Service as they are', async () => {
    const { client } = await clientOf('{"code":"NOPE"}', 404);
    expect(await client.raw({ name: 'countries', api: 'v1', query: {} })).toEqual({
      httpStatus: 404,
      body: '{"code":"NOPE"}',
    });
  });

  it('is not asked for what cannot be', async () => {
    const { client, requests } = await clientOf('{}', 200, { hostApiKey: null });
    const messages = [
      await thrownBy(client.raw({ name: 'purchase', api: 'v3', query: {} })),
      await thrownBy(client.raw({ name: 'purchase', api: 'v1', query: {}, id: 'x' })),
      await thrownBy(client.raw({ name: 'sale', api: 'v3', query: {}, token: TOKEN })),
      await thrownBy(client.raw({ name: 'quote', api: 'v3', query: {}, body: '{}' })),
      await thrownBy(client.raw({ name: 'quote', api: 'v3', query: { hostApiKey: 'mine' } })),
    ];
    expect(messages.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      'UnknownEndpointError: the API v3 has no "purchase"; ask v1',
      'InvalidRequestError: reading one purchase needs its id and its view token',
      'InvalidRequestError: reading one sale needs its id and its view token',
      'HostApiKeyMissingError: quotes need an integration key; set TIEOUT_HOST_API_KEY or TIEOUT_HOST_API_KEY_FILE',
      'InvalidRequestError: a quote needs a request body',
    ]);
    expect(requests).toEqual([]);
  });

  it('fails with our own errors, without the address', async () => {
    const server = await httpServer((response) => sendHtml(response, 502));
    open.push(server);
    const { client } = clientUnderTest(server.baseUrl);
    open.push(client);
    const call: RawCall = { name: 'purchase', api: 'v1', query: {}, id: PURCHASE_ID, token: TOKEN };
    expect((await thrownBy(client.raw(call))).name).toBe('NotJsonError');
    await server.close();
    expect((await thrownBy(client.raw(call))).name).toBe('ConnectionRefusedError');
  });
});

it('a purchase is read at the configured sale path’s neighbour, for any such path', async () => {
  const { client, requests } = await clientOf(aPurchase(), 200, { salePath: '/host-api/v3/offramp/sale/{id}' });
  await client.fetchRecord({ kind: 'sale', id: SALE_ID, token: TOKEN }, { pace: 'burst' });
  await client.fetchRecord({ kind: 'purchase', id: PURCHASE_ID, token: TOKEN }, { pace: 'burst' });
  expect(requests.map(({ url }) => url.split('?')[0])).toEqual([
    `/api/host-api/v3/offramp/sale/${SALE_ID}`,
    `/api/host-api/purchase/${PURCHASE_ID}`,
  ]);
});
