import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuoteRequest } from '../../src/ports/service.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { quoteRequestBody } from '../../src/service/ask-quote.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseQuote } from '../../src/service/normalise-quote.ts';
import { normaliseAssets } from '../../src/service/normalise-reference.ts';
import { countries } from '../../src/service/wire/lists.ts';
import { asList, asNumber, get, type Json, post } from '../sandbox/a-sandbox.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { complaints, expectType, plain } from './support/fields.ts';

let sandbox: Sandbox;
let v1: Json;
let v2: Json;
let places: Json[];
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 0 });
  const key = `hostApiKey=${sandbox.hostApiKey}`;
  v1 = (await get(sandbox.url, `/host-api/assets?${key}`)).body;
  v2 = (await get(sandbox.url, `/host-api/v2/assets?${key}&withDisabled=true&withHidden=true`)).body;
  places = (await get(sandbox.url, '/host-api/countries')).list;
});
afterAll(() => sandbox.close());

const askV1 = async (body: Json) => post(sandbox.url, `/host-api/quote?hostApiKey=${sandbox.hostApiKey}`, body);

describe('§2.10 v2 HostAssetsConfig and AssetInfo', () => {
  const TOP = [
    'assets',
    'enabledFeatures',
    'currencyCode',
    'minPurchaseAmount',
    'maxPurchaseAmount',
    'minFeeAmount',
    'minFeePercent',
    'maxFeePercent',
  ];
  const ASSET = [
    'symbol',
    'name',
    'decimals',
    'type',
    'address',
    'logoUrl',
    'enabled',
    'hidden',
    'price',
    'currencyCode',
    'minPurchaseAmount',
    'maxPurchaseAmount',
    'minPurchaseCryptoAmount',
    'networkFee',
  ];

  it('has the top-level fields of v3, and its asset fields without chain', () => {
    expect(Object.keys(v2).sort()).toEqual([...TOP].sort());
    for (const asset of asList(v2.assets)) expect(Object.keys(asset).sort()).toEqual([...ASSET].sort());
  });

  it('type is the blockchain of native assets, or a token standard', () => {
    const type = (symbol: string) => asList(v2.assets).find((each) => each.symbol === symbol)?.type;
    expect([type('ETH'), type('BTC'), type('USDC')]).toEqual(['ETH', 'BTC', 'ERC20']);
  });

  it('the product reads it, and derives the chain', () => {
    const reading = normaliseAssets(parseExactJson(JSON.stringify(v2)), {
      api: 'v2',
      direction: 'onramp',
      currency: 'EUR',
    });
    expect(plain(reading)).toMatchObject({ global: { currencyCode: 'EUR', minFeeAmount: '2.49' }, leftOut: [] });
    expect(reading.ok && reading.value.assets.map(({ chain, symbol }) => `${chain}_${symbol}`)).toEqual(
      expect.arrayContaining(['BTC_BTC', 'ETH_ETH', 'ETH_USDC', 'MATIC_USDC']),
    );
  });
});

