import { describe, expect, it } from 'vitest';
import { parseQuoteLine } from '../../src/service/quote-line.ts';
import { dec } from '../support/builders.ts';
import { aMethodQuote, aV3Asset } from './bodies.ts';
import { samplePart } from './sample.ts';

const RESPONSE = `{"asset":${aV3Asset()},"PIX":${aMethodQuote({ fiatValue: '97.00000000000000001' })}}`;
const REQUEST = '{"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","fiatValue":97.00000000000000001}';

function line(fields: Record<string, string | undefined> = {}): string {
  const all: Record<string, string | undefined> = {
    quote_id: '"q-17"',
    direction: '"onramp"',
    api_version: '"v3"',
    captured_at: '"2026-11-01T09:56:00Z"',
    request: REQUEST,
    response: RESPONSE,
    ...fields,
  };
  return `{${Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`"${name}":${value}`]))}}`;
}

function problemsOf(text: string): readonly string[] {
  const read = parseQuoteLine(text, 'Service');
  return read.ok ? [] : read.problems;
}

describe('a line', () => {
  it('gives the quote, and both bodies with every digit', () => {
    const read = parseQuoteLine(line(), 'Service');
    if (!read.ok) throw new Error(read.problems.join());
    expect(read.quote).toMatchObject({ quoteId: 'q-17', api: 'v3', capturedAt: Date.parse('2026-11-01T09:56:00Z') });
    expect(read.quote.methods[0]?.fiatValue.toString()).toBe('97.00000000000000001');
    expect(read.request).toBe(REQUEST);
    expect(read.response).toBe(RESPONSE);
  });

  it('may say what the app showed, every digit of it', () => {
    const read = parseQuoteLine(
      line({ shown_total: '104.7600000000000001', shown_fee: '"4.76"', shown_method: '"PIX"' }),
      'Service',
    );
    if (!read.ok) throw new Error(read.problems.join());
    expect(read.quote.shown).toEqual({ total: dec('104.7600000000000001'), fee: dec('4.76'), method: 'PIX' });
    expect(problemsOf(line({ shown_fee: '-1' }))).toEqual([
      'shown_fee: expected a number that is not negative, or one in a string, found -1',
    ]);
  });

  it.each([
    [{}, undefined],
    [{ shown_total: 'null', shown_fee: 'null', shown_method: '"PIX"' }, undefined],
    [{ shown_total: '104.76' }, { total: dec('104.76'), fee: null, method: null }],
    [{ shown_fee: '"4.76"' }, { total: null, fee: dec('4.76'), method: null }],
  ])('says only what the app showed: %j', (fields, shown) => {
    const read = parseQuoteLine(line(fields), 'Service');
    if (!read.ok) throw new Error(read.problems.join());
    expect(read.quote.shown).toEqual(shown);
    expect('shown' in read.quote).toBe(shown !== undefined);
  });

  it('has an id of 1 to 128 visible characters, and a shown method of at most 64', () => {
    const id = (text: string) => problemsOf(line({ quote_id: JSON.stringify(text) }));
    expect(id('q'.repeat(128))).toEqual([]);
    for (const text of ['q'.repeat(129), 'q\n', '\u202eq', 'a\u0000b'])
      expect(id(text)).toEqual(['quote_id: expected 1 to 128 visible characters, found a string']);
    const method = (length: number) => problemsOf(line({ shown_fee: '1', shown_method: `"${'m'.repeat(length)}"` }));
    expect([method(64).length, method(65).length]).toEqual([0, 1]);
  });

  it('has its base fee under the deployment’s name, and its own keys under ours', () => {
    const response = `{"asset":${aV3Asset()},"PIX":${aMethodQuote({ baseServiceFee: undefined, baseRampFee: '4.5' })}}`;
    const read = parseQuoteLine(line({ response }), 'Ramp');
    if (!read.ok) throw new Error(read.problems.join());
    expect(read.quote.methods[0]?.baseFee).toEqual(dec('4.5'));
  });

  it('may have its white space and its keys in any way', () => {
    const loose = `  { "response" : ${RESPONSE} , "request": ${REQUEST},
      "captured_at":"2026-11-01T10:56:00+01:00","api_version":"v3","direction":"onramp","quote_id":"q-17","note":"x" }  `;
    expect(problemsOf(loose)).toEqual([]);
  });

  it('that contradicts itself is named', () => {
    const response = `{"asset":${aV3Asset()},"PIX":${aMethodQuote({ fiatValue: '97.00000000000000001', appliedFee: '98' })}}`;
    expect(parseQuoteLine(line({ response }), 'Service')).toMatchObject({
      ok: false,
      quoteId: 'q-17',
      problems: ['response.PIX.appliedFee: expected at most the value of 97.00000000000000001, found 98'],
    });
  });

  it.each([
    [
      { minPurchaseAmount: '500', maxPurchaseAmount: '20' },
      'response.asset.minPurchaseAmount: expected at most the maximum of 20, found 500',
    ],
    [
      { type: '"NATIVE"', address: '"0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce"' },
      'response.asset.address: expected none, as the coin of its chain (NATIVE) has no contract, found 0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce',
    ],
  ])('whose asset contradicts itself is refused (%o)', (fields, problem) => {
    const response = `{"asset":${aV3Asset(fields)},"PIX":${aMethodQuote({ fiatValue: '97.00000000000000001' })}}`;
    expect(problemsOf(line({ response }))).toEqual([problem]);
  });

  it.each([
    { minPurchaseAmount: '500', maxPurchaseAmount: '-1' },
    { minPurchaseAmount: '20', maxPurchaseAmount: '20' },
    { type: '"NATIVE"', address: '"0x0000000000000000000000000000000000000000"' },
  ])('whose asset has no maximum, one amount, or the zero address of a coin is not (%o)', (fields) => {
    const response = `{"asset":${aV3Asset(fields)},"PIX":${aMethodQuote({ fiatValue: '97.00000000000000001' })}}`;
    expect(problemsOf(line({ response }))).toEqual([]);
  });

  it('has a date that can be true: from 2017 to a day after it came in', () => {
    const now = Date.parse('2026-11-01T10:00:00Z');
    const capturedAt = (text: string) => {
      const read = parseQuoteLine(line({ captured_at: JSON.stringify(text) }), 'Service', { now });
      return read.ok ? [] : read.problems;
    };
    for (const date of ['2017-01-01T00:00:00Z', '2026-11-02T10:00:00Z']) expect(capturedAt(date)).toEqual([]);
    for (const date of ['2016-12-31T23:59:59Z', '2026-11-02T10:00:01Z'])
      expect(capturedAt(date)).toEqual([
        `captured_at: expected a time from 2017 to a day after the import, found ${date}`,
      ]);
  });

  it('may answer with the other name of a renamed asset, from its day on', () => {
    const request = REQUEST.replace('ETH_USDC', 'ETH_DOLLAR');
    const readWith = (since: string) =>
      parseQuoteLine(line({ request }), 'Service', {
        renamedAssets: [{ chain: 'ETH', was: 'DOLLAR', now: 'USDC', since }],
      }).ok;
    expect(readWith('2026-11-01')).toBe(true);
    expect(readWith('2026-11-02')).toBe(false);
  });

  it('names the asset of the answer where only that is another one', () => {
    const asset = '{"address":null,"symbol":"ETH","name":"Ether","decimals":18}';
    const fees = '"baseServiceFee":1.17,"networkFee":0.15,"appliedFee":1.32';
    const rates = '"assetExchangeRate":0.3,"assetExchangeRateEur":0.9,"fiatExchangeRateEur":3';
    const amounts = '"cryptoAmount":"100000000000000000000","fiatValue":31.32,"paymentMethodType":"PIX"';
    const names = '"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"KWD"';
    const request = `{${names},"fiatValue":31.32}`;
    const response = `{${names},${amounts},"asset":${asset},${rates},${fees}}`;
    expect(problemsOf(line({ api_version: '"v1"', request, response }))).toEqual([
      'response.asset: expected ETH_USDC, as the request asked, found ETH',
    ]);
  });

  it('may leave less than the price of one token unpaid, where tokens cannot be split', () => {
    const quoted = (asked: string, tokens = '3') =>
      problemsOf(
        line({
          request: REQUEST.replace('97.00000000000000001', asked),
          response: RESPONSE.replace(/"cryptoAmount":"\d+"/, `"cryptoAmount":"${tokens}"`),
        }),
      );
    expect(quoted('129.33')).toEqual([]);
    expect(quoted('129.34')).toHaveLength(1);
    expect(quoted('90')).toHaveLength(1);
    expect(quoted('97.02', '97000000')).toHaveLength(1);
  });

  it('knows the requests that integrators send', () => {
    const request = samplePart('v3-onramp-quote-request-bitpay', 'fiatValue');
    expect(request).toBe('50');
    expect(
      problemsOf(line({ request: '{"cryptoAssetSymbol":"BTC_BTC","fiatValue":50,"fiatCurrency":"EUR"}' })),
    ).toEqual([
      'response.asset: expected BTC_BTC, as the request asked, found ETH_USDC',
      'response.PIX.fiatValue: expected 50, as the request asked, found 97.00000000000000001',
    ]);
  });
});

