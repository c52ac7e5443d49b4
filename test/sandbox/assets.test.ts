import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { normaliseAssets } from '../../src/service/normalise-reference.ts';
import { aSandbox, asList, asNumber, asObject, get, type Json } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSandbox();
});
afterAll(() => sandbox.close());

const ask = (path: string) => get(sandbox.url, path);
/** What the product's client finds wrong with an answer. */
const drift = (body: Json, api: 'v1' | 'v2' | 'v3', currency = 'EUR', direction: 'onramp' | 'offramp' = 'onramp') => {
  const read = normaliseAssets(body, { api, direction, currency });
  return read.ok ? read.value.leftOut : read.drift;
};
const symbols = (body: Json) => asList(body.assets).map((asset) => asset.symbol);
const named = (body: Json, symbol: string, chain?: string) =>
  asList(body.assets).find((each) => each.symbol === symbol && (chain === undefined || each.chain === chain)) ?? {};

describe('GET /host-api/v3/assets (spec §2.1, §2.2, §4.1)', () => {
  it('answers in EUR unless another currency is asked for', async () => {
    const { body } = await ask('/host-api/v3/assets');
    expect(drift(body, 'v3')).toEqual([]);
    const address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
    expect(named(body, 'USDC', 'ETH')).toMatchObject({ decimals: 6, address, currencyCode: 'EUR', networkFee: 2.13 });
  });

  it('converts every limit and fee to the currency, percentages excepted; -1 stays -1', async () => {
    const { body } = await ask('/host-api/v3/assets?currencyCode=USD');
    expect(drift(body, 'v3', 'USD')).toEqual([]);
    expect(asNumber(body.minPurchaseAmount)).toBeCloseTo(6.54, 2);
    expect(asNumber(body.minFeeAmount)).toBeCloseTo(2.714, 2);
    expect(named(body, 'ETH', 'ETH')).toMatchObject({ currencyCode: 'USD', minPurchaseAmount: -1 });
    expect(asNumber(named(body, 'ETH', 'ETH').networkFee)).toBeCloseTo(1.537, 2);
  });

  it('has disabled and hidden assets only where they are asked for', async () => {
    const plain = symbols((await ask('/host-api/v3/assets')).body);
    const disabled = symbols((await ask('/host-api/v3/assets?withDisabled=true')).body);
    const hidden = symbols((await ask('/host-api/v3/assets?withHidden=true')).body);
    const all = symbols((await ask('/host-api/v3/assets?withDisabled=true&withHidden=true')).body);
    expect([plain.includes('EOS'), plain.includes('FIL'), plain.includes('LUNA')]).toEqual([false, false, false]);
    expect([disabled.includes('EOS'), disabled.includes('FIL'), disabled.includes('LUNA')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([hidden.includes('EOS'), hidden.includes('FIL'), hidden.includes('LUNA')]).toEqual([false, true, false]);
    expect(all).toHaveLength(plain.length + 3);
  });

  it('lists enabled features as names, or with parameters', async () => {
    const { body } = await ask(`/host-api/v3/assets?hostApiKey=${sandbox.hostApiKey}`);
    expect(body.enabledFeatures).toEqual(['ONRAMP', 'OFFRAMP', { name: 'HOST_FEE_CUT', params: { percent: 25 } }]);
    expect(drift(body, 'v3')).toEqual([]);
  });

  it('leaves out nothing where userIp is of no special country, and refuses one that is none', async () => {
    const everywhere = symbols((await ask('/host-api/v3/assets?userIp=8.8.8.8')).body);
    expect(everywhere).toEqual(symbols((await ask('/host-api/v3/assets')).body));
    expect((await ask('/host-api/v3/assets?userIp=nonsense')).status).toBe(400);
  });

  it.each(['ARS', 'CLP', 'eur', 'XXX'])('refuses %s, in which nothing is traded', async (code) => {
    const { status, body } = await ask(`/host-api/v3/assets?currencyCode=${code}`);
    expect(status).toBe(400);
    expect(body).toEqual({ code: 'FIAT_CURRENCY_NOT_SUPPORTED', statusCode: 400, currencyCode: code });
  });

  it('may be cached for 15 minutes and has a weak ETag that answers 304', async () => {
    const first = await ask('/host-api/v3/assets');
    expect(first.headers.get('cache-control')).toBe('public, max-age=900');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[^"]+"$/);
    for (const known of [etag, `W/"other", ${etag}`, '*'])
      expect((await get(sandbox.url, '/host-api/v3/assets', { 'if-none-match': known })).status).toBe(304);
    for (const known of ['W/"other"', ''])
      expect((await get(sandbox.url, '/host-api/v3/assets', { 'if-none-match': known })).status).toBe(200);
  });

  it('drifts with time, limits by far less than prices', async () => {
    const moved = await aSandbox();
    const before = (await get(moved.url, '/host-api/v3/assets?currencyCode=PLN')).body;
    moved.advanceClock(3 * 86_400_000);
    const after = (await get(moved.url, '/host-api/v3/assets?currencyCode=PLN')).body;
    await moved.close();
    const price = (body: Json) => asNumber(asObject(named(body, 'BTC').price).PLN);
    expect(price(after)).not.toBe(price(before));
    expect(Math.abs(price(after) / price(before) - 1)).toBeLessThan(0.03);
    expect(after.maxPurchaseAmount).not.toBe(before.maxPurchaseAmount);
    expect(Math.abs(asNumber(after.maxPurchaseAmount) / asNumber(before.maxPurchaseAmount) - 1)).toBeLessThan(0.001);
  });
});

describe('GET /host-api/v3/offramp/assets (spec §2.3)', () => {
  it('lacks what nobody can sell', async () => {
    const { body } = await ask('/host-api/v3/offramp/assets?currencyCode=GBP');
    expect(drift(body, 'v3', 'GBP', 'offramp')).toEqual([]);
    expect(symbols(body)).not.toContain('AQUA');
  });

  it('refuses a currency that is not paid out', async () => {
    const { status, body } = await ask('/host-api/v3/offramp/assets?currencyCode=PLN');
    expect([status, body.code]).toEqual([400, 'FIAT_CURRENCY_NOT_SUPPORTED']);
  });
});

describe('GET /host-api/v2/assets (spec §2.10, §4.2)', () => {
  it('has the blockchain as the type of native assets, and joined symbols', async () => {
    const { body } = await ask('/host-api/v2/assets');
    expect(drift(body, 'v2')).toEqual([]);
    expect(named(body, 'ARBITRUM_ETH')).toMatchObject({ type: 'ARBITRUM', decimals: 18 });
    expect(named(body, 'MATIC_USDC')).toMatchObject({ type: 'ERC20', currencyCode: 'EUR' });
  });
});

describe('GET /host-api/assets (spec §2.10, §4.3)', () => {
  it('has every amount in EUR', async () => {
    const { body } = await ask('/host-api/assets');
    expect(drift(body, 'v1')).toEqual([]);
    expect(body).toMatchObject({
      minFeeAmountEur: 2.49,
      minFeePercent: 0.99,
      maxFeePercent: 3.9,
    });
    expect(named(body, 'BTC')).toMatchObject({ type: 'BTC', networkFeeEur: 1.83, maxPurchaseAmountEur: 12000 });
  });
});
