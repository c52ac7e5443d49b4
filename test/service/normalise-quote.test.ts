import { describe, expect, it } from 'vitest';
import type { Quote } from '../../src/domain/quote.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseQuote, type QuoteInput } from '../../src/service/normalise-quote.ts';
import { dec } from '../support/builders.ts';
import { aMethodQuote, aV3Asset } from './bodies.ts';

const CAPTURED_AT = Date.parse('2026-11-01T09:56:00Z');
const REQUEST = '{"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","fiatValue":97,"cryptoAmount":"100000000"}';

function read(response: string, overrides: Partial<Omit<QuoteInput, 'response'>> = {}) {
  return normaliseQuote({
    quoteId: 'q-17',
    direction: 'onramp',
    api: 'v3',
    capturedAt: CAPTURED_AT,
    request: parseExactJson(REQUEST),
    identifierName: 'Service',
    ...overrides,
    response: parseExactJson(response),
  });
}

function quoteOf(response: string, overrides: Partial<Omit<QuoteInput, 'response'>> = {}): Quote {
  const reading = read(response, overrides);
  if (!reading.ok) throw new Error(`drifted: ${reading.drift.map(({ field }) => field).join(', ')}`);
  return reading.value;
}

function driftOf(response: string, overrides: Partial<Omit<QuoteInput, 'response'>> = {}) {
  const reading = read(response, overrides);
  return reading.ok ? [] : reading.drift.map(({ field, problem }) => `${field} ${problem}`);
}

/** Decimals and units as text, to be read in an expectation. */
function shown(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)));
}

const v3 = (asset: string, ...methods: [name: string, quote: string][]) =>
  `{"asset":${asset}${methods.map(([name, quote]) => `,"${name}":${quote}`).join('')}}`;

