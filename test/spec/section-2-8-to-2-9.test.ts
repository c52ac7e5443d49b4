import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normalisePurchase, normaliseSale } from '../../src/service/normalise-record.ts';
import { readWebhookBody } from '../../src/service/webhook-body.ts';
import { get, type Json } from '../sandbox/a-sandbox.ts';
import { aPurchase, aSale, aTxHash, PURCHASE_ID, SALE_ASSET } from '../service/bodies.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { complaints, expectType, plain } from './support/fields.ts';

describe('§2.8 Sale', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

  let sandbox: Sandbox;
  let sales: Json[];
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 120 });
    const lines = [...sandbox.trackedLines()].filter(({ kind }) => kind === 'sale');
    sales = await Promise.all(
      lines.map(
        async ({ id, view_token: token }) =>
          (await get(sandbox.url, `/host-api/offramp/sale/${id}?secret=${token}`)).body,
      ),
    );
  });
  afterAll(() => sandbox.close());

  const read = (text: string) => normaliseSale(parseExactJson(text), 'Service');

  /** The fields of the section; the parts of `crypto` and `fiat` with their way. The token may have its other name. */
  const FIELDS: readonly [path: string, type: string][] = [
    ['id', 'string'],
    ['createdAt', 'string'],
    ['crypto.amount', 'string'],
    ['crypto.assetInfo', 'object'],
    ['crypto.assetInfo.address', 'string or null'],
    ['crypto.assetInfo.symbol', 'string'],
    ['crypto.assetInfo.chain', 'string'],
    ['crypto.assetInfo.type', 'string'],
    ['crypto.assetInfo.name', 'string'],
    ['crypto.assetInfo.decimals', 'number'],
    ['fiat.amount', 'number'],
    ['fiat.currencySymbol', 'string'],
  ];

  it.each(FIELDS)('%s: every sale of the sandbox has a %s', (path, type) => {
    expect(sales.length).toBeGreaterThan(20);
    for (const sale of sales) expectType(sale, path, type);
  });

  it('ids are UUIDs, times ISO 8601 instants, crypto amounts digits', () => {
    for (const sale of sales) {
      expect(sale.id).toMatch(UUID);
      expect(sale.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(sale).toMatchObject({ crypto: { amount: expect.stringMatching(/^\d+$/) as unknown } });
    }
  });

  it('the token is purchaseViewToken; saleViewToken is seen in the field only', () => {
    for (const sale of sales) {
      expectType(sale, 'purchaseViewToken', 'string');
      expect(sale).not.toHaveProperty('saleViewToken');
    }
  });

  it.each(['purchaseViewToken', 'saleViewToken'])('the product reads with the %s of a delivered sale', (name) => {
    const body = Buffer.from(aSale({ purchaseViewToken: undefined, [name]: '"sale-token-00001"' }));
    expect(readWebhookBody(body, 'sale', 'Service')).toMatchObject({ delivered: { token: 'sale-token-00001' } });
  });

  it('a bare sale, as shown, is all that the product needs', () => {
    expect(plain(read(aSale()))).toEqual({
      kind: 'sale',
      recordId: '3f0c4f0e-6a51-4b5e-9a4f-0d3a2b1c9e77',
      status: null,
      createdAt: Date.parse('2026-11-01T10:00:00.000Z'),
      updatedAt: null,
      asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null, type: 'NATIVE' },
      cryptoUnits: '100000000000000000',
      fiatCurrency: 'EUR',
      fiatValue: '245',
      exchangeRate: null,
      exchangeRateEur: null,
      fiatRateEur: null,
      baseFee: null,
      networkFee: null,
      appliedFee: null,
      hostFeeCut: null,
      paymentMethod: null,
      receiverAddress: null,
      finalTxHash: null,
      endTime: null,
      lacks: [],
    });
  });

  it.each([
    [{ id: undefined }, 'id missing'],
    [{ createdAt: undefined }, 'createdAt missing'],
    [{ crypto: undefined }, 'crypto missing'],
    [{ crypto: `{"assetInfo":${SALE_ASSET}}` }, 'crypto.amount missing'],
    [{ crypto: '{"amount":"1"}' }, 'crypto.assetInfo missing'],
    [{ crypto: '{"amount":"1","assetInfo":{"decimals":18}}' }, 'crypto.assetInfo.symbol missing'],
    [{ crypto: '{"amount":"1","assetInfo":{"symbol":"ETH"}}' }, 'crypto.assetInfo.decimals missing'],
    [{ fiat: '{"currencySymbol":"EUR"}' }, 'fiat.amount missing'],
    [{ fiat: '{"amount":245}' }, 'fiat.currencySymbol missing'],
  ])('without %j the product judges nothing: %s', (fields, complaint) => {
    expect(complaints(read(aSale(fields)))).toEqual([complaint]);
  });

  it.each(['address', 'chain', 'type', 'name'])('without assetInfo.%s the asset is known all the same', (name) => {
    const { [name as 'name']: _, ...asset } = JSON.parse(SALE_ASSET) as { name: string };
    const crypto = `{"amount":"1","assetInfo":${JSON.stringify(asset)}}`;
    expect(plain(read(aSale({ crypto })))).toMatchObject({ asset: { chain: 'ETH', symbol: 'ETH', decimals: 18 } });
  });

  it('any other fields are not shown: those that are there do no harm', () => {
    expect(complaints(read(aSale({ brandNew: '{"a":[1]}', status: '"RELEASED"' })))).toEqual([]);
  });
});

