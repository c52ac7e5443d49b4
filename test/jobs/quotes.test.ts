import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quotes } from '../../jobs/quotes.ts';
import { recheck } from '../../jobs/recheck.ts';
import { aReceiver, NOW, type Receiver } from '../intake/webhooks/a-receiver.ts';
import { aMethodQuote, aPurchase, aSale, aV3Asset } from '../service/bodies.ts';
import { httpServer, type TestServer } from '../service/http-server.ts';

const NOTHING_ASKED = { businessDate: null, selection: null, resume: false, maxDurationMs: null, maxRequests: null };
const ETH = aV3Asset({
  symbol: '"ETH"',
  name: '"Ether"',
  decimals: '18',
  type: '"NATIVE"',
  address: 'null',
  price: '{"EUR":2500}',
  networkFee: '0.86',
});
const PROMISE = {
  cryptoAmount: '"40000000000000000"',
  fiatValue: '104.76',
  baseServiceFee: '3.9',
  appliedFee: '4.76',
};
/** Methods that the v3 answer offers. */
const v3Answer = (...methods: string[]) =>
  `{"asset":${ETH},${methods.map((method) => `"${method}":${aMethodQuote(PROMISE)}`).join(',')}}`;
const V1_ANSWER = `{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","cryptoAmount":"40000000000000000","fiatValue":104.76,
  "paymentMethodType":"CARD_PAYMENT","asset":{"symbol":"ETH","name":"Ether","decimals":18,"address":null,"type":"ETH"},
  "assetExchangeRate":2500,"assetExchangeRateEur":2500,"fiatExchangeRateEur":1,"baseServiceFee":3.9,"networkFee":0.86,"appliedFee":4.76}`;

let service: TestServer;
let receiver: Receiver;
let answers: { v3: [number, string]; v1: [number, string] };
beforeEach(async () => {
  answers = { v3: [200, v3Answer('CARD_PAYMENT', 'APPLE_PAY')], v1: [200, V1_ANSWER] };
  service = await httpServer((response, { url }) => {
    const record: [number, string] = [200, aPurchase({ status: '"INITIALIZED"', finalTxHash: undefined })];
    const [status, text] = url.includes('/v3/') ? answers.v3 : url.includes('/quote') ? answers.v1 : record;
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  receiver = await aReceiver({ TIEOUT_HOST_API_KEY: 'host-key' }, { 'service.url': service.baseUrl });
});
afterEach(async () => {
  await receiver.close();
  await service.close();
});

const created = (fields = {}) =>
  receiver.webhook(
    'purchase',
    `{"type":"CREATED","purchase":${aPurchase({ status: '"INITIALIZED"', finalTxHash: undefined, ...fields })}}`,
  );
/** The server asks by itself, after its answer. */
const quotesStored = async (count: number) => {
  await expect.poll(() => receiver.app.store.quotes.count()).toBe(count);
};
const paths = () => service.requests.map(({ url }) => url.split('?')[0]);

describe('a CREATED webhook without a quote', () => {
  it('sets off a v3 quote for the same asset, currency and amount', async () => {
    await created();
    await quotesStored(1);
    expect(paths()).toEqual(['/api/host-api/v3/onramp/quote/all']);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'EUR',
      fiatValue: 104.76,
    });
  });

  it('is matched with that quote as captured', async () => {
    await created();
    await quotesStored(1);
    receiver.goTo(NOW + 60_000);
    const result = await receiver.app.run(recheck, NOTHING_ASKED);
    if (result.outcome !== 'reconciled') throw new Error(result.outcome);
    const [record] = await receiver.app.store.items.cases(result.run, null, 10);
    expect(record?.linked).toBeNull();
    // No QUOTE_MISSING, and a fee that agrees: this record has no finding.
    expect(result.tally.infos.has('QUOTE_MISSING')).toBe(false);
    expect([...result.tally.rules.keys()]).toEqual([]);
    expect(result.tally.verdicts).toMatchObject({ pending: 1, break: 0 });
  });

  it('asks v1 where v3 does not list its method', async () => {
    answers.v3 = [200, v3Answer('APPLE_PAY')];
    await created();
    await quotesStored(1);
    expect(paths()).toEqual(['/api/host-api/v3/onramp/quote/all', '/api/host-api/quote']);
    expect(JSON.parse(service.requests[1]?.body ?? '')).toMatchObject({ paymentMethodType: 'CARD_PAYMENT' });
  });

  it('asks once, also where the Service gives none', async () => {
    answers.v3 = [400, '{"code":"NO","statusCode":400}'];
    await created();
    await expect.poll(() => service.requests.length).toBe(1);
    // The server's own job may not have ended yet, and holds the lock until then.
    const again = () => receiver.app.run(quotes, NOTHING_ASKED).catch(() => null);
    await expect.poll(again).toMatchObject({ counts: { refused: 1, captured: 0 } });
    expect(service.requests).toHaveLength(1);
  });

  it('asks for nothing where the application captured one itself', async () => {
    const request = '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":104.76}';
    const line = `{"quote_id":"q-17","direction":"onramp","api_version":"v3","captured_at":"2026-11-01T09:56:00Z","request":${request},"response":${v3Answer('CARD_PAYMENT')}}`;
    const authorization = { authorization: 'Bearer intake-token-0123456789' };
    expect(await receiver.post('/quotes', line, authorization)).toMatchObject({
      status: 200,
      text: '{"outcome":"added"}',
    });
    expect(await receiver.post('/quotes', line, authorization)).toMatchObject({
      status: 200,
      text: '{"outcome":"unchanged"}',
    });
    expect((await receiver.post('/quotes', line.replace('4.76', '4.77'), authorization)).status).toBe(409);
    expect((await receiver.post('/quotes', '{"quote_id":"q-18"}', authorization)).status).toBe(400);
    await created();
    await expect.poll(() => receiver.logged()).toContain('"present":1');
    expect(service.requests).toEqual([]);
  });

  it('asks for nothing where the record is older than a captured quote may be', async () => {
    await created({ createdAt: '"2026-11-01T09:54:00.000Z"' });
    await expect.poll(() => receiver.logged()).toContain('"expired":1');
    expect(service.requests).toEqual([]);
  });

  it('of a sale asks for its crypto amount', async () => {
    answers.v3 = [
      200,
      `{"asset":${ETH},"SEPA":${aMethodQuote({ cryptoAmount: '"100000000000000000"', fiatValue: '245' })}}`,
    ];
    await receiver.webhook('sale', `{"id":"e-1","type":"CREATED","mode":"OFFRAMP","payload":${aSale()}}`);
    await quotesStored(1);
    expect(paths()).toEqual(['/api/host-api/v3/offramp/quote/all']);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject({ cryptoAmount: '100000000000000000' });
  });
});