describe('problems, in words and all at once', () => {
  it.each([
    ['', ['the body cannot be read: it ends too early (at character 0)']],
    ['not json', ['the body cannot be read: it is not JSON (at character 1)']],
    ['[1]', ['body: expected an object, found a list']],
    [
      '{}',
      [
        'quote_id: expected a string, found nothing',
        'direction: expected onramp or offramp, found nothing',
        'api_version: expected v1 or v3, found nothing',
        'captured_at: expected an ISO 8601 date-time, found nothing',
        'request: expected an object, found nothing',
        'response: expected an object, found nothing',
      ],
    ],
    [
      line({ quote_id: '""', direction: '"buy"' }),
      [
        'quote_id: expected 1 to 128 visible characters, found an empty string',
        'direction: expected onramp or offramp, found "buy"',
      ],
    ],
    [
      line({ quoteId: '"q"', quote_id: undefined }),
      ['quote_id: expected a string, found nothing (the body has quoteId)'],
    ],
    [
      line({ captured_at: '"2026-11-01 09:56"' }),
      ['captured_at: expected an ISO 8601 date-time with a zone, found a string'],
    ],
    [line({ response: '"{}"' }), ['response: expected an object, found a string']],
    [
      line({ request: '{"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR"}' }),
      ['request.fiatValue: expected cryptoAmount or fiatValue, found nothing'],
    ],
    [
      line({ response: `{"asset":${aV3Asset()},"PIX":${aMethodQuote({ appliedFee: '-0.5' })}}` }),
      ['response.PIX.appliedFee: expected a number that is not negative, found -0.5'],
    ],
    [
      line({ api_version: '"v1"', direction: '"offramp"' }),
      ['direction: expected onramp, the only direction that v1 quotes have, found offramp (api_version may be v3)'],
    ],
  ])('%s', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('a key twice', () => {
    expect(problemsOf(line().replace('{', '{"quote_id":"q-1",'))[0]).toMatch(/same key twice/);
  });
});

it('a line that has an id is named by it, whatever else is wrong', () => {
  expect(parseQuoteLine(line({ quote_id: '"q-9"', api_version: '"v2"' }), 'Service')).toEqual({
    ok: false,
    quoteId: 'q-9',
    problems: ['api_version: expected v1 or v3, found "v2"'],
  });
});