describe('a v3 on-ramp quote', () => {
  it('has a promise for each method, and a rate derived from it', () => {
    const pix = aMethodQuote({ fiatValue: '93', appliedFee: '1', baseServiceFee: '0.54', hostFeeCut: '0.2' });
    const quote = quoteOf(v3(aV3Asset(), ['CARD_PAYMENT', aMethodQuote()], ['PIX', pix]));
    expect(shown(quote)).toEqual({
      quoteId: 'q-17',
      direction: 'onramp',
      api: 'v3',
      capturedAt: CAPTURED_AT,
      asset: {
        chain: 'ETH',
        symbol: 'USDC',
        decimals: 6,
        address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        type: 'ERC20',
      },
      exchangeRateEur: '0.92',
      fiatCurrency: 'EUR',
      assetTerms: {
        currencyCode: 'EUR',
        minPurchaseAmount: null,
        maxPurchaseAmount: '5000.5',
        minPurchaseCryptoUnits: '1000000',
        price: '0.92',
      },
      methods: [
        {
          method: 'CARD_PAYMENT',
          fiatValue: '97',
          cryptoUnits: '100000000',
          appliedFee: '5',
          baseFee: '4.54',
          networkFee: '0.46',
          networkFeeExact: true,
          hostFeeCut: null,
          // (97 − 5) / 100 USDC
          exchangeRate: '0.92',
        },
        {
          method: 'PIX',
          fiatValue: '93',
          cryptoUnits: '100000000',
          appliedFee: '1',
          baseFee: '0.54',
          networkFee: '0.46',
          networkFeeExact: true,
          hostFeeCut: '0.2',
          exchangeRate: '0.92',
        },
      ],
    });
  });

  it('converts a network fee of another currency through the asset’s own prices, and says so', () => {
    // 0.46 USD × 0.92 EUR / 1.01 USD
    const asset = aV3Asset({ currencyCode: '"USD"', price: '{"EUR":0.92,"USD":1.01}' });
    const [method] = quoteOf(v3(asset, ['PIX', aMethodQuote()])).methods;
    expect(method?.networkFee?.toString()).toBe('0.41900990099009901');
    expect(method?.networkFeeExact).toBe(false);
  });

  it('converts it by the quoted price where the list has none in the currency of the quote', () => {
    const asset = aV3Asset({ currencyCode: '"USD"', price: '{"USD":1.01}' });
    const [method] = quoteOf(v3(asset, ['PIX', aMethodQuote()])).methods;
    const rate = method?.exchangeRate ?? dec('0');
    expect(method?.networkFee?.equals(dec('0.46').times(rate).dividedBy(dec('1.01'), 18))).toBe(true);
    expect(method?.networkFeeExact).toBe(false);
  });

  it.each(['{"EUR":0.92}', '{}', '{"EUR":0.92,"USD":0}', 'null'])(
    'knows no network fee where the prices are %s',
    (price) => {
      const asset = aV3Asset({ currencyCode: '"USD"', price });
      expect(quoteOf(v3(asset, ['PIX', aMethodQuote()])).methods[0]).toMatchObject({
        networkFee: null,
        networkFeeExact: true,
      });
    },
  );

  it('keeps the 18 places of a derived rate', () => {
    const quote = aMethodQuote({ fiatValue: '97', appliedFee: '0', cryptoAmount: '"29100000"' });
    expect(quoteOf(v3(aV3Asset(), ['PIX', quote])).methods[0]?.exchangeRate?.toString()).toBe('3.333333333333333333');
    const nothing = aMethodQuote({ cryptoAmount: '"0"' });
    expect(driftOf(v3(aV3Asset(), ['PIX', nothing]))).toEqual(['response.PIX.cryptoAmount value']);
  });

  it('keeps unknown methods, and no other unknown field', () => {
    const quote = quoteOf(
      `{"asset":${aV3Asset()},"SOFORT":${aMethodQuote()},"CARD":${aMethodQuote()},"requestId":"x","meta":{"appliedFee":1},"more":{"cryptoAmount":"1"}}`,
    );
    expect(quote.methods.map(({ method }) => method)).toEqual(['SOFORT', 'CARD_PAYMENT']);
  });

  it('does not offer a method that is null', () => {
    const quote = quoteOf(v3(aV3Asset(), ['CARD_PAYMENT', aMethodQuote()], ['PIX', 'null']));
    expect(quote.methods.map(({ method }) => method)).toEqual(['CARD_PAYMENT']);
  });

  it('that offers nothing promises nothing', () => {
    expect(driftOf(v3(aV3Asset()))).toEqual(['response value']);
  });

  it.each(['currencyCode', 'minPurchaseAmount', 'maxPurchaseAmount', 'minPurchaseCryptoAmount'])(
    'has no terms without %s: a missing limit is not "no limit"',
    (name) => {
      for (const value of [undefined, 'null'])
        expect(quoteOf(v3(aV3Asset({ [name]: value }), ['PIX', aMethodQuote()])).assetTerms).toBeNull();
    },
  );

  it('has terms without a price, and where the price is zero', () => {
    for (const price of [undefined, '{"USD":1}', '{"EUR":0}'])
      expect(quoteOf(v3(aV3Asset({ price }), ['PIX', aMethodQuote()])).assetTerms).toMatchObject({
        currencyCode: 'EUR',
        price: null,
      });
  });

  it.each([
    ['"FR"', 'fr'],
    ['"br"', 'br'],
    ['""', undefined],
    ['null', undefined],
  ])('has the country that its request names: %s', (named, country) => {
    const request = parseExactJson(REQUEST.replace('}', `,"userCountryCode":${named}}`));
    expect(quoteOf(v3(aV3Asset(), ['PIX', aMethodQuote()]), { request }).country).toBe(country);
  });

  it('reads the base fee by the deployment’s name', () => {
    const quote = aMethodQuote({ baseServiceFee: undefined, baseRampFee: '4.54' });
    const response = v3(aV3Asset(), ['PIX', quote]);
    expect(quoteOf(response, { identifierName: 'Ramp' }).methods[0]?.baseFee?.toString()).toBe('4.54');
    expect(driftOf(response)).toEqual(['response.PIX.baseServiceFee missing']);
  });

  it('names everything that is wrong with request and response', () => {
    const request = parseExactJson('{"cryptoAssetSymbol":"ETH_USDC"}');
    const response = v3('{"symbol":"USDC"}', ['PIX', aMethodQuote({ fiatValue: '"97"', appliedFee: '-1' })]);
    expect(driftOf(response, { request })).toEqual([
      'request.fiatCurrency missing',
      'request.fiatValue missing',
      'response.asset.decimals missing',
      'response.PIX.fiatValue type',
      'response.PIX.appliedFee value',
    ]);
    expect(driftOf(v3(aV3Asset(), ['SOFORT', aMethodQuote({ fiatValue: 'null' })]))).toEqual([
      'response.SOFORT.fiatValue type',
    ]);
    expect(driftOf(v3(aV3Asset(), ['SOFORT', aMethodQuote({ baseServiceFee: 'null' })]))).toEqual([
      'response.SOFORT.baseServiceFee type',
    ]);
  });

  it('must answer in the currency it was asked in', () => {
    expect(read(v3(aV3Asset(), ['PIX', aMethodQuote({ fiatCurrency: '"USD"' })]))).toEqual({
      ok: false,
      drift: [
        {
          field: 'response.PIX.fiatCurrency',
          problem: 'value',
          found: 'USD',
          expected: 'EUR, as the request asked',
          hint: null,
        },
      ],
    });
  });
});

