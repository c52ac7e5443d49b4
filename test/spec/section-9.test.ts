import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawCall } from '../../src/ports/service.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { apisOf, endpointOf } from '../../src/service/urls.ts';
import { get } from '../sandbox/a-sandbox.ts';
import { clientUnderTest } from '../service/client-under-test.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 0 });
});
afterAll(() => sandbox.close());

/** 404 in the framework's envelope is an unknown path; any other answer shows that the path exists. */
async function isServed(path: string): Promise<boolean> {
  const { status, body } = await get(sandbox.url, path);
  return !(status === 404 && String(body.message).startsWith('Cannot GET'));
}

const paths = (api: RawCall['api'], names: readonly RawCall['name'][]) =>
  names.filter((name) => apisOf(name).includes(api)).map((name) => endpointOf(name, api).path);

const ALL: readonly RawCall['name'][] = [
  'assets',
  'offramp-assets',
  'payment-methods',
  'payout-methods',
  'currencies',
  'countries',
  'quote',
  'offramp-quote',
  'purchase',
  'sale',
];

describe('§9.1 v3', () => {
  it('its paths begin with /host-api/v3/, except the sale’s', () => {
    expect(paths('v3', ALL)).toEqual([
      '/host-api/v3/assets',
      '/host-api/v3/offramp/assets',
      '/host-api/v3/payment-methods',
      '/host-api/v3/payout-methods',
      '/host-api/v3/currencies',
      '/host-api/v3/onramp/quote/all',
      '/host-api/v3/offramp/quote/all',
      '/host-api/offramp/sale/{id}',
    ]);
  });

  it.each(['offramp/assets', 'payout-methods', 'currencies'])('%s exists in v3 only', async (name) => {
    expect(await isServed(`/host-api/v3/${name}`)).toBe(true);
    expect(await isServed(`/host-api/v2/${name}`)).toBe(false);
    expect(await isServed(`/host-api/${name}`)).toBe(false);
  });
});

describe('§9.2 v2', () => {
  it('is assets only, below /host-api/v2/', async () => {
    expect(paths('v2', ALL)).toEqual(['/host-api/v2/assets']);
    const others = ['payment-methods', 'countries', 'purchase/x'].map((name) => isServed(`/host-api/v2/${name}`));
    expect(await Promise.all([isServed('/host-api/v2/assets'), ...others])).toEqual([true, false, false, false]);
  });
});

describe('§9.3 v1', () => {
  it('is assets, countries, quote and purchase, unversioned', async () => {
    expect(paths('v1', ALL)).toEqual([
      '/host-api/assets',
      '/host-api/countries',
      '/host-api/quote',
      '/host-api/purchase/{id}',
    ]);
    expect(await isServed('/host-api/payment-methods')).toBe(false);
  });
});

describe('§9.4 the latest version is recommended', () => {
  it('the product takes its reference data from v3', async () => {
    const { client } = clientUnderTest(sandbox.url, { timeoutMs: 20_000 });
    for (const direction of ['onramp', 'offramp'] as const) {
      await client.assets({ direction, currency: 'EUR', pace: 'burst' });
      await client.methods({ direction, pace: 'burst' });
    }
    await client.currencies({ pace: 'burst' });
    await client.close();
    const asked = Object.keys(sandbox.stats().byEndpoint).filter((name) => name.startsWith('GET /host-api/v3/'));
    expect(asked).toEqual(
      expect.arrayContaining([
        'GET /host-api/v3/assets',
        'GET /host-api/v3/offramp/assets',
        'GET /host-api/v3/payment-methods',
        'GET /host-api/v3/payout-methods',
        'GET /host-api/v3/currencies',
      ]),
    );
  });

  it('where several versions have an endpoint, the last one is named last', () => {
    expect([apisOf('assets'), apisOf('quote')]).toEqual([
      ['v1', 'v2', 'v3'],
      ['v1', 'v3'],
    ]);
  });
});

describe('§9.5 retirement dates are not shown', () => {
  it('so every version is there, today and years from now', async () => {
    await using later = await aSpecSandbox({
      records: 0,
      clock: () => Date.UTC(2036, 0, 1),
      now: Date.UTC(2036, 0, 1),
    });
    for (const path of ['/host-api/assets', '/host-api/v2/assets', '/host-api/v3/assets', '/host-api/countries']) {
      expect((await get(later.url, path)).status).toBe(200);
    }
  });
});
