import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/contract.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseCurrencies } from '../../src/service/normalise-methods.ts';
import { aSandbox, get, type Json } from '../sandbox/a-sandbox.ts';
import { complaints, expectType } from './support/fields.ts';

const FIELDS: readonly [name: string, type: string, product: 'needed' | 'may be missing'][] = [
  ['fiatCurrency', 'string', 'needed'],
  ['name', 'string', 'may be missing'],
  ['onrampAvailable', 'boolean', 'needed'],
  ['offrampAvailable', 'boolean', 'needed'],
];

let sandbox: Sandbox;
let list: Json[];
beforeAll(async () => {
  sandbox = await aSandbox({ records: 0 });
  list = (await get(sandbox.url, '/host-api/v3/currencies')).list;
});
afterAll(() => sandbox.close());

const read = (body: unknown) => normaliseCurrencies(parseExactJson(JSON.stringify(body)));

describe('§2.5 ActiveTransactionCurrency', () => {
  it.each(FIELDS)('%s: the sandbox gives a %s', (name, type) => {
    expect(list.length).toBeGreaterThan(0);
    for (const currency of list) expectType(currency, name, type);
  });

  it('the sandbox gives no other field', () => {
    for (const currency of list) expect(Object.keys(currency)).toEqual(FIELDS.map(([name]) => name));
  });

  it.each(FIELDS)('%s (%s) is %s for the product', (name, _type, product) => {
    const { [name as 'name']: _, ...rest } = {
      fiatCurrency: 'MXN',
      name: 'Mexican Peso',
      onrampAvailable: true,
      offrampAvailable: false,
    };
    expect(complaints(read([rest]))).toEqual(product === 'needed' ? [`[0].${name} missing`] : []);
  });

  it('each direction is said by itself', () => {
    const availability = (code: string) => list.find(({ fiatCurrency }) => fiatCurrency === code);
    expect(availability('EUR')).toMatchObject({ onrampAvailable: true, offrampAvailable: true });
    expect(availability('JPY')).toMatchObject({ onrampAvailable: true, offrampAvailable: false });
    expect(read([availability('JPY')])).toEqual({ ok: true, value: [{ code: 'JPY', onramp: true, offramp: false }] });
  });
});
