import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { endpointOf } from '../../src/service/urls.ts';
import { verifyWebhook } from '../../src/service/webhook-signature.ts';
import { checkWidgetConfig } from '../../src/widget/check.ts';
import { load } from '../config/loading.ts';
import { get, post } from '../sandbox/a-sandbox.ts';
import { aReceiver } from '../sandbox/live/a-receiver.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { call, clientOf } from './support/client.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 40 });
});
afterAll(() => sandbox.close());

/** Method, path, and which credential the specification shows for it; every endpoint of §4. */
const ENDPOINTS: readonly [method: 'GET' | 'POST', path: string, credential: string][] = [
  ['GET', '/host-api/v3/assets', 'hostApiKey, optional'],
  ['GET', '/host-api/v3/offramp/assets', 'hostApiKey, optional'],
  ['GET', '/host-api/v3/payment-methods', 'none'],
  ['GET', '/host-api/v3/payout-methods', 'none'],
  ['GET', '/host-api/v3/currencies', 'none'],
  ['GET', '/host-api/offramp/sale/', 'secret'],
  ['POST', '/host-api/v3/onramp/quote/all', 'hostApiKey, required'],
  ['POST', '/host-api/v3/offramp/quote/all', 'hostApiKey, required'],
  ['GET', '/host-api/v2/assets', 'hostApiKey, optional'],
  ['GET', '/host-api/assets', 'hostApiKey, optional'],
  ['GET', '/host-api/countries', 'none'],
  ['POST', '/host-api/quote', 'hostApiKey, required'],
  ['GET', '/host-api/purchase/', 'secret'],
];
const QUOTE = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 };

const some = (kind: 'purchase' | 'sale') => {
  const line = [...sandbox.trackedLines()].find((each) => each.kind === kind);
  if (line === undefined) throw new Error(`there is no ${kind}`);
  return line;
};

describe('§5.1 quote endpoints require hostApiKey', () => {
  it.each(ENDPOINTS.filter(([, , credential]) => credential === 'hostApiKey, required'))(
    '%s %s',
    async (_method, path) => {
      expect((await post(sandbox.url, path, QUOTE)).status).toBe(400);
      expect((await post(sandbox.url, `${path}?hostApiKey=unknown-key`, QUOTE)).status).toBe(403);
      expect((await post(sandbox.url, `${path}?hostApiKey=${sandbox.hostApiKey}`, QUOTE)).status).toBe(200);
    },
  );

  it('the product sends none without a key, and says where to put it', async () => {
    const client = clientOf(sandbox, { hostApiKey: null });
    const before = sandbox.stats().requests;
    const quote = {
      api: 'v3',
      direction: 'onramp',
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'EUR',
      fiatValue: '100',
    } as const;
    await expect(client.quote(quote, { pace: 'burst', quoteId: 'q-1' })).rejects.toThrow('TIEOUT_HOST_API_KEY');
    expect(sandbox.stats().requests).toBe(before);
    await client.close();
  });
});

describe('§5.2 asset endpoints accept hostApiKey', () => {
  it.each(ENDPOINTS.filter(([, , credential]) => credential === 'hostApiKey, optional'))(
    '%s %s',
    async (_method, path) => {
      const [without, given] = [
        await get(sandbox.url, path),
        await get(sandbox.url, `${path}?hostApiKey=${sandbox.hostApiKey}`),
      ];
      expect([without.status, given.status]).toEqual([200, 200]);
      expect(['enabledFeatures' in without.body, 'enabledFeatures' in given.body]).toEqual([false, true]);
    },
  );
});

describe('§5.3 one purchase or sale requires its secret', () => {
  it.each(['purchase', 'sale'] as const)('a %s: without it, with a wrong one, with the right one', async (kind) => {
    const { id, view_token: token } = some(kind);
    const path = `${kind === 'purchase' ? '/host-api/purchase/' : '/host-api/offramp/sale/'}${id}`;
    const statuses = [path, `${path}?secret=aaaaaaaaaaaaaaaa`, `${path}?secret=${token}`].map(
      async (url) => (await get(sandbox.url, url)).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 403, 200]);
  });

  it('the product knows a refused token from a missing record', async () => {
    const client = clientOf(sandbox);
    const { id, view_token: token } = some('purchase');
    const outcome = (ref: { id: string; token: string }) =>
      client.fetchRecord({ kind: 'purchase', ...ref }, { pace: 'burst' });
    expect(await outcome({ id, token: 'aaaaaaaaaaaaaaaa' })).toMatchObject({
      reason: 'ACCESS_DENIED',
      httpStatus: 403,
    });
    expect(await outcome({ id: 'sabcdefghijklmn', token })).toMatchObject({
      reason: 'RECORD_MISSING',
      httpStatus: 404,
    });
    await client.close();
  });
});

describe('§5.4 the widget requires hostApiKey', () => {
  it('on both sides', async () => {
    const config = { hostAppName: 'App', hostLogoUrl: 'https://app.example/l.svg' };
    expect(checkWidgetConfig(config).errors).toMatchObject([{ code: 'PARAMETER_MISSING', parameter: 'hostApiKey' }]);
    const settings = async (more: object) =>
      (await get(sandbox.origin, `/widget/settings?${new URLSearchParams({ ...config, ...more })}`)).status;
    expect([await settings({}), await settings({ hostApiKey: sandbox.hostApiKey })]).toEqual([400, 200]);
  });
});

describe('§5.5 methods, currencies and countries show no credential', () => {
  it.each(ENDPOINTS.filter(([, , credential]) => credential === 'none'))('%s %s', async (_method, path) => {
    expect((await get(sandbox.url, path)).status).toBe(200);
  });

  it('and the product sends them none', () => {
    for (const name of ['payment-methods', 'payout-methods', 'currencies'] as const) {
      expect(endpointOf(name, 'v3').hostApiKey).toBe('none');
    }
    expect(endpointOf('countries', 'v1').hostApiKey).toBe('none');
  });
});

describe('§5.6 key issuance is not shown', () => {
  it('so a key is configuration on either side', async () => {
    expect(load({ env: { TIEOUT_HOST_API_KEY: 'issued-somewhere' } }).settings.service.hostApiKey).toBe(
      'issued-somewhere',
    );
    await using other = await aSpecSandbox({ records: 0, hostApiKeys: ['issued-somewhere'] });
    const client = clientOf(other, { hostApiKey: 'issued-somewhere' });
    expect((await call(client, 'quote', 'v3', { body: JSON.stringify(QUOTE) })).status).toBe(200);
    await client.close();
  });
});

describe('§5.7 webhook authenticity is not shown', () => {
  it('so the signature of the field is made by one side and believed by the other', async () => {
    await using receiver = await aReceiver();
    const order = { ...QUOTE, kind: 'purchase', method: 'CARD_PAYMENT', webhookUrl: receiver.origin } as const;
    sandbox.live.create(order);
    const [first] = await receiver.count(1);
    const signature = String(first?.headers['x-body-signature']);
    expect(verifyWebhook(first?.text ?? '', signature, [sandbox.webhookPublicKey])).toBe(true);
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const other = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(verifyWebhook(first?.text ?? '', signature, [other])).toBe(false);
  });

  it('and is required unless configuration says otherwise', () => {
    expect(load().settings.webhooks.requireSignature).toBe(true);
    expect(load({ yaml: 'webhooks: { requireSignature: false }' }).settings.webhooks.requireSignature).toBe(false);
  });
});
