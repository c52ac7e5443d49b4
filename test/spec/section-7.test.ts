import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RequestRejectedError } from '../../src/ports/service-errors.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { errorCodeOf } from '../../src/service/answer.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { get, post } from '../sandbox/a-sandbox.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { clientOf } from './support/client.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 10 });
});
afterAll(() => sandbox.close());

const UNSUPPORTED_CURRENCY = 'SERVICES.HOST_API.UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD';

const codeOf = (body: string) =>
  errorCodeOf({ type: 'json', text: body, value: parseExactJson(body) }, ['mg3voq92hd2mbdht']);

const ETH = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 };

describe('§7.1 an error is a JSON object with a code and optional extra properties', () => {
  it.each<[string, number, string, object?]>([
    ['/host-api/v3/assets?currencyCode=ARS', 400, 'FIAT_CURRENCY_NOT_SUPPORTED'],
    ['/host-api/v3/currencies?countryCode=PL', 400, 'VALIDATION_EXCEPTION'],
    ['/host-api/quote', 400, 'VALIDATION_EXCEPTION', ETH],
    ['/host-api/quote?hostApiKey=unknown-key', 403, 'SERVICES.HOST_API.INVALID_HOST_API_KEY', ETH],
    ['/host-api/purchase/322', 401, 'SERVICES.HOST_API.SECRET_REQUIRED'],
    ['/host-api/purchase/sabcdefghijklmn?secret=mg3voq92hd2mbdht', 404, 'SERVICES.HOST_API.NOT_FOUND'],
  ])('the sandbox answers %s with %i and %s', async (path, status, code, body) => {
    const answer = body === undefined ? await get(sandbox.url, path) : await post(sandbox.url, path, body);
    expect([answer.status, answer.body.code, answer.body.statusCode]).toEqual([status, code, status]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each([
    ['{"code":"X.Y","statusCode":400,"currency":"EUR"}', 'X.Y'],
    ['{"code":"X.Y"}', 'X.Y'],
    // The framework's envelope (field facts) has no code: its words stand in.
    ['{"message":"Cannot GET /x","error":"Not Found","statusCode":404}', 'CANNOT_GET'],
    ['{"message":["a"],"error":"Bad Request","statusCode":400}', 'Bad Request'],
    ['{"name":"ValidationException","messages":["hostApiKey must be a string"]}', 'ValidationException'],
    ['{"statusCode":400}', null],
    // A message that repeats a secret is not shown.
    ['{"code":"no record for mg3voq92hd2mbdht"}', null],
  ])('the product reads %s as %s', (body, code) => {
    expect(codeOf(body)).toBe(code);
  });
});

describe('§7.2 an unsupported currency and payment method of a v1 quote', () => {
  it('yields 400 and the documented body', async () => {
    const path = `/host-api/quote?hostApiKey=${sandbox.hostApiKey}`;
    const { status, body } = await post(sandbox.url, path, { ...ETH, paymentMethodType: 'PIX' });
    expect([status, body]).toEqual([
      400,
      {
        currency: 'EUR',
        paymentMethodType: 'PIX',
        code: 'SERVICES.HOST_API.UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD',
        statusCode: 400,
      },
    ]);
  });

  it('is reported by the product with status and code', async () => {
    const client = clientOf(sandbox);
    const request = {
      api: 'v1',
      direction: 'onramp',
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'EUR',
      fiatValue: '100',
      paymentMethodType: 'PIX',
    } as const;
    const error: unknown = await client.quote(request, { pace: 'burst', quoteId: 'q-1' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RequestRejectedError);
    expect(error).toMatchObject({ httpStatus: 400, errorCode: UNSUPPORTED_CURRENCY });
    await client.close();
  });
});

describe('§7.3 the list of codes is not shown', () => {
  it('so the codes of the field are given, and any other is passed on unchanged', async () => {
    const path = `/host-api/v3/onramp/quote/all?hostApiKey=${sandbox.hostApiKey}`;
    const { status, body } = await post(sandbox.url, path, { ...ETH, fiatValue: 2 });
    expect([status, body.code]).toEqual([400, 'SWAP.VALIDATION.SWAP_VALUE_IS_ZERO']);
    expect(codeOf('{"code":"SOMETHING.ENTIRELY_NEW"}')).toBe('SOMETHING.ENTIRELY_NEW');
  });
});

describe('§7.4 other conditions are not shown', () => {
  it.each([
    ['missing parameters', '/host-api/quote', 400],
    ['an unknown path', '/host-api/v4/assets', 404],
  ])('%s: a decision of the sandbox', async (_what, path, status) => {
    expect((await post(sandbox.url, path, ETH)).status).toBe(status);
  });

  it.each([
    ['a bad secret', 'ACCESS_DENIED', 403],
    ['an unknown id', 'RECORD_MISSING', 404],
  ])('%s: for the product %s', async (what, reason, httpStatus) => {
    const client = clientOf(sandbox);
    const line = [...sandbox.trackedLines()].find(({ kind }) => kind === 'purchase');
    const id = what === 'an unknown id' ? 'sabcdefghijklmn' : (line?.id ?? '');
    const ref = { kind: 'purchase', id, token: 'aaaaaaaaaaaaaaaa' } as const;
    const result = await client.fetchRecord(ref, { pace: 'burst' });
    expect(result).toMatchObject({ outcome: 'unreachable', reason, httpStatus, attempts: 1 });
    await client.close();
  });
});