describe('§2.10 v1 HostAssetsConfig and AssetInfo', () => {
  const TOP: readonly [name: string, type: string][] = [
    ['assets', 'list'],
    ['enabledFeatures', 'list'],
    ['minPurchaseAmountEur', 'number'],
    ['maxPurchaseAmountEur', 'number'],
    ['minFeeAmountEur', 'number'],
    ['minFeePercent', 'number'],
    ['maxFeePercent', 'number'],
  ];
  const ASSET: readonly [name: string, type: string][] = [
    ['symbol', 'string'],
    ['name', 'string'],
    ['decimals', 'number'],
    ['type', 'string'],
    ['address', 'string or null'],
    ['logoUrl', 'string'],
    ['enabled', 'boolean'],
    ['hidden', 'boolean'],
    ['priceEur', 'number'],
    ['priceUpdateTs', 'string'],
    ['price', 'object'],
    ['minPurchaseAmountEur', 'number'],
    ['maxPurchaseAmountEur', 'number'],
    ['minPurchaseCryptoAmount', 'string'],
    ['networkFeeEur', 'number'],
    ['networkParamsUpdatedAt', 'string'],
  ];

  it.each(TOP)('%s: the sandbox gives a %s', (name, type) => {
    expectType(v1, name, type);
  });

  it.each(ASSET)('%s: every asset of the sandbox has a %s', (name, type) => {
    for (const asset of asList(v1.assets)) expectType(asset, name, type);
  });

  it.each(TOP.filter(([name]) => name !== 'enabledFeatures'))('%s (%s) is needed by the product', (name) => {
    const { [name]: _, ...rest } = v1;
    const reading = normaliseAssets(parseExactJson(JSON.stringify(rest)), {
      api: 'v1',
      direction: 'onramp',
      currency: 'EUR',
    });
    expect(complaints(reading)).toEqual([`${name} missing`]);
  });

  it('amounts are in EUR for every request; -1 is unlimited', () => {
    const asset =
      '{"symbol":"MATIC_USDC","decimals":6,"type":"ERC20","enabled":true,"priceEur":0.92,"price":{"EUR":0.91},"minPurchaseAmountEur":-1,' +
      '"maxPurchaseAmountEur":900,"minPurchaseCryptoAmount":"1000000","networkFeeEur":0.02}';
    const head = '"minPurchaseAmountEur":3,"maxPurchaseAmountEur":20000,"minFeeAmountEur":2.49';
    const body = `{"assets":[${asset}],${head},"minFeePercent":0.99,"maxFeePercent":3.9}`;
    const reading = normaliseAssets(parseExactJson(body), { api: 'v1', direction: 'onramp', currency: 'USD' });
    expect(plain(reading)).toMatchObject({
      global: {
        currencyCode: 'EUR',
        minPurchaseAmount: '3',
        maxPurchaseAmount: '20000',
        minFeeAmount: '2.49',
        minFeePercent: '0.99',
        maxFeePercent: '3.9',
      },
      assets: [
        {
          chain: 'MATIC',
          symbol: 'USDC',
          decimals: 6,
          address: null,
          enabled: true,
          minPurchaseAmount: null,
          maxPurchaseAmount: '900',
          minPurchaseCryptoUnits: '1000000',
          networkFee: '0.02',
          price: '0.92',
        },
      ],
      leftOut: [],
    });
  });
});

describe('§2.10 v1 CountryInfo', () => {
  it('code and mainCurrencyCode are those of ISO 3166 and ISO 4217, name is a text', () => {
    for (const { code, name, mainCurrencyCode } of places) {
      expect(code).toMatch(/^[A-Z]{2}$/);
      expect(mainCurrencyCode).toMatch(/^[A-Z]{3}$/);
      expect(name).toMatch(/^\w/);
    }
  });

  it('cardPaymentsEnabled is deprecated and always true; a body without it is read', () => {
    expect(new Set(places.map((place) => place.cardPaymentsEnabled))).toEqual(new Set([true]));
    expect(countries.safeParse([{ code: 'FR', name: 'France', mainCurrencyCode: 'EUR' }]).success).toBe(true);
  });

  it.each([undefined, null, [], ['ETH_ETH']])(
    'supportedAssets may be %j: absent and null mean all',
    (supportedAssets) => {
      const place = { code: 'FR', name: 'France', mainCurrencyCode: 'EUR', supportedAssets };
      expect(countries.safeParse([place]).success).toBe(true);
    },
  );

  it('an empty list means none: an address of such a country is offered nothing', async () => {
    expect(places.find(({ code }) => code === 'CU')?.supportedAssets).toEqual([]);
    // 203.0.113.0/24 stands for it in the sandbox.
    expect((await get(sandbox.url, '/host-api/assets?userIp=203.0.113.7')).body.assets).toEqual([]);
  });
});

