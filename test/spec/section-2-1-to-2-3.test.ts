import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNREAD } from '../../src/domain/reference.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseAssets } from '../../src/service/normalise-reference.ts';
import { asList, asNumber, asObject, get, type Json } from '../sandbox/a-sandbox.ts';
import { anAssetsAnswer, aV3Asset } from '../service/bodies.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { complaints, expectType, plain } from './support/fields.ts';

describe('§2.1 HostAssetsConfig (v3 on-ramp assets)', () => {
  let sandbox: Sandbox;
  let body: Json;
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 0 });
    body = (await get(sandbox.url, `/host-api/v3/assets?hostApiKey=${sandbox.hostApiKey}`)).body;
  });
  afterAll(() => sandbox.close());

  const read = (text: string, currency = 'EUR') =>
    normaliseAssets(parseExactJson(text), { api: 'v3', direction: 'onramp', currency });

  /** The table of the section, and what its type and requirement are on the wire. */
  const FIELDS: readonly [name: string, type: string, required: 'yes' | 'no'][] = [
    ['assets', 'list', 'yes'],
    ['enabledFeatures', 'list', 'no'],
    ['currencyCode', 'string', 'yes'],
    ['minPurchaseAmount', 'number', 'yes'],
    ['maxPurchaseAmount', 'number', 'yes'],
    ['minFeeAmount', 'number', 'yes'],
    ['minFeePercent', 'number', 'yes'],
    ['maxFeePercent', 'number', 'yes'],
  ];

  it.each(FIELDS)('%s: the sandbox gives a %s', (name, type) => {
    expectType(body, name, type);
  });

  it.each(FIELDS)(
    '%s (a %s; required: %s): the product says where it is missing, and only then',
    (name, _, required) => {
      expect(complaints(read(anAssetsAnswer({ [name]: undefined })))).toEqual(
        required === 'yes' ? [`${name} missing`] : [],
      );
    },
  );

  it.each(FIELDS.filter(([, type]) => type === 'number'))('%s as a text is another type, never a guess', (name) => {
    expect(complaints(read(anAssetsAnswer({ [name]: '"6"' })))).toEqual([`${name} type`]);
  });

  it('the sandbox gives nothing at the top but these fields', () => {
    expect(Object.keys(body).sort()).toEqual([...FIELDS.map(([name]) => name)].sort());
  });

  it('enabledFeatures are present when a valid hostApiKey is supplied, and only then', async () => {
    const without = await get(sandbox.url, '/host-api/v3/assets');
    const invalid = await get(sandbox.url, '/host-api/v3/assets?hostApiKey=unknown-key');
    expect([without.body.enabledFeatures, invalid.body.enabledFeatures]).toEqual([undefined, undefined]);
    expect(body.enabledFeatures).toEqual(expect.arrayContaining(['ONRAMP', 'OFFRAMP']));
  });

  it.each(['["A"]', '[{"name":"A","params":{"x":1}}]', '[]'])('the product takes enabledFeatures %s', (features) => {
    expect(complaints(read(anAssetsAnswer({ enabledFeatures: features })))).toEqual([]);
  });

  it('amounts are in currencyCode, percentages in none', async () => {
    const usd = (await get(sandbox.url, '/host-api/v3/assets?currencyCode=USD')).body;
    expect([body.currencyCode, usd.currencyCode]).toEqual(['EUR', 'USD']);
    expect([body.minPurchaseAmount, body.maxPurchaseAmount, body.minFeeAmount]).toEqual([6, 15000, 2.49]);
    for (const name of ['minPurchaseAmount', 'maxPurchaseAmount', 'minFeeAmount']) {
      // A dollar is worth less than a euro here, so that every amount has more of them.
      expect(asNumber(usd[name]) / asNumber(body[name])).toBeCloseTo(1.09, 1);
    }
    expect([usd.minFeePercent, usd.maxFeePercent]).toEqual([0.99, 3.9]);
  });

  it('the product reads every figure, exactly, and refuses those of another currency', () => {
    expect(plain(read(anAssetsAnswer({ assets: '[]' })))).toEqual({
      global: {
        currencyCode: 'EUR',
        minPurchaseAmount: '6',
        maxPurchaseAmount: '15000',
        minFeeAmount: '2.49',
        minFeePercent: '0.99',
        maxFeePercent: '3.9',
      },
      assets: [],
      leftOut: [],
    });
    expect(complaints(read(anAssetsAnswer(), 'USD'))).toEqual(['currencyCode value']);
  });
});

describe('§2.2 AssetInfo (v3 on-ramp)', () => {
  let sandbox: Sandbox;
  let assets: Json[];
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 0 });
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
    ['enabled', 'boolean', 'judged'],
    ['hidden', 'boolean', 'may be missing'],
    ['price', 'object', 'may be missing'],
    ['currencyCode', 'string', 'may be missing'],
    ['minPurchaseAmount', 'number', 'judged'],
    ['maxPurchaseAmount', 'number', 'judged'],
    ['minPurchaseCryptoAmount', 'string', 'judged'],
    ['networkFee', 'number', 'may be missing'],
  ];

  it.each(FIELDS)('%s: every asset of the sandbox has a %s', (name, type) => {
    expect(assets.length).toBeGreaterThan(20);
    for (const asset of assets) expectType(asset, name, type);
  });

  it('the sandbox gives an asset no other field', () => {
    expect(Object.keys(named('ETH', 'ETH')).sort()).toEqual(FIELDS.map(([name]) => name).sort());
  });

  it.each(FIELDS)('%s (%s) %s for the product', (name, _type, product) => {
    const { assets: listed, leftOut } = read({ [name]: undefined });
    const kept = listed.filter(({ decimals }) => decimals !== UNREAD);
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
    expect([kept, leftOut[0]?.field]).toMatchObject([[{ decimals: UNREAD }], 'assets[0].currencyCode']);
  });
});

describe('§2.3 OfframpAssetInfo and the off-ramp HostAssetsConfig', () => {
  let sandbox: Sandbox;
  let body: Json;
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 0 });
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

  it('networkFee is not declared, and there only in observed bodies, as in the sample', async () => {
    for (const asset of asList(body.assets)) expect(asset).not.toHaveProperty('networkFee');
    await using observed = await aSpecSandbox({ records: 0, bodies: 'observed' });
    const { body: sample } = await get(observed.url, '/host-api/v3/offramp/assets');
    for (const asset of asList(sample.assets)) expect(asset.networkFee).toBe(0);
  });

  it.each([
    [undefined, null],
    ['0.01', '0.01'],
  ])('the product takes an asset with networkFee %s', (networkFee, known) => {
    const reading = read(`{"assets":[${aV3Asset({ networkFee })}],${HEAD}}`);
    expect(plain(reading)).toMatchObject({ assets: [{ networkFee: known }], leftOut: [] });
  });

  it('the product has no fee bounds for the off-ramp, even where a body has some', () => {
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
