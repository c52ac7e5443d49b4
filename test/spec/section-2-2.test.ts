import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseAssets } from '../../src/service/normalise-assets.ts';
import { aSandbox, asList, asNumber, asObject, get, type Json } from '../sandbox/a-sandbox.ts';
import { anAssetsAnswer, aV3Asset } from '../service/bodies.ts';
import { expectType } from './support/fields.ts';

let sandbox: Sandbox;
let assets: Json[];
beforeAll(async () => {
  sandbox = await aSandbox({ records: 0 });
  assets = asList((await get(sandbox.url, '/host-api/v3/assets?withDisabled=true&withHidden=true')).body.assets);
});
afterAll(() => sandbox.close());

const named = (chain: string, symbol: string) =>
  assets.find((each) => each.chain === chain && each.symbol === symbol) ?? {};

/** The answer with one asset in it, differing from a whole one in these fields. */
function read(fields: Readonly<Record<string, string | undefined>>) {
  const body = parseExactJson(anAssetsAnswer({ assets: `[${aV3Asset(fields)}]` }));
  const reading = normaliseAssets(body, { api: 'v3', direction: 'onramp', currency: 'EUR' });
  if (!reading.ok) throw new Error('the head of the answer was not read');
  return reading.value;
}

/**
 * The table of the section. `judged` is what an asset cannot be judged without; the product can do without the others, and
 * an asset that lacks one of them is still an asset.
 */
const FIELDS: readonly [name: string, type: string, product: 'judged' | 'may be missing'][] = [
  ['symbol', 'string', 'judged'],
  ['chain', 'string', 'may be missing'],
  ['name', 'string', 'may be missing'],
  ['decimals', 'number', 'judged'],
  ['type', 'string', 'may be missing'],
  ['address', 'string or null', 'may be missing'],
  ['logoUrl', 'string', 'may be missing'],
  ['enabled', 'boolean', 'may be missing'],
  ['hidden', 'boolean', 'may be missing'],
  ['price', 'object', 'may be missing'],
  ['currencyCode', 'string', 'may be missing'],
  ['minPurchaseAmount', 'number', 'may be missing'],
  ['maxPurchaseAmount', 'number', 'may be missing'],
  ['minPurchaseCryptoAmount', 'string', 'may be missing'],
  ['networkFee', 'number', 'may be missing'],
];

describe('§2.2 AssetInfo (v3 on-ramp)', () => {
  it.each(FIELDS)('%s: every asset of the sandbox has a %s', (name, type) => {
    expect(assets.length).toBeGreaterThan(20);
    for (const asset of assets) expectType(asset, name, type);
  });

  it('the sandbox gives an asset no other field', () => {
    expect(Object.keys(named('ETH', 'ETH')).sort()).toEqual(FIELDS.map(([name]) => name).sort());
  });

  it.each(FIELDS)('%s (%s) %s for the product', (name, _type, product) => {
    const { assets: kept, leftOut } = read({ [name]: undefined });
    expect([kept.length, leftOut.map(({ field, problem }) => `${field} ${problem}`)]).toEqual(
      product === 'judged' ? [0, [`assets[0].${name} missing`]] : [1, []],
    );
  });

  it('type is NATIVE for the chain native asset, otherwise a token standard', () => {
    expect([named('ETH', 'ETH').type, named('BTC', 'BTC').type, named('SOLANA', 'SOL').type]).toEqual([
      'NATIVE',
      'NATIVE',
      'NATIVE',
    ]);
    expect(named('ETH', 'USDC').type).toBe('ERC20');
  });

  it.each([undefined, 'null'])('address is null for native assets, and may be absent: %s', (address) => {
    expect(named('ETH', 'ETH').address).toBeNull();
    expect(read({ address }).assets).toHaveLength(1);
  });

  it('price is a dictionary of the price of one whole unit by currency', () => {
    const price = asObject(named('ETH', 'USDC').price);
    expect(Object.keys(price)).toEqual(expect.arrayContaining(['EUR', 'USD', 'GBP']));
    expect(asNumber(price.USD)).toBeCloseTo(1, 1);
    expect(read({ price: '{"EUR":0.92,"USD":1}' }).assets[0]?.price?.toString()).toBe('0.92');
    // No price in the currency that was asked for is an unknown price, not one of zero.
    expect(read({ price: '{"USD":1}' }).assets[0]?.price).toBeNull();
  });

  it.each([
    ['minPurchaseAmount', '-1', null],
    ['minPurchaseAmount', '12.5', '12.5'],
    ['maxPurchaseAmount', '-1', null],
    ['maxPurchaseAmount', '9000', '9000'],
  ] as const)('%s %s: -1 means unlimited', (name, wire, limit) => {
    expect(read({ [name]: wire }).assets[0]?.[name]?.toString() ?? null).toBe(limit);
  });

  it.each([
    ['"-1"', null],
    ['"1000000"', 1_000_000n],
  ])('minPurchaseCryptoAmount %s: in units, -1 for no minimum', (wire, units) => {
    expect(read({ minPurchaseCryptoAmount: wire }).assets[0]?.minPurchaseCryptoUnits).toBe(units);
  });

  it('the sandbox has limits of an asset itself, and -1 where the global ones apply', () => {
    expect(named('BTC', 'BTC')).toMatchObject({ minPurchaseAmount: 7, maxPurchaseAmount: 12000 });
    expect(named('ETH', 'USDC')).toMatchObject({ minPurchaseAmount: -1, maxPurchaseAmount: 9000 });
    expect(assets.some(({ minPurchaseCryptoAmount }) => minPurchaseCryptoAmount !== '-1')).toBe(true);
    expect(named('ETH', 'USDC').minPurchaseCryptoAmount).toBe('-1');
  });

  it('networkFee is in currencyCode: the product takes none from an asset in another currency', () => {
    expect(read({ networkFee: '0.46' }).assets[0]?.networkFee?.toString()).toBe('0.46');
    expect(read({ networkFee: undefined }).assets[0]?.networkFee).toBeNull();
    const { assets: kept, leftOut } = read({ currencyCode: '"USD"' });
    expect([kept, leftOut[0]?.field]).toEqual([[], 'assets[0].currencyCode']);
  });
});
