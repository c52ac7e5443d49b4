import { describe, expect, it } from 'vitest';
import { type AssetTerms, UNREAD } from '../../src/domain/reference.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import {
  type AssetsReading,
  normaliseAssets,
  normaliseCountries,
  normaliseCurrencies,
  normaliseMethods,
} from '../../src/service/normalise-reference.ts';
import { anAssetsAnswer, aV3Asset } from './bodies.ts';
import { sample } from './sample.ts';

const EUR_ONRAMP: AssetsReading = { api: 'v3', direction: 'onramp', currency: 'EUR' };

function read(body: unknown, how: AssetsReading = EUR_ONRAMP) {
  const reading = normaliseAssets(body, how);
  if (!reading.ok) throw new Error(`drifted: ${reading.drift.map(({ field }) => field).join(', ')}`);
  return reading.value;
}

function shown(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)));
}

const names = (assets: readonly AssetTerms[]) =>
  assets.map(({ chain, symbol, decimals }) => `${chain}_${symbol}${decimals === UNREAD ? ' unread' : ''}`);

describe('assets', () => {
  it('v3 on-ramp: −1 is no limit', () => {
    expect(shown(read(parseExactJson(anAssetsAnswer())))).toEqual({
      global: {
        currencyCode: 'EUR',
        minPurchaseAmount: '6',
        maxPurchaseAmount: '15000',
        minFeeAmount: '2.49',
        minFeePercent: '0.99',
        maxFeePercent: '3.9',
      },
      assets: [
        {
          chain: 'ETH',
          symbol: 'USDC',
          decimals: 6,
          address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
          enabled: true,
          minPurchaseAmount: null,
          maxPurchaseAmount: '5000.5',
          minPurchaseCryptoUnits: '1000000',
          networkFee: '0.46',
          price: '0.92',
          priceEur: '0.92',
          type: 'ERC20',
          hidden: false,
        },
      ],
      leftOut: [],
    });
  });

  it('v3 off-ramp: −1 is no limit there too, and an asset may be disabled', () => {
    const body = `{"assets":[${aV3Asset({ enabled: 'false' })}],"currencyCode":"EUR","minPurchaseAmount":6.67,"maxPurchaseAmount":-1}`;
    const { global, assets } = read(parseExactJson(body), { ...EUR_ONRAMP, direction: 'offramp' });
    expect([global.maxPurchaseAmount, assets[0]?.enabled]).toEqual([null, false]);
  });

  it('v2: the chain is derived from the type', () => {
    const asset = aV3Asset({ symbol: '"MATIC"', chain: undefined, type: '"MATIC"', decimals: '18', address: 'null' });
    const { assets } = read(parseExactJson(anAssetsAnswer({ assets: `[${asset}]` })), { ...EUR_ONRAMP, api: 'v2' });
    expect(assets).toMatchObject([{ chain: 'MATIC', symbol: 'MATIC', decimals: 18 }]);
  });

  it('v1, as recorded: everything in EUR', () => {
    const { global, assets, leftOut } = read(sample('v1-assets-partial').data, {
      ...EUR_ONRAMP,
      api: 'v1',
      currency: 'USD',
    });
    expect(shown(global)).toEqual({
      currencyCode: 'EUR',
      minPurchaseAmount: '3',
      maxPurchaseAmount: '20000',
      minFeeAmount: '2.49',
      minFeePercent: '0.99',
      maxFeePercent: '3.9',
    });
    // The recording is cut off before the limits of its only asset: unknown limits are not "no limits".
    expect([names(assets), leftOut.map(({ field, problem }) => `${field} ${problem}`)]).toEqual([
      ['ARBITRUM_ETH unread'],
      [
        'assets[0].minPurchaseAmountEur missing',
        'assets[0].maxPurchaseAmountEur missing',
        'assets[0].minPurchaseCryptoAmount missing',
      ],
    ]);
  });

  it('v1: each asset by its joined symbol, with its price in EUR alone or in a list', () => {
    const asset = (price: string) =>
      `{"symbol":"MATIC_USDC","name":"USD Coin","decimals":6,"type":"MATIC_ERC20","address":"0x2791","enabled":true,"hidden":false,` +
      `"minPurchaseAmountEur":6.67,"maxPurchaseAmountEur":-1,"minPurchaseCryptoAmount":"-1","networkFeeEur":0.02,${price}}`;
    const prices = ['"priceEur":0.92', '"price":{"EUR":0.93,"USD":1}', '"price":{"USD":1}'];
    const body = `{"assets":[${prices.map(asset).join(',')}],"minPurchaseAmountEur":3,"maxPurchaseAmountEur":-1,"minFeeAmountEur":2.49,"minFeePercent":0.99,"maxFeePercent":3.9}`;
    const { global, assets, leftOut } = read(parseExactJson(body), { ...EUR_ONRAMP, api: 'v1' });
    const terms = {
      chain: 'MATIC',
      symbol: 'USDC',
      decimals: 6,
      address: '0x2791',
      enabled: true,
      minPurchaseAmount: '6.67',
      maxPurchaseAmount: null,
      minPurchaseCryptoUnits: null,
      networkFee: '0.02',
      type: 'MATIC_ERC20',
      hidden: false,
    };
    expect(shown(global)).toMatchObject({ currencyCode: 'EUR', maxPurchaseAmount: null });
    expect([shown(assets), leftOut]).toEqual([
      ['0.92', '0.93', null].map((price) => ({ ...terms, price, priceEur: price })),
      [],
    ]);
  });

  it('one bad asset does not hide the others', () => {
    const bad = aV3Asset({ decimals: '"6"' });
    const foreign = aV3Asset({ currencyCode: '"USD"' });
    const { assets, leftOut } = read(parseExactJson(anAssetsAnswer({ assets: `[${bad},${aV3Asset()},${foreign},7]` })));
    expect(names(assets)).toEqual(['ETH_USDC', 'ETH_USDC unread', 'ETH_USDC unread']);
    expect(assets[1]).toMatchObject({ enabled: true, minPurchaseAmount: null, price: null, networkFee: null });
    expect(leftOut.map(({ field, problem }) => `${field} ${problem}`)).toEqual([
      'assets[0].decimals type',
      'assets[2].currencyCode value',
      'assets[3] type',
    ]);
  });

  it('an asset whose price or network fee cannot be read is listed, without them', () => {
    const list = `[${aV3Asset({ price: '{"EUR":-5}', networkFee: '-1' })}]`;
    const { assets, leftOut } = read(parseExactJson(anAssetsAnswer({ assets: list })));
    expect(leftOut.map(({ field }) => field)).toEqual(['assets[0].price.EUR', 'assets[0].networkFee']);
    expect(assets).toMatchObject([{ symbol: 'USDC', enabled: true, price: null, networkFee: null }]);
  });

  it('in another currency are of no use', () => {
    expect(normaliseAssets(parseExactJson(anAssetsAnswer({ currencyCode: '"USD"' })), EUR_ONRAMP)).toMatchObject({
      ok: false,
      drift: [{ field: 'currencyCode', found: 'USD', expected: 'EUR, as was asked for' }],
    });
  });
});

