import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawCall, ServiceClient } from '../../src/ports/service.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { buildWidgetUrl } from '../../src/widget/url.ts';
import { asList, get } from '../sandbox/a-sandbox.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { call, clientOf } from './support/client.ts';

let sandbox: Sandbox;
let client: ServiceClient;
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 40 });
  client = clientOf(sandbox);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

/** Joined symbols of the assets that one of the earlier versions lists. */
async function symbolsOf(api: RawCall['api'], query: Record<string, string> = {}) {
  return asList((await call(client, 'assets', api, { query })).body.assets).map(({ symbol }) => symbol);
}

describe('§4.2 GET /host-api/v2/assets', () => {
  it('currencyCode: default EUR', async () => {
    const plain = await call(client, 'assets', 'v2');
    const usd = await call(client, 'assets', 'v2', { query: { currencyCode: 'USD' } });
    expect([plain.status, plain.body.currencyCode, usd.body.currencyCode]).toEqual([200, 'EUR', 'USD']);
    expect(asList(usd.body.assets)[0]).toMatchObject({ currencyCode: 'USD' });
  });

  it('hostApiKey: the response has enabledFeatures', async () => {
    expect((await call(client, 'assets', 'v2')).body).toHaveProperty('enabledFeatures');
    const unknown = await call(client, 'assets', 'v2', { query: { hostApiKey: 'unknown-key' } });
    expect(unknown.body).not.toHaveProperty('enabledFeatures');
  });

  it('userIp: only assets available there', async () => {
    expect(await symbolsOf('v2', { userIp: '198.51.100.7' })).toEqual(['BTC', 'ETH', 'SOLANA_SOL']);
  });

  it('withDisabled and withHidden', async () => {
    const found = async (query: Record<string, string>) => {
      const all = await symbolsOf('v2', query);
      return ['EOS', 'FILECOIN_FIL'].filter((symbol) => all.includes(symbol));
    };
    expect(await found({})).toEqual([]);
    expect(await found({ withDisabled: 'true' })).toEqual(['EOS']);
    expect(await found({ withHidden: 'true' })).toEqual(['FILECOIN_FIL']);
  });
});

describe('§4.3 GET /host-api/assets', () => {
  it('hostApiKey: the response has enabledFeatures', async () => {
    expect((await call(client, 'assets', 'v1')).body).toHaveProperty('enabledFeatures');
    const unknown = await call(client, 'assets', 'v1', { query: { hostApiKey: 'unknown-key' } });
    expect(unknown.body).not.toHaveProperty('enabledFeatures');
  });

  it('userIp: only assets available there', async () => {
    expect(await symbolsOf('v1', { userIp: '198.51.100.7' })).toEqual(['BTC', 'ETH', 'SOLANA_SOL']);
  });

  // The other way round than in v2 and v3: without a parameter, everything is there.
  it.each([
    [{}, ['EOS', 'FILECOIN_FIL', 'LUNA']],
    [{ onlyEnabled: 'true' }, ['FILECOIN_FIL']],
    [{ omitHidden: 'true' }, ['EOS']],
    [{ onlyEnabled: 'true', omitHidden: 'true' }, []],
    [{ onlyEnabled: 'false', omitHidden: 'false' }, ['EOS', 'FILECOIN_FIL', 'LUNA']],
  ] as const)('%j: of the disabled and hidden ones, %j', async (query, left) => {
    const all = await symbolsOf('v1', query);
    expect(['EOS', 'FILECOIN_FIL', 'LUNA'].filter((symbol) => all.includes(symbol))).toEqual(left);
  });
});

describe('§4.3 GET /host-api/countries', () => {
  it('lists the enabled countries, without a parameter', async () => {
    const { status, list } = await call(client, 'countries', 'v1');
    expect([status, list.length]).toEqual([200, 21]);
    expect(list[0]).toMatchObject({ code: 'DE', name: 'Germany', mainCurrencyCode: 'EUR' });
  });
});

describe('§4.3 POST /host-api/quote', () => {
  it('the product asks, the sandbox answers, and the quote is read', async () => {
    const { quote } = await client.quote(
      {
        api: 'v1',
        direction: 'onramp',
        cryptoAssetSymbol: 'ETH_ETH',
        fiatCurrency: 'EUR',
        fiatValue: '100',
        paymentMethodType: 'APPLE_PAY',
      },
      { pace: 'burst', quoteId: 'q-1' },
    );
    expect(quote).toMatchObject({
      api: 'v1',
      asset: { chain: 'ETH', symbol: 'ETH' },
      methods: [{ method: 'APPLE_PAY' }],
    });
    expect(quote.methods[0]?.networkFee?.toString()).toBe('1.41');
  });
});

describe('§4.3 GET /host-api/purchase/{id}', () => {
  it('answers with the purchase for its secret, and the product verifies every one', async () => {
    const lines = [...sandbox.trackedLines()].filter(({ kind }) => kind === 'purchase');
    expect(lines.length).toBeGreaterThan(15);
    for (const { id, view_token: token } of lines) {
      const result = await client.fetchRecord({ kind: 'purchase', id, token }, { pace: 'burst' });
      expect(result).toMatchObject({ outcome: 'verified', state: { kind: 'purchase', recordId: id } });
    }
  });

  it('id and secret are both required', async () => {
    await expect(client.raw({ name: 'purchase', api: 'v1', query: {}, id: 'sqs6a428mqjtzbv' })).rejects.toThrow();
    await expect(client.raw({ name: 'purchase', api: 'v1', query: {}, token: 'mg3voq92hd2mbdht' })).rejects.toThrow();
  });
});

describe('§4.4 the widget', () => {
  it('is a page and no endpoint: built by the product, opened at the origin, configured by its parameters', async () => {
    await using limited = await aSpecSandbox({ records: 0, rateLimits: [{ requests: 1, perMs: 60_000 }] });
    const config = {
      hostAppName: 'App & Co',
      hostLogoUrl: `${limited.origin}/widget/logo.svg`,
      hostApiKey: limited.hostApiKey,
      enabledFlows: ['ONRAMP', 'OFFRAMP'],
      inAsset: 'EUR',
      inAssetValue: '5025',
    };
    const url = buildWidgetUrl(config, `${limited.origin}/`);
    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const { status, body } = await get(limited.origin, `/widget/settings${new URL(url).search}`);
    expect([status, body.warnings]).toEqual([200, []]);
    expect(body).toMatchObject({
      hostAppName: 'App & Co',
      flows: ['onramp', 'offramp'],
      preset: { currency: 'EUR', amount: '50.25', unit: 'fiat' },
    });
    // It is not below the base path, and costs nothing of the API's allowance.
    expect(limited.stats().requests).toBe(0);
  });
});