describe('§2.10 v1 QuoteRequestBody', () => {
  const WHOLE = { cryptoAssetSymbol: 'ETH', fiatCurrency: 'EUR', fiatValue: 100, paymentMethodType: 'CARD_PAYMENT' };
  const REQUEST: QuoteRequest = {
    api: 'v1',
    direction: 'onramp',
    cryptoAssetSymbol: 'ETH',
    fiatCurrency: 'EUR',
    fiatValue: '100',
    paymentMethodType: 'CARD_PAYMENT',
  };

  it('the product sends its five fields, and none of v3', () => {
    expect(JSON.parse(quoteRequestBody({ ...REQUEST, userCountryCode: 'FR', userRegionCode: 'IDF' }))).toEqual(WHOLE);
    expect(JSON.parse(quoteRequestBody({ ...REQUEST, fiatValue: undefined, cryptoAmount: '7' }))).toMatchObject({
      cryptoAmount: '7',
    });
  });

  it.each(['cryptoAssetSymbol', 'fiatCurrency', 'fiatValue'])('the sandbox refuses it without %s', async (field) => {
    expect((await askV1({ ...WHOLE, [field]: undefined })).status).toBe(400);
  });

  it.each([
    ['EUR', 1000, 'MANUAL_BANK_TRANSFER'],
    ['BRL', 2000, 'PIX'],
    ['PEN', 100, 'CARD_PAYMENT'],
  ])(
    'without paymentMethodType: the method with the lowest fee that supports %s',
    async (fiatCurrency, fiatValue, m) => {
      const { body } = await askV1({ ...WHOLE, fiatCurrency, fiatValue, paymentMethodType: undefined });
      expect(body.paymentMethodType).toBe(m);
    },
  );
});

describe('§2.10 v1 QuoteResult', () => {
  const FIELDS: readonly [path: string, type: string, product: 'needed' | 'unknown'][] = [
    ['cryptoAssetSymbol', 'string', 'unknown'],
    ['fiatCurrency', 'string', 'needed'],
    ['cryptoAmount', 'string', 'needed'],
    ['fiatValue', 'number', 'needed'],
    ['paymentMethodType', 'string', 'needed'],
    ['asset', 'object', 'needed'],
    ['asset.address', 'string or null', 'unknown'],
    ['asset.symbol', 'string', 'needed'],
    ['asset.name', 'string', 'unknown'],
    ['asset.decimals', 'number', 'needed'],
    ['assetExchangeRate', 'number', 'needed'],
    ['assetExchangeRateEur', 'number', 'unknown'],
    ['fiatExchangeRateEur', 'number', 'unknown'],
    ['baseServiceFee', 'number', 'needed'],
    ['networkFee', 'number', 'needed'],
    ['appliedFee', 'number', 'needed'],
  ];
  const request = { cryptoAssetSymbol: 'USDC', fiatCurrency: 'GBP', fiatValue: 100, paymentMethodType: 'CARD_PAYMENT' };
  let body: Json;
  beforeAll(async () => {
    body = (await askV1(request)).body;
  });

  const read = (response: unknown) =>
    normaliseQuote({
      quoteId: 'q-1',
      direction: 'onramp',
      api: 'v1',
      capturedAt: 0,
      request: parseExactJson(JSON.stringify(request)),
      response: parseExactJson(JSON.stringify(response)),
      identifierName: 'Service',
    });

  it.each(FIELDS)('%s: the sandbox gives a %s', (path, type) => {
    expectType(body, path, type);
  });

  it.each(FIELDS)('%s (%s): without it, for the product it is %s', (path, _type, product) => {
    const copy = structuredClone(body);
    const [name = '', part] = path.split('.');
    if (part === undefined) delete copy[name];
    else Object.assign(copy, { asset: { ...(copy.asset as object), [part]: undefined } });
    expect(complaints(read(copy))).toEqual(product === 'needed' ? [`response.${path} missing`] : []);
  });

  it('address is only defined for tokens', async () => {
    expect(body).toMatchObject({ asset: { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' } });
    expect((await askV1({ ...request, cryptoAssetSymbol: 'ETH' })).body).toMatchObject({ asset: { address: null } });
  });

  it('fiatExchangeRateEur is the price of the currency in EUR, and appliedFee is within fiatValue', () => {
    const rate = asNumber(body.assetExchangeRate);
    expect(rate * asNumber(body.fiatExchangeRateEur)).toBeCloseTo(asNumber(body.assetExchangeRateEur), 12);
    const value = (Number(body.cryptoAmount) / 1e6) * rate;
    expect(value + asNumber(body.appliedFee)).toBeCloseTo(100, 9);
  });

  it('the product has one promise of it, for the method that was used', () => {
    expect(plain(read(body))).toMatchObject({ api: 'v1', methods: [{ method: 'CARD_PAYMENT', fiatValue: '100' }] });
  });
});
