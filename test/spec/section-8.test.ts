import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOutOfLimits } from '../../src/rules/amount-out-of-limits.ts';
import { feeOutOfBounds } from '../../src/rules/fee-out-of-bounds.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { load } from '../config/loading.ts';
import { fieldsOf } from '../rules/ask.ts';
import { asList, asNumber, asObject, get, post } from '../sandbox/a-sandbox.ts';
import { clientUnderTest } from '../service/client-under-test.ts';
import { aCase, aPurchase, someAssetTerms, someReference } from '../support/builders.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';

const MINUTE = 60_000;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 0 });
});
afterAll(() => sandbox.close());

/** Every endpoint of §4, with a request that is answered, or refused, at no cost but its own. */
const ENDPOINTS: readonly [method: 'GET' | 'POST', path: string][] = [
  ['GET', '/host-api/v3/assets'],
  ['GET', '/host-api/v3/offramp/assets'],
  ['GET', '/host-api/v3/payment-methods'],
  ['GET', '/host-api/v3/payout-methods'],
  ['GET', '/host-api/v3/currencies'],
  ['GET', '/host-api/offramp/sale/x?secret=y'],
  ['POST', '/host-api/v3/onramp/quote/all'],
  ['POST', '/host-api/v3/offramp/quote/all'],
  ['GET', '/host-api/v2/assets'],
  ['GET', '/host-api/assets'],
  ['GET', '/host-api/countries'],
  ['POST', '/host-api/quote'],
  ['GET', '/host-api/purchase/x?secret=y'],
];

describe('§8.1 every endpoint is subject to rate limiting', () => {
  it('the sandbox counts each of them, and refuses each of them once the window is full', async () => {
    const rateLimits = [
      { requests: ENDPOINTS.length, perMs: MINUTE },
      { requests: 1000, perMs: 15 * MINUTE },
    ];
    await using strict = await aSpecSandbox({ records: 0, rateLimits });
    const status = async ([method, path]: (typeof ENDPOINTS)[number]) =>
      (method === 'GET' ? await get(strict.url, path) : await post(strict.url, path, {})).status;
    for (const endpoint of ENDPOINTS) expect(await status(endpoint), endpoint[1]).not.toBe(429);
    for (const endpoint of ENDPOINTS) expect(await status(endpoint), endpoint[1]).toBe(429);
    expect(Object.keys(strict.stats().byEndpoint)).toHaveLength(ENDPOINTS.length);
  });

  it('the figures are not shown: those of the field, and a setting', () => {
    expect(load().settings.service.rateLimits).toEqual([
      { requests: 100, perMs: MINUTE },
      { requests: 1000, perMs: 15 * MINUTE },
    ]);
    const yaml = 'service: { rateLimits: [{ requests: 7, per: 1s }] }';
    expect(load({ yaml }).settings.service.rateLimits).toEqual([{ requests: 7, perMs: 1000 }]);
  });

  it('the product books a slot before each request of any kind, and shares a 429 with every process', async () => {
    await using strict = await aSpecSandbox({ records: 0, rateLimits: [{ requests: 1, perMs: MINUTE }] });
    const { client, notes } = clientUnderTest(strict.url, { timeoutMs: 20_000 });
    await client.raw({ name: 'countries', api: 'v1', query: {} });
    const refused = await client.raw({ name: 'assets', api: 'v3', query: {} }).catch((error: unknown) => error);
    expect(notes.acquired.length).toBeGreaterThanOrEqual(2);
    expect(notes.reports[0]).toBe('ok');
    expect(notes.reports.slice(1)).toContain('limited');
    expect(refused).toBeDefined();
    await client.close();
  });
});

