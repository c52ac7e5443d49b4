import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseAssets } from '../../src/service/normalise-assets.ts';
import { aSandbox, asNumber, get, type Json } from '../sandbox/a-sandbox.ts';
import { anAssetsAnswer } from '../service/bodies.ts';
import { complaints, expectType, plain } from './support/fields.ts';

let sandbox: Sandbox;
let body: Json;
beforeAll(async () => {
  sandbox = await aSandbox({ records: 0 });
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

describe('§2.1 HostAssetsConfig (v3 on-ramp assets)', () => {
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
    const invalid = await get(sandbox.url, '/host-api/v3/assets?hostApiKey=nobodys');
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