describe('a v3 off-ramp quote', () => {
  it('pays the crypto’s value less the fee; its base fee may be null', () => {
    const sepa = aMethodQuote({ fiatValue: '90', appliedFee: '2', baseServiceFee: 'null' });
    const quote = quoteOf(v3(aV3Asset({ networkFee: undefined }), ['SEPA', sepa], ['CARD', aMethodQuote()]), {
      direction: 'offramp',
    });
    expect(shown(quote.methods[1])).toEqual({
      method: 'SEPA',
      fiatValue: '90',
      cryptoUnits: '100000000',
      appliedFee: '2',
      baseFee: null,
      networkFee: null,
      networkFeeExact: true,
      hostFeeCut: null,
      // (90 + 2) / 100 USDC
      exchangeRate: '0.92',
    });
    // CARD is a payout method of its own, no old name of a payment method.
    expect(quote.methods[0]?.method).toBe('CARD');
  });
});

describe('a v1 quote', () => {
  const fields = {
    cryptoAssetSymbol: '"MATIC_DAI"',
    fiatCurrency: '"GBP"',
    cryptoAmount: '"5941100533426643564"',
    fiatValue: '4.34',
    paymentMethodType: '"SEPA"',
    asset: '{"address":"0x6a38","symbol":"MATIC_DAI","name":"DAI","decimals":18}',
    assetExchangeRate: '0.7218225599636798',
    assetExchangeRateEur: '0.83',
    fiatExchangeRateEur: '1.15',
    baseServiceFee: '0.042884203960396',
    networkFee: '0.00869539999999999',
    appliedFee: '0.051579603960396',
  };
  const body = (overrides: Partial<Record<keyof typeof fields, string>> = {}) =>
    `{${Object.entries({ ...fields, ...overrides }).map(([name, value]) => `"${name}":${value}`)}}`;
  const asked = {
    api: 'v1' as const,
    request: parseExactJson('{"cryptoAssetSymbol":"MATIC_DAI","fiatCurrency":"GBP","fiatValue":4.34}'),
  };

  it('has one method, with its own rate and network fee', () => {
    const quote = quoteOf(body(), asked);
    expect(shown({ asset: quote.asset, terms: quote.assetTerms, methods: quote.methods })).toEqual({
      asset: { chain: 'MATIC', symbol: 'DAI', decimals: 18, address: '0x6a38' },
      terms: null,
      methods: [
        {
          method: 'MANUAL_BANK_TRANSFER',
          fiatValue: '4.34',
          cryptoUnits: '5941100533426643564',
          appliedFee: '0.051579603960396',
          baseFee: '0.042884203960396',
          networkFee: '0.00869539999999999',
          networkFeeExact: true,
          hostFeeCut: null,
          exchangeRate: '0.7218225599636798',
        },
      ],
    });
  });

  it.each([
    ['its tokens at its rate, with its fee, are not its total', { cryptoAmount: '"5700000000000000000"' }, 'fiatValue'],
    ['its fee is below the network fee in it', { networkFee: '0.06' }, 'appliedFee'],
    ['it has no price', { assetExchangeRate: '0' }, 'assetExchangeRate'],
    ['it is for nothing', { cryptoAmount: '"0"' }, 'cryptoAmount'],
    ['its rate in EUR is another', { assetExchangeRateEur: '0.85' }, 'assetExchangeRateEur'],
  ])('is refused where %s', (_, overrides, field) => {
    expect(driftOf(body(overrides), asked)).toEqual([`response.${field} value`]);
  });

  it('is refused where one EUR is not one EUR', () => {
    const request = parseExactJson('{"cryptoAssetSymbol":"MATIC_DAI","fiatCurrency":"EUR","fiatValue":4.34}');
    const inEuro = (rate: string, rateEur: string) =>
      driftOf(body({ fiatCurrency: '"EUR"', fiatExchangeRateEur: rate, assetExchangeRateEur: rateEur }), {
        ...asked,
        request,
      });
    expect(inEuro('1.2', '0.866')).toEqual(['response.fiatExchangeRateEur value']);
    expect(inEuro('1.0000000001', '0.7218')).toEqual([]);
  });

  it('may be rounded, and may have a discount', () => {
    // Of all of its base fee: what is left is the network fee, but for the noise of floating point.
    const free = { appliedFee: '0.0086953999999999', fiatValue: '4.29711579603960351' };
    expect(
      driftOf(body(free), {
        ...asked,
        request: parseExactJson(
          '{"cryptoAssetSymbol":"MATIC_DAI","fiatCurrency":"GBP","fiatValue":4.29711579603960351}',
        ),
      }),
    ).toEqual([]);
    expect(quoteOf(body({ cryptoAmount: '"5910000000000000000"' }), asked).methods).toHaveLength(1);
    expect(quoteOf(body({ appliedFee: '0.0475', cryptoAmount: '"5946000000000000000"' }), asked).methods).toHaveLength(
      1,
    );
  });

  // Spec §2.10: the asset of a v1 quote is `address`, `symbol`, `name` and `decimals`, and nothing else.
  const bareAsset = '{"address":"0x6a38","symbol":"DAI","name":"DAI","decimals":18}';

  it.each([
    ['its own cryptoAssetSymbol', '"MATIC_DAI"', 'DAI', 'MATIC'],
    ['its request', '"DAI"', 'MATIC_DAI', 'MATIC'],
    ['nothing: the chain is unknown, and never the token itself', '"DAI"', 'DAI', ''],
  ])('knows the chain of a bare token by %s', (_, answered, requested, chain) => {
    const request = parseExactJson(`{"cryptoAssetSymbol":"${requested}","fiatCurrency":"GBP","fiatValue":4.34}`);
    const quote = quoteOf(body({ asset: bareAsset, cryptoAssetSymbol: answered }), { ...asked, request });
    expect(quote.asset).toEqual({ chain, symbol: 'DAI', decimals: 18, address: '0x6a38' });
  });

  it('exists for the on-ramp only', () => {
    expect(read(body(), { ...asked, direction: 'offramp' })).toEqual({
      ok: false,
      drift: [
        {
          field: 'direction',
          problem: 'value',
          found: 'offramp',
          expected: 'onramp, the only direction that v1 quotes have',
          hint: 'api_version may be v3',
        },
      ],
    });
  });

  it('drifts as a purchase does', () => {
    expect(driftOf(body({ appliedFee: '"0.05"', assetExchangeRate: 'null', fiatCurrency: '"USD"' }), asked)).toEqual([
      'response.assetExchangeRate type',
      'response.appliedFee type',
    ]);
    expect(driftOf(body({ fiatCurrency: '"USD"' }), asked)).toEqual(['response.fiatCurrency value']);
  });
});
