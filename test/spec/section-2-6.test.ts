import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { quoteRequestBody } from '../../src/service/ask-quote.ts';
import type { QuoteRequest } from '../../src/service/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseQuote } from '../../src/service/normalise-quote.ts';
import { aSandbox, get, type Json, post } from '../sandbox/a-sandbox.ts';
import { aMethodQuote, aV3Asset } from '../service/bodies.ts';
import { complaints } from './support/fields.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSandbox({ records: 0 });
});
afterAll(() => sandbox.close());

const PATHS = ['/host-api/v3/onramp/quote/all', '/host-api/v3/offramp/quote/all'];
const ask = (path: string, body: unknown) => post(sandbox.url, `${path}?hostApiKey=${sandbox.hostApiKey}`, body);

/** Every field of the table at once, less one of the two amounts. */
const WHOLE: Json = {
  cryptoAssetSymbol: 'ETH_ETH',
  fiatCurrency: 'EUR',
  cryptoAmount: '50000000000000000',
  userCountryCode: 'FR',
  userRegionCode: 'IDF',
};
const QUOTE: QuoteRequest = {
  api: 'v3',
  direction: 'onramp',
  cryptoAssetSymbol: 'ETH_ETH',
  fiatCurrency: 'EUR',
  cryptoAmount: '50000000000000000',
  userCountryCode: 'FR',
  userRegionCode: 'IDF',
};

/** A captured quote as the product reads it, for this request. */
const captured = (request: unknown) =>
  normaliseQuote({
    quoteId: 'q-1',
    direction: 'onramp',
    api: 'v3',
    capturedAt: 0,
    request: parseExactJson(JSON.stringify(request)),
    response: parseExactJson(`{"asset":${aV3Asset()},"PIX":${aMethodQuote()}}`),
    identifierName: 'Service',
  });

describe('§2.6 quote request body (v3 on-ramp and off-ramp)', () => {
  it('the product sends every field by its name, and fiatValue as a number with all its digits', () => {
    expect(JSON.parse(quoteRequestBody(QUOTE))).toEqual(WHOLE);
    expect(quoteRequestBody({ ...QUOTE, cryptoAmount: undefined, fiatValue: '49.90000000000000001' })).toBe(
      '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","userCountryCode":"FR","userRegionCode":"IDF","fiatValue":49.90000000000000001}',
    );
  });

  it.each(PATHS)('%s: the sandbox takes every field', async (path) => {
    expect((await ask(path, WHOLE)).status).toBe(200);
    const { cryptoAmount: _, ...rest } = WHOLE;
    expect((await ask(path, { ...rest, fiatValue: 100 })).status).toBe(200);
  });

  it.each([
    ['cryptoAssetSymbol', 'cryptoAssetSymbol must be a string'],
    ['fiatCurrency', 'fiatCurrency must be a string'],
    ['cryptoAmount', 'exactly one of cryptoAmount and fiatValue must be given'],
  ])('%s is required: the sandbox refuses without it, on both endpoints', async (field, message) => {
    for (const path of PATHS) {
      const { status, body } = await ask(path, { ...WHOLE, [field]: undefined });
      expect([status, body.messages]).toEqual([400, [message]]);
    }
  });

  it.each(['userCountryCode', 'userRegionCode'])('%s is not required', async (field) => {
    for (const path of PATHS) expect((await ask(path, { ...WHOLE, [field]: undefined })).status).toBe(200);
    expect(JSON.parse(quoteRequestBody({ ...QUOTE, [field]: undefined }))).not.toHaveProperty(field);
  });

  it.each([
    [{ fiatValue: undefined, cryptoAmount: undefined }],
    [{ fiatValue: '50', cryptoAmount: '1' }],
    [{ fiatValue: undefined, cryptoAmount: '1.5' }],
    [{ fiatValue: '-1', cryptoAmount: undefined }],
  ])('the product sends no request with %j', (amounts) => {
    expect(() => quoteRequestBody({ ...QUOTE, ...amounts })).toThrow(/amount|fiat value/);
  });

  it.each([
    [{ ...WHOLE }, []],
    [{ ...WHOLE, cryptoAmount: undefined }, ['request.fiatValue missing']],
    [{ ...WHOLE, fiatCurrency: undefined }, ['request.fiatCurrency missing']],
    [{ ...WHOLE, cryptoAssetSymbol: undefined }, ['request.cryptoAssetSymbol missing']],
    [{ ...WHOLE, userCountryCode: undefined, userRegionCode: undefined }, []],
  ])('the product reads the request of a captured quote %j', (request, expected) => {
    expect(complaints(captured(request))).toEqual(expected);
  });

  it('cryptoAssetSymbol has the form <CHAIN>_<SYMBOL>; one that is not traded is refused', async () => {
    const answer = await ask(PATHS[0] ?? '', { ...WHOLE, cryptoAssetSymbol: 'ETH_NOTHING' });
    expect([answer.status, answer.body]).toEqual([
      400,
      { code: 'ASSET_NOT_SUPPORTED', statusCode: 400, cryptoAssetSymbol: 'ETH_NOTHING' },
    ]);
  });

  it('userCountryCode leaves out the methods of other countries', async () => {
    const methods = async (country: string | undefined) =>
      Object.keys((await ask(PATHS[0] ?? '', { ...WHOLE, userCountryCode: country })).body);
    expect(await methods('US')).toEqual(['asset', 'CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY']);
    expect(await methods(undefined)).toEqual([
      'asset',
      'MANUAL_BANK_TRANSFER',
      'AUTO_BANK_TRANSFER',
      'CARD_PAYMENT',
      'APPLE_PAY',
      'GOOGLE_PAY',
    ]);
  });

  it('the body is JSON: another form is refused', async () => {
    expect((await get(sandbox.url, PATHS[0] ?? '')).status).toBe(404);
    const form = await fetch(`${sandbox.url}${PATHS[0]}?hostApiKey=${sandbox.hostApiKey}`, {
      method: 'POST',
      body: new URLSearchParams({ fiatCurrency: 'EUR' }),
    });
    expect(form.status).toBe(415);
  });
});