describe('§2.9 Purchase', () => {
  let sandbox: Sandbox;
  let live: Json;
  let seeded: Json[];
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 60 });
    const { id, viewToken } = sandbox.live.create({
      kind: 'purchase',
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'GBP',
      fiatValue: 100,
      method: 'CARD_PAYMENT',
    });
    sandbox.live.release(id);
    live = (await get(sandbox.url, `/host-api/purchase/${id}?secret=${viewToken}`)).body;
    const lines = [...sandbox.trackedLines()].filter(({ kind }) => kind === 'purchase');
    seeded = await Promise.all(
      lines.map(
        async (line) => (await get(sandbox.url, `/host-api/purchase/${line.id}?secret=${line.view_token}`)).body,
      ),
    );
  });
  afterAll(() => sandbox.close());

  const read = (text: string) => normalisePurchase(parseExactJson(text), 'Service');

  /**
   * The table of the section: name, type, whether deployments always have it (field facts: some are absent or null at
   * times), and what the product makes of a body without it.
   */
  const FIELDS: readonly [path: string, type: string, seen: 'always' | 'at times', product: 'needed' | 'unknown'][] = [
    ['id', 'string', 'always', 'needed'],
    ['endTime', 'string', 'at times', 'unknown'],
    ['asset', 'object', 'always', 'needed'],
    ['asset.address', 'string or null', 'always', 'unknown'],
    ['asset.symbol', 'string', 'always', 'needed'],
    ['asset.name', 'string', 'always', 'unknown'],
    ['asset.decimals', 'number', 'always', 'needed'],
    ['asset.type', 'string', 'at times', 'unknown'],
    ['cryptoAmount', 'string', 'always', 'needed'],
    ['fiatCurrency', 'string', 'always', 'needed'],
    ['fiatValue', 'number', 'always', 'needed'],
    ['assetExchangeRate', 'number', 'always', 'needed'],
    ['assetExchangeRateEur', 'number', 'at times', 'unknown'],
    ['baseServiceFee', 'number', 'always', 'needed'],
    ['networkFee', 'number', 'always', 'needed'],
    ['appliedFee', 'number', 'always', 'needed'],
    ['purchaseViewToken', 'string', 'at times', 'unknown'],
    ['receiverAddress', 'string', 'always', 'unknown'],
    ['createdAt', 'string', 'always', 'needed'],
    ['updatedAt', 'string', 'always', 'unknown'],
    ['status', 'string', 'always', 'needed'],
    ['finalTxHash', 'string or null', 'at times', 'unknown'],
    ['paymentMethodType', 'string', 'always', 'needed'],
  ];

  /** A whole purchase without one field, however deep it is. */
  function without(path: string): string {
    const [name = '', part] = path.split('.');
    if (part === undefined) return aPurchase({ [name]: undefined });
    const asset: Json = { address: null, symbol: 'ETH_ETH', chain: 'ETH', name: 'Ether', decimals: 18, type: 'NATIVE' };
    return aPurchase({ [name]: JSON.stringify({ ...asset, [part]: undefined }) });
  }

  it.each(FIELDS)('%s: a released purchase of the sandbox has a %s', (path, type) => {
    expectType(live, path, type);
  });

  it.each(FIELDS)('%s (%s): every seeded purchase has it', (path, type) => {
    expect(seeded.length).toBeGreaterThan(30);
    for (const body of seeded) expectType(body, path, type);
  });

  it.each(FIELDS)('%s (%s, in the field %s): without it, for the product it is %s', (path, _type, _how, product) => {
    expect(complaints(read(without(path)))).toEqual(product === 'needed' ? [`${path} missing`] : []);
  });

  it('times are ISO 8601 instants', () => {
    for (const name of ['createdAt', 'updatedAt', 'endTime']) expect(live[name]).toMatch(/^2026-11-0\dT.*Z$/);
    expect(complaints(read(aPurchase({ createdAt: '"2026-11-01 10:00"' })))).toEqual(['createdAt value']);
  });

  it.each(['null', undefined, '""'])('finalTxHash is null while no final transaction exists: %s', (finalTxHash) => {
    expect(plain(read(aPurchase({ finalTxHash })))).toMatchObject({ finalTxHash: null });
  });

  it('every judged field arrives in the product unchanged from the wire', () => {
    expect(plain(read(aPurchase()))).toMatchObject({
      kind: 'purchase',
      recordId: 'sqs6a428mqjtzbv',
      status: 'RELEASED',
      createdAt: Date.parse('2026-11-01T10:00:00.000Z'),
      updatedAt: Date.parse('2026-11-01T10:05:00.000Z'),
      asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
      cryptoUnits: '40000000000000000',
      fiatCurrency: 'EUR',
      fiatValue: '104.76',
      exchangeRate: '2500',
      exchangeRateEur: '2500',
      fiatRateEur: null,
      baseFee: '3.9',
      networkFee: '0.86',
      appliedFee: '4.76',
      hostFeeCut: null,
      paymentMethod: 'CARD_PAYMENT',
      receiverAddress: '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c',
      finalTxHash: aTxHash(PURCHASE_ID),
      endTime: Date.parse('2026-11-04T10:00:00.000Z'),
      lacks: [],
    });
  });
});
