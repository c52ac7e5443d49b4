import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseSale } from '../../src/service/normalise-sale.ts';
import { readWebhookBody } from '../../src/service/webhook-body.ts';
import { aSandbox, get, type Json } from '../sandbox/a-sandbox.ts';
import { aSale, SALE_ASSET } from '../service/bodies.ts';
import { complaints, expectType, plain } from './support/fields.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let sandbox: Sandbox;
let sales: Json[];
beforeAll(async () => {
  sandbox = await aSandbox({ records: 120 });
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
  ['fiat.amount', 'number or string'],
  ['fiat.currencySymbol', 'string'],
];

describe('§2.8 Sale', () => {
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

  it('the token is purchaseViewToken, and saleViewToken in the field; each sale has one of them at least', () => {
    const names = sales.map((sale) => ['purchaseViewToken', 'saleViewToken'].filter((name) => name in sale).join('+'));
    expect(new Set(names)).toEqual(new Set(['purchaseViewToken', 'saleViewToken', 'purchaseViewToken+saleViewToken']));
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
      asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
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
