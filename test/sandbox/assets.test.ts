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
  it('answers in EUR unless another currency is asked for, with the global figures read live', async () => {
    const { status, body } = await ask('/host-api/v3/assets');
    expect(status).toBe(200);
    expect(drift(body, 'v3')).toEqual([]);
    expect(body).toMatchObject({
      currencyCode: 'EUR',
      minPurchaseAmount: 6,
      maxPurchaseAmount: 15000,
      minFeeAmount: 2.49,
      minFeePercent: 0.99,
      maxFeePercent: 3.9,
    });
    expect(named(body, 'USDC', 'ETH')).toMatchObject({
      decimals: 6,
      type: 'ERC20',
      address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      currencyCode: 'EUR',
      minPurchaseAmount: -1,
      maxPurchaseAmount: 9000,
      minPurchaseCryptoAmount: '-1',
      networkFee: 2.13,
    });
  });

  it('converts every limit and fee to the currency, percentages excepted; -1 stays -1', async () => {
    const { body } = await ask('/host-api/v3/assets?currencyCode=USD');
    expect(drift(body, 'v3', 'USD')).toEqual([]);
    expect(asNumber(body.minPurchaseAmount)).toBeCloseTo(6.54, 2);
    expect(asNumber(body.minFeeAmount)).toBeCloseTo(2.714, 2);
    expect(body.maxFeePercent).toBe(3.9);
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

  it('lists enabled features only for a key that is known', async () => {
    expect((await ask('/host-api/v3/assets')).body).not.toHaveProperty('enabledFeatures');
    expect((await ask('/host-api/v3/assets?hostApiKey=unknown-key')).body).not.toHaveProperty('enabledFeatures');
    const { body } = await ask(`/host-api/v3/assets?hostApiKey=${sandbox.hostApiKey}`);
    expect(body.enabledFeatures).toEqual(['ONRAMP', 'OFFRAMP', { name: 'HOST_FEE_CUT', params: { percent: 25 } }]);
    expect(drift(body, 'v3')).toEqual([]);
  });

  it('leaves out what the country of userIp may not trade', async () => {
    const everywhere = symbols((await ask('/host-api/v3/assets?userIp=8.8.8.8')).body);
    expect(everywhere).toEqual(symbols((await ask('/host-api/v3/assets')).body));
    expect(symbols((await ask('/host-api/v3/assets?userIp=198.51.100.7')).body)).toEqual(['BTC', 'ETH', 'SOL']);
    expect(symbols((await ask('/host-api/v3/assets?userIp=203.0.113.7')).body)).toEqual([]);
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
  it('has limits but no fee figures, and addresses that are null for native assets', async () => {
    const { status, body } = await ask('/host-api/v3/offramp/assets?currencyCode=GBP');
    expect(status).toBe(200);
    expect(drift(body, 'v3', 'GBP', 'offramp')).toEqual([]);
    expect(Object.keys(body)).toEqual(['currencyCode', 'minPurchaseAmount', 'maxPurchaseAmount', 'assets']);
    expect(named(body, 'BTC').address).toBeNull();
    expect(symbols(body)).not.toContain('AQUA');
  });

  it('refuses a currency that is not paid out', async () => {
    const { status, body } = await ask('/host-api/v3/offramp/assets?currencyCode=PLN');
    expect([status, body.code]).toEqual([400, 'FIAT_CURRENCY_NOT_SUPPORTED']);
  });
});

describe('GET /host-api/v2/assets (spec §2.10, §4.2)', () => {
  it('has no chain, the blockchain as the type of native assets, and joined symbols', async () => {
    const { body } = await ask('/host-api/v2/assets?withHidden=true&withDisabled=true');
    expect(drift(body, 'v2')).toEqual([]);
    expect(asList(body.assets).filter((asset) => 'chain' in asset)).toEqual([]);
    expect(named(body, 'ARBITRUM_ETH')).toMatchObject({ type: 'ARBITRUM', decimals: 18 });
    expect(named(body, 'MATIC_USDC')).toMatchObject({ type: 'ERC20', currencyCode: 'EUR' });
    expect(symbols(body)).toEqual(expect.arrayContaining(['EOS', 'FILECOIN_FIL']));
  });
});

describe('GET /host-api/assets (spec §2.10, §4.3)', () => {
  it('has every amount in EUR, and all assets unless a parameter leaves some out', async () => {
    const { body } = await ask('/host-api/assets');
    expect(drift(body, 'v1')).toEqual([]);
    expect(body).toMatchObject({
      minPurchaseAmountEur: 6,
      maxPurchaseAmountEur: 15000,
      minFeeAmountEur: 2.49,
      minFeePercent: 0.99,
      maxFeePercent: 3.9,
    });
    expect(named(body, 'BTC')).toMatchObject({ type: 'BTC', networkFeeEur: 1.83, maxPurchaseAmountEur: 12000 });
    const all = symbols(body);
    expect(all).toEqual(expect.arrayContaining(['EOS', 'FILECOIN_FIL', 'LUNA']));
    const enabled = symbols((await ask('/host-api/assets?onlyEnabled=true')).body);
    expect(all.filter((symbol) => !enabled.includes(symbol))).toEqual(['EOS', 'LUNA']);
    const shown = symbols((await ask('/host-api/assets?omitHidden=true')).body);
    expect(all.filter((symbol) => !shown.includes(symbol))).toEqual(['FILECOIN_FIL', 'LUNA']);
  });
});
