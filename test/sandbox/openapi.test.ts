import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrackedLine } from '../../src/sandbox/contract.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import {
  type Checker,
  checkerOf,
  documentAt,
  faultsOf,
  type Json,
  operationsOf,
  withRoutes,
} from '../support/openapi.ts';
import { aSandbox } from './a-sandbox.ts';
import { BUY, CALLS, KEY, ORDER } from './openapi-calls.ts';

let sandbox: Sandbox;
let document: Json;
let checker: Checker;
let routes: string[];
beforeAll(async () => {
  const { started, routes: found } = await withRoutes(() => aSandbox({ partner: true }));
  sandbox = started;
  routes = found;
  document = await documentAt(sandbox.origin);
  checker = checkerOf(document);
});
afterAll(() => sandbox.close());

describe('the document of the sandbox', () => {
  it('is valid OpenAPI 3.1 to an independent validator', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(await faultsOf(document)).toBeNull();
  });

  it('has every route of the server, and no other', () => {
    expect(operationsOf(document)).toEqual(routes);
    expect(routes).toHaveLength(42);
  });

  it('has the query parameters of the specification, and says which are needed', () => {
    const paths = document.paths as Record<string, Record<string, { parameters: Json[] }>>;
    const parameters = (path: string, method: string) =>
      paths[path]?.[method]?.parameters
        .filter((each) => each.in === 'query')
        .map(({ name, required }) => `${name}${required === true ? '!' : ''}`);
    const assets = ['currencyCode', 'withDisabled', 'withHidden', 'hostApiKey', 'userIp'];
    expect(parameters('/api/host-api/v3/assets', 'get')).toEqual(assets);
    expect(parameters('/api/host-api/v3/offramp/assets', 'get')).toEqual(assets);
    expect(parameters('/api/host-api/v2/assets', 'get')).toEqual(assets);
    expect(parameters('/api/host-api/assets', 'get')).toEqual(['onlyEnabled', 'omitHidden', 'hostApiKey', 'userIp']);
    expect(parameters('/api/host-api/v3/currencies', 'get')).toEqual(['countryCode']);
    expect(parameters('/api/host-api/quote', 'post')).toEqual(['hostApiKey!']);
    expect(parameters('/api/host-api/purchase/{id}', 'get')).toEqual(['secret!']);
    expect(parameters('/api/host-api/offramp/sale/{id}', 'get')).toEqual(['secret!']);
  });

  it('has the limits on everything below /api, and on nothing else', () => {
    const limited = Object.entries(document.paths as Record<string, Record<string, { responses: Json }>>)
      .filter(([, item]) => Object.values(item).every(({ responses }) => '429' in responses))
      .map(([path]) => path);
    expect(limited.every((path) => path.startsWith('/api/'))).toBe(true);
    expect(limited).toHaveLength(15);
  });

  it('has the webhooks, with the header that they are signed in', () => {
    const { purchase } = document.webhooks as Record<string, { post: Json }>;
    expect(purchase?.post.parameters).toMatchObject([{ name: 'X-Body-Signature', in: 'header', required: true }]);
    expect(purchase?.post.security).toEqual([{ bodySignature: [] }]);
  });

  it('has examples that are what they are examples of', () => {
    const { shown, faults } = checker.examples();
    expect(faults).toEqual([]);
    expect(shown).toBeGreaterThan(100);
  });

  it('requires what the specification declares, with bodies of the specification (spec §2.8, §2.9, §2.10)', async () => {
    const declared = await aSandbox({ records: 0, bodies: 'spec' });
    const text = await documentAt(declared.origin);
    await declared.close();
    expect(await faultsOf(text)).toBeNull();
    expect(checkerOf(text).examples().faults).toEqual([]);
    const { schemas } = text.components as { schemas: Record<string, { required: string[]; properties: object }> };
    expect(schemas.Purchase?.required.toSorted()).toEqual(
      [
        ...['id', 'endTime', 'asset', 'cryptoAmount', 'fiatCurrency', 'fiatValue', 'assetExchangeRate'],
        ...[
          'assetExchangeRateEur',
          'baseServiceFee',
          'networkFee',
          'appliedFee',
          'purchaseViewToken',
          'receiverAddress',
        ],
        ...['createdAt', 'updatedAt', 'status', 'finalTxHash', 'paymentMethodType'],
      ].sort(),
    );
    expect(schemas.Sale?.required.toSorted()).toEqual(['createdAt', 'crypto', 'fiat', 'id', 'purchaseViewToken']);
    // The v1 request has none of v3's parameters.
    const fields = Object.keys(schemas.QuoteRequestBodyV1?.properties ?? {});
    expect(fields.toSorted()).toEqual([
      'cryptoAmount',
      'cryptoAssetSymbol',
      'fiatCurrency',
      'fiatValue',
      'paymentMethodType',
    ]);
  });

  it("has the maker's name in identifiers where the sandbox has it", async () => {
    const maker = await aSandbox({ identifierName: 'Maker' });
    const text = JSON.stringify(await documentAt(maker.origin));
    await maker.close();
    expect(text).toContain('"baseMakerFee"');
    expect(text).not.toContain('"baseServiceFee"');
  });
});

async function faultOf(operation: string, path: string, status: number, body?: unknown, headers = {}) {
  const sent =
    body === undefined
      ? { headers }
      : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  const response = await fetch(sandbox.origin + path, { ...sent, method: operation.split(' ')[0] ?? 'GET' });
  const text = await response.text();
  if (response.status !== status) return `answered ${response.status}: ${text}`;
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
  return checker.answer(operation, status, mediaType, mediaType === 'application/json' ? JSON.parse(text) : text);
}

