import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normalisePurchase } from '../../src/service/normalise-purchase.ts';
import { aSandbox, get, type Json } from '../sandbox/a-sandbox.ts';
import { aPurchase } from '../service/bodies.ts';
import { complaints, expectType, plain } from './support/fields.ts';

let sandbox: Sandbox;
let live: Json;
let seeded: Json[];
beforeAll(async () => {
  sandbox = await aSandbox({ records: 60 });
  const { id, viewToken } = sandbox.live.create({
    kind: 'purchase',
    cryptoAssetSymbol: 'ETH_ETH',
    fiatCurrency: 'GBP',
    fiatValue: 100,
    method: 'CARD_PAYMENT',
  });
  sandbox.live.release(id);
  live = (await get(sandbox.url, `/host-api/purchase/${id}?secret=${viewToken}`)).body;
  const lines = [...sandbox.trackedLines()].filter(({ kind }) => kind === 'purchase');
  seeded = await Promise.all(
    lines.map(async (line) => (await get(sandbox.url, `/host-api/purchase/${line.id}?secret=${line.view_token}`)).body),
  );
});
afterAll(() => sandbox.close());

const read = (text: string) => normalisePurchase(parseExactJson(text), 'Service');

/**
 * The table of the section: name, type, whether seeded purchases always have it (field facts: some are absent or null at
 * times), and what the product makes of a body without it.
 */
const FIELDS: readonly [path: string, type: string, seeded: 'always' | 'at times', product: 'needed' | 'unknown'][] = [
  ['id', 'string', 'always', 'needed'],
  ['endTime', 'string', 'at times', 'unknown'],
  ['asset', 'object', 'always', 'needed'],
  ['asset.address', 'string or null', 'always', 'unknown'],
  ['asset.symbol', 'string', 'always', 'needed'],
  ['asset.name', 'string', 'always', 'unknown'],
  ['asset.decimals', 'number', 'always', 'needed'],
  ['asset.type', 'string', 'at times', 'unknown'],
  ['cryptoAmount', 'string', 'always', 'needed'],
  ['fiatCurrency', 'string', 'always', 'needed'],
  ['fiatValue', 'number', 'always', 'needed'],
  ['assetExchangeRate', 'number', 'always', 'needed'],
  ['assetExchangeRateEur', 'number', 'at times', 'unknown'],
  ['baseServiceFee', 'number', 'always', 'needed'],
  ['networkFee', 'number', 'always', 'needed'],
  ['appliedFee', 'number', 'always', 'needed'],
  ['purchaseViewToken', 'string', 'at times', 'unknown'],
  ['receiverAddress', 'string', 'always', 'unknown'],
  ['createdAt', 'string', 'always', 'needed'],
  ['updatedAt', 'string', 'always', 'unknown'],
  ['status', 'string', 'always', 'needed'],
  ['finalTxHash', 'string or null', 'at times', 'unknown'],
  ['paymentMethodType', 'string', 'always', 'needed'],
];

/** A whole purchase without one field, however deep it is. */
function without(path: string): string {
  const [name = '', part] = path.split('.');
  if (part === undefined) return aPurchase({ [name]: undefined });
  const asset: Json = { address: null, symbol: 'ETH_ETH', chain: 'ETH', name: 'Ether', decimals: 18, type: 'NATIVE' };
  return aPurchase({ [name]: JSON.stringify({ ...asset, [part]: undefined }) });
}

describe('§2.9 Purchase', () => {
  it.each(FIELDS)('%s: a released purchase of the sandbox has a %s', (path, type) => {
    expectType(live, path, type);
  });

  it.each(FIELDS)('%s (%s): seeded purchases have it %s', (path, type, how) => {
    expect(seeded.length).toBeGreaterThan(30);
    for (const body of seeded) expectType(body, path, how === 'always' ? type : `${type} or null or absent`);
  });

  it.each(FIELDS)('%s (%s, %s): without it, for the product it is %s', (path, _type, _how, product) => {
    expect(complaints(read(without(path)))).toEqual(product === 'needed' ? [`${path} missing`] : []);
  });

  it('times are ISO 8601 instants', () => {
    for (const name of ['createdAt', 'updatedAt', 'endTime']) expect(live[name]).toMatch(/^2026-11-0\dT.*Z$/);
    expect(complaints(read(aPurchase({ createdAt: '"2026-11-01 10:00"' })))).toEqual(['createdAt value']);
  });

  it.each(['null', undefined, '""'])('finalTxHash is null while no final transaction exists: %s', (finalTxHash) => {
    expect(plain(read(aPurchase({ finalTxHash })))).toMatchObject({ finalTxHash: null });
  });

  it('every field that is judged arrives in the product as it is on the wire', () => {
    expect(plain(read(aPurchase()))).toEqual({
      kind: 'purchase',
      recordId: 'sqs6a428mqjtzbv',
      status: 'RELEASED',
      createdAt: Date.parse('2026-11-01T10:00:00.000Z'),
      updatedAt: Date.parse('2026-11-01T10:05:00.000Z'),
      asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
      cryptoUnits: '40000000000000000',
      fiatCurrency: 'EUR',
      fiatValue: '104.76',
      exchangeRate: '2500',
      exchangeRateEur: '2500',
      fiatRateEur: null,
      baseFee: '3.9',
      networkFee: '0.86',
      appliedFee: '4.76',
      hostFeeCut: null,
      paymentMethod: 'CARD_PAYMENT',
      receiverAddress: '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c',
      finalTxHash: '0xabc',
    });
  });
});
