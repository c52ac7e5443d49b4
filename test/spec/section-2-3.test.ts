import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseAssets } from '../../src/service/normalise-assets.ts';
import { aSandbox, asList, get, type Json } from '../sandbox/a-sandbox.ts';
import { aV3Asset } from '../service/bodies.ts';
import { complaints, expectType, plain } from './support/fields.ts';

let sandbox: Sandbox;
let body: Json;
beforeAll(async () => {
  sandbox = await aSandbox({ records: 0 });
  body = (await get(sandbox.url, `/host-api/v3/offramp/assets?hostApiKey=${sandbox.hostApiKey}`)).body;
});
afterAll(() => sandbox.close());

const HEAD = '"currencyCode":"EUR","minPurchaseAmount":6.67,"maxPurchaseAmount":15111.81';
const read = (text: string) =>
  normaliseAssets(parseExactJson(text), { api: 'v3', direction: 'offramp', currency: 'EUR' });

const HEAD_FIELDS: readonly [name: string, type: string][] = [
  ['assets', 'list'],
  ['enabledFeatures', 'list'],
  ['currencyCode', 'string'],
  ['minPurchaseAmount', 'number'],
  ['maxPurchaseAmount', 'number'],
];

/** AssetInfo's fields (§2.2) without `networkFee`, which the sample has nevertheless. */
const ASSET_FIELDS: readonly [name: string, type: string][] = [
  ['symbol', 'string'],
  ['chain', 'string'],
  ['name', 'string'],
  ['decimals', 'number'],
  ['type', 'string'],
  ['address', 'string or null'],
  ['logoUrl', 'string'],
  ['enabled', 'boolean'],
  ['hidden', 'boolean'],
  ['price', 'object'],
  ['currencyCode', 'string'],
  ['minPurchaseAmount', 'number'],
  ['maxPurchaseAmount', 'number'],
  ['minPurchaseCryptoAmount', 'string'],
];

describe('§2.3 OfframpAssetInfo and the off-ramp HostAssetsConfig', () => {
  it.each(HEAD_FIELDS)('%s: the sandbox gives a %s', (name, type) => {
    expectType(body, name, type);
  });

  it('there is no minFeeAmount, minFeePercent nor maxFeePercent', () => {
    expect(Object.keys(body).sort()).toEqual(HEAD_FIELDS.map(([name]) => name).sort());
  });

  it.each(ASSET_FIELDS)('every asset of the sandbox has %s, a %s', (name, type) => {
    const assets = asList(body.assets);
    expect(assets.length).toBeGreaterThan(10);
    for (const asset of assets) expectType(asset, name, type);
  });

  it('address is always present, null for native assets', () => {
    for (const { type, address } of asList(body.assets)) expect(address === null).toBe(type === 'NATIVE');
  });

  it('networkFee is not declared, and is there as in the sample', () => {
    for (const asset of asList(body.assets)) expect(asset.networkFee).toBe(0);
  });

  it.each([
    [undefined, null],
    ['0.01', '0.01'],
  ])('the product takes an asset with networkFee %s', (networkFee, known) => {
    const reading = read(`{"assets":[${aV3Asset({ networkFee })}],${HEAD}}`);
    expect(plain(reading)).toMatchObject({ assets: [{ networkFee: known }], leftOut: [] });
  });

  it('the product knows of no fee bounds for the off-ramp, even where a body had some', () => {
    const fees = '"minFeeAmount":2.49,"minFeePercent":0.99,"maxFeePercent":3.9';
    for (const text of [`{"assets":[],${HEAD}}`, `{"assets":[],${HEAD},${fees}}`]) {
      expect(plain(read(text))).toMatchObject({
        global: {
          currencyCode: 'EUR',
          minPurchaseAmount: '6.67',
          maxPurchaseAmount: '15111.81',
          minFeeAmount: null,
          minFeePercent: null,
          maxFeePercent: null,
        },
      });
    }
  });

  it('asset-specific limits: -1 means unlimited', () => {
    expect(plain(read(`{"assets":[${aV3Asset({ maxPurchaseAmount: '-1' })}],${HEAD}}`))).toMatchObject({
      assets: [{ minPurchaseAmount: null, maxPurchaseAmount: null }],
    });
  });

  it.each(['assets', 'currencyCode', 'minPurchaseAmount', 'maxPurchaseAmount'])('%s is required', (name) => {
    const fields = { assets: [], currencyCode: 'EUR', minPurchaseAmount: 6, maxPurchaseAmount: 15000 };
    const { [name as keyof typeof fields]: _, ...rest } = fields;
    expect(complaints(read(JSON.stringify(rest)))).toEqual([`${name} missing`]);
  });
});