describe('what the sandbox answers is what the document says', () => {
  it.each(CALLS)('%s: %s is %i', async (operation, path, status, body) => {
    expect(await faultOf(operation, path, status, body)).toBeNull();
    if (status < 300 && body !== undefined) expect(checker.request(operation, body)).toBeNull();
  });

  it('a body that the server refuses, the document refuses too', () => {
    expect(checker.request('POST /api/host-api/quote', {})).toMatch(/required/);
    expect(checker.request('POST /api/host-api/quote', { ...BUY, cryptoAmount: '1' })).toMatch(/oneOf/);
    expect(checker.request('POST /api/host-api/v3/onramp/quote/all', { ...BUY, fiatValue: '100' })).toMatch(/number/);
    expect(checker.request('POST /sandbox/night', { night: 3 })).toMatch(/allowed values/);
    expect(checker.request('POST /sandbox/live', { ...ORDER, kind: 'swap' })).toMatch(/allowed values/);
  });

  it('every seeded record, and every quote that was captured', async () => {
    const lines: TrackedLine[] = [...sandbox.trackedLines()];
    expect(lines).toHaveLength(60);
    for (const { kind, id, view_token } of lines) {
      const path = kind === 'purchase' ? 'purchase' : 'offramp/sale';
      const operation = `GET /api/host-api/${path}/{id}`;
      expect(await faultOf(operation, `/api/host-api/${path}/${id}?secret=${view_token}`, 200)).toBeNull();
      expect(await faultOf(operation, `/api/host-api/${path}/${id}?secret=wrong`, 403)).toBeNull();
    }
    const names = { onramp: { v1: 'QuoteResultV1', v3: 'QuoteResult' }, offramp: { v1: '', v3: 'OfframpQuoteResult' } };
    for (const { direction, api_version, response } of sandbox.quoteLines()) {
      expect(checker.component(names[direction][api_version], response)).toBeNull();
    }
  });

  it('a purchase made at the page, from its order to its release', async () => {
    const order = {
      direction: 'onramp',
      asset: 'ETH_ETH',
      currency: 'EUR',
      amount: '100',
      unit: 'fiat',
      country: null,
      parameters: `hostAppName=App&hostLogoUrl=https%3A%2F%2Fapp.example%2F&${KEY}`,
      method: 'CARD_PAYMENT',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      outcome: 'held',
      quotedAt: new Date(sandbox.now).toISOString(),
    };
    expect(checker.request('POST /widget/orders', order)).toBeNull();
    expect(await faultOf('POST /widget/orders', '/widget/orders', 201, order)).toBeNull();
    const made = sandbox.live.records().at(-1);
    const headers = { 'x-view-token': made?.view_token };
    const progress = `/widget/purchases/${made?.id}`;
    expect(await faultOf('GET /widget/purchases/{id}', progress, 200, undefined, headers)).toBeNull();
    expect(await faultOf('GET /widget/purchases/{id}', progress, 403)).toBeNull();
    const release = 'POST /api/widget/testing/purchase/{id}/release';
    const path = `/api/widget/testing/purchase/${made?.id}/release`;
    expect(await faultOf(release, `${path}?secret=${made?.view_token}`, 200, {})).toBeNull();
    expect(await faultOf(release, `${path}?secret=wrong`, 403, {})).toBeNull();
    expect(await faultOf(release, path, 401, {})).toBeNull();
    const tamper = 'POST /sandbox/live/{id}/tamper';
    expect(await faultOf(tamper, `/sandbox/live/${made?.id}/tamper`, 200, { appliedFee: 9.99 })).toBeNull();
  });

  it('a sale made by a call, and both of its paths', async () => {
    const { id, viewToken } = sandbox.live.create({ ...ORDER, kind: 'sale', method: 'SEPA' });
    const query = `${id}?secret=${viewToken}`;
    for (const path of ['/api/host-api/offramp/sale/', '/api/host-api/v3/offramp/sale/']) {
      expect(await faultOf(`GET ${path}{id}`, path + query, 200)).toBeNull();
    }
    const headers = { 'x-view-token': viewToken };
    expect(await faultOf('GET /widget/sales/{id}', `/widget/sales/${id}`, 200, undefined, headers)).toBeNull();
  });

  it('no endpoint was left out of this', () => {
    const inOwnTests = [
      'GET /api/host-api/offramp/sale/{id}',
      'GET /api/host-api/v3/offramp/sale/{id}',
      'POST /api/widget/testing/purchase/{id}/release',
    ];
    const called = new Set([...CALLS.map(([operation]) => operation), ...inOwnTests]);
    expect([...called].sort()).toEqual(operationsOf(document));
  });
});

describe('what can only be had from a stricter sandbox', () => {
  it('429 has the envelope of the framework', async () => {
    const strict = await aSandbox({ rateLimits: [{ requests: 1, perMs: 60_000 }] });
    await fetch(`${strict.url}/host-api/countries`);
    const response = await fetch(`${strict.url}/host-api/countries`);
    const body: unknown = await response.json();
    // The page and the document are no part of the Service, and cost nothing of its allowance.
    expect((await fetch(`${strict.origin}/openapi.json`)).status).toBe(200);
    expect(strict.stats().requests).toBe(2);
    await strict.close();
    expect(checker.answer('GET /api/host-api/countries', response.status, 'application/json', body)).toBeNull();
    expect(response.status).toBe(429);
  });
});