describe('methods and currencies', () => {
  it('countries are lower case, currencies upper case, old names present ones', () => {
    const body = parseExactJson('[{"name":"CARD","currencies":["eur","USD"],"countries":["FR","gb"]}]');
    const terms = { currencies: ['EUR', 'USD'], countries: ['fr', 'gb'] };
    expect(normaliseMethods(body, 'onramp')).toEqual({ ok: true, value: [{ name: 'CARD_PAYMENT', ...terms }] });
    expect(normaliseMethods(body, 'offramp')).toEqual({ ok: true, value: [{ name: 'CARD', ...terms }] });
  });

  it('currencies say which way they go', () => {
    const body = '[{"fiatCurrency":"MXN","name":"Peso","onrampAvailable":true,"offrampAvailable":false}]';
    expect(normaliseCurrencies(parseExactJson(body))).toEqual({
      ok: true,
      value: [{ code: 'MXN', onramp: true, offramp: false }],
    });
  });

  it('a country takes cards unless it says that it does not', () => {
    const listed = (rest: string) => `{"code":"DE","name":"Germany","mainCurrencyCode":"EUR"${rest}}`;
    const cards = (rest: string) => {
      const reading = normaliseCountries(parseExactJson(`[${listed(rest)}]`));
      return reading.ok && reading.value[0]?.cardPaymentsEnabled;
    };
    expect([cards(',"cardPaymentsEnabled":true'), cards(',"cardPaymentsEnabled":false'), cards('')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('drift is named by its place in the list', () => {
    const body = parseExactJson(
      '[{"name":"PIX","currencies":["BRL"],"countries":["br"]},{"name":"X","currencies":{}}]',
    );
    expect(normaliseMethods(body, 'onramp')).toMatchObject({
      drift: [
        { field: '[1].currencies', problem: 'type' },
        { field: '[1].countries', problem: 'missing' },
      ],
    });
    expect(normaliseCurrencies(parseExactJson('{}'))).toMatchObject({ drift: [{ field: 'body', expected: 'a list' }] });
  });
});