describe('§8.2 purchase amount limits', () => {
  const limits = (own: { minPurchaseAmount?: string; maxPurchaseAmount?: string }) =>
    someReference({ asset: someAssetTerms(own) });
  // Global: 6 to 15,000 EUR.
  it.each([
    ['5.50', {}, ['fiat_value']],
    ['6', {}, []],
    ['15000', {}, []],
    ['16000', {}, ['fiat_value']],
    // Asset-specific limits override them, either way.
    ['5.50', { minPurchaseAmount: '2' }, []],
    ['10', { minPurchaseAmount: '20' }, ['fiat_value']],
    ['16000', { maxPurchaseAmount: '20000' }, []],
    ['500', { maxPurchaseAmount: '100' }, ['fiat_value']],
  ])('%s EUR with the asset limits %j: %j', (fiatValue, own, expected) => {
    const subject = aCase({ state: aPurchase({ fiatValue }), reference: limits(own), quote: null });
    expect(fieldsOf(amountOutOfLimits, subject)).toEqual(expected);
  });

  it('global ones are in the assets response: in currencyCode, in v1 in EUR', async () => {
    const v3 = (await get(sandbox.url, '/host-api/v3/assets?currencyCode=PLN')).body;
    expect(asNumber(v3.minPurchaseAmount)).toBeGreaterThan(20);
    expect(v3.currencyCode).toBe('PLN');
    const v1 = (await get(sandbox.url, '/host-api/assets')).body;
    expect([v1.minPurchaseAmountEur, v1.maxPurchaseAmountEur]).toEqual([6, 15000]);
  });

  // The dollar coin on Ethereum has a maximum of its own of 9,000 EUR, ether has none.
  it.each([
    ['ETH_ETH', 5.9, 'SANDBOX.AMOUNT_TOO_LOW'],
    ['ETH_ETH', 14_999, undefined],
    ['ETH_ETH', 15_001, 'SANDBOX.AMOUNT_TOO_HIGH'],
    ['ETH_USDC', 9_001, 'SANDBOX.AMOUNT_TOO_HIGH'],
    ['ETH_USDC', 8_999, undefined],
  ])('the sandbox takes no order beyond them: %s for %d EUR', async (cryptoAssetSymbol, fiatValue, code) => {
    const order = { kind: 'purchase', cryptoAssetSymbol, fiatCurrency: 'EUR', fiatValue, method: 'CARD_PAYMENT' };
    expect((await post(sandbox.origin, '/sandbox/live', order)).body.code).toBe(code);
  });
});

describe('§8.3 minPurchaseCryptoAmount', () => {
  it.each([
    [null, []],
    [40_000_000_000_000_000n, []],
    [50_000_000_000_000_000n, ['crypto_amount']],
  ])('0.04 ETH against a minimum of %s units: %j', (minPurchaseCryptoUnits, expected) => {
    const reference = someReference({ asset: someAssetTerms({ minPurchaseCryptoUnits }) });
    expect(fieldsOf(amountOutOfLimits, aCase({ reference, quote: null }))).toEqual(expected);
  });

  it('the sandbox has an asset whose crypto minimum binds, and takes no order below it', async () => {
    const assets = asList((await get(sandbox.url, '/host-api/v3/assets?withHidden=true')).body.assets);
    const filecoin = assets.find(({ symbol }) => symbol === 'FIL');
    expect(filecoin).toMatchObject({ minPurchaseAmount: -1, minPurchaseCryptoAmount: '10000000000000000000' });
    const ordered = async (cryptoAmount: string) => {
      const order = { kind: 'purchase', cryptoAssetSymbol: 'FILECOIN_FIL', fiatCurrency: 'EUR', cryptoAmount };
      const { status, body } = await post(sandbox.origin, '/sandbox/live', { ...order, method: 'CARD_PAYMENT' });
      return [status, body.code, body.limit];
    };
    // 9.99 FIL are worth 37 EUR, six times the global minimum.
    const refused = [400, 'SANDBOX.CRYPTO_AMOUNT_TOO_LOW', '10000000000000000000'];
    expect(await ordered('9990000000000000000')).toEqual(refused);
    expect(await ordered('10000000000000000000')).toEqual([201, undefined, undefined]);
  });
});

describe('§8.4 fees are bounded', () => {
  // cv is 100 EUR, network fee 0.86: the service fee may be 3.90 at most, and 0.99 without a remark at least.
  it.each([
    ['4.76', []],
    ['4.80', ['service_fee']],
    ['1.85', []],
    ['1.80', ['service_fee']],
  ])('an applied fee of %s EUR: %j', (appliedFee, expected) => {
    expect(fieldsOf(feeOutOfBounds, aCase({ state: aPurchase({ appliedFee }) }))).toEqual(expected);
  });

  it('the percentage depends on the method, the least fee on the size', async () => {
    const quote = async (fiatValue: number) =>
      (
        await post(sandbox.url, `/host-api/v3/onramp/quote/all?hostApiKey=${sandbox.hostApiKey}`, {
          cryptoAssetSymbol: 'BTC_BTC',
          fiatCurrency: 'EUR',
          fiatValue,
        })
      ).body;
    const percent = (method: unknown) => {
      const { fiatValue, appliedFee, baseServiceFee } = asObject(method);
      return (100 * asNumber(baseServiceFee)) / (asNumber(fiatValue) - asNumber(appliedFee));
    };
    const large = await quote(2000);
    expect(percent(large.CARD_PAYMENT)).toBeCloseTo(3.9, 9);
    expect(percent(large.MANUAL_BANK_TRANSFER)).toBeCloseTo(0.99, 9);
    expect(asObject((await quote(30)).MANUAL_BANK_TRANSFER).baseServiceFee).toBe(2.49);
  });
});
