import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAYMENT_METHOD_NAMES, PAYOUT_METHOD_NAMES } from '../../src/domain/method-names.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseCurrencies, normaliseMethods } from '../../src/service/normalise-reference.ts';
import { get, type Json } from '../sandbox/a-sandbox.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { complaints, expectType } from './support/fields.ts';

describe('§2.4 PaymentMethod and PayoutMethod', () => {
  const PAYMENT = ['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER', 'CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY', 'PIX'];
  const PAYOUT = ['AMERICAN_BANK_TRANSFER', 'CARD', 'SEPA', 'SPEI', 'PIX'];

  let sandbox: Sandbox;
  let lists: Record<'onramp' | 'offramp', Json[]>;
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 0 });
    lists = {
      onramp: (await get(sandbox.url, '/host-api/v3/payment-methods')).list,
      offramp: (await get(sandbox.url, '/host-api/v3/payout-methods')).list,
    };
  });
  afterAll(() => sandbox.close());

  const DIRECTIONS = [
    ['onramp', PAYMENT],
    ['offramp', PAYOUT],
  ] as const;

  it.each(DIRECTIONS)('%s: the sandbox lists %j, and the product knows the same names', (direction, names) => {
    expect(lists[direction].map(({ name }) => name)).toEqual(names);
    expect(direction === 'onramp' ? PAYMENT_METHOD_NAMES : PAYOUT_METHOD_NAMES).toEqual(names);
  });

  it.each(DIRECTIONS)('%s: each has a name, currency symbols and lowercase countries', (direction) => {
    for (const method of lists[direction]) {
      expect(Object.keys(method)).toEqual(['name', 'currencies', 'countries']);
      for (const code of method.currencies as string[]) expect(code).toMatch(/^[A-Z]{3}$/);
      for (const code of method.countries as string[]) expect(code).toMatch(/^[a-z]{2}$/);
    }
  });

  it.each(DIRECTIONS)('%s: the product reads them as they are', (direction, names) => {
    const reading = normaliseMethods(parseExactJson(JSON.stringify(lists[direction])), direction);
    expect(reading).toEqual({ ok: true, value: lists[direction] });
    expect(names).toHaveLength(reading.ok ? reading.value.length : 0);
  });

  it.each(['name', 'currencies', 'countries'])('%s is needed', (field) => {
    const { [field as 'name']: _, ...rest } = { name: 'PIX', currencies: ['BRL'], countries: ['br'] };
    expect(complaints(normaliseMethods(parseExactJson(JSON.stringify([rest])), 'onramp'))).toEqual([
      `[0].${field} missing`,
    ]);
  });

  it('an unknown method name is accepted', () => {
    const body = '[{"name":"BLIK","currencies":["PLN"],"countries":["pl"]}]';
    expect(normaliseMethods(parseExactJson(body), 'onramp')).toEqual({
      ok: true,
      value: [{ name: 'BLIK', currencies: ['PLN'], countries: ['pl'] }],
    });
  });

  // CARD and SEPA are present names for payouts, and old ones for payments.
  it.each([
    ['CARD', 'onramp', 'CARD_PAYMENT'],
    ['CARD', 'offramp', 'CARD'],
    ['SEPA', 'onramp', 'MANUAL_BANK_TRANSFER'],
    ['SEPA', 'offramp', 'SEPA'],
  ] as const)('%s among the %s methods is %s', (name, direction, known) => {
    const body = JSON.stringify([{ name, currencies: [], countries: [] }]);
    expect(normaliseMethods(parseExactJson(body), direction)).toMatchObject({ value: [{ name: known }] });
  });
});

describe('§2.5 ActiveTransactionCurrency', () => {
  const FIELDS: readonly [name: string, type: string, product: 'needed' | 'may be missing'][] = [
    ['fiatCurrency', 'string', 'needed'],
    ['name', 'string', 'may be missing'],
    ['onrampAvailable', 'boolean', 'needed'],
    ['offrampAvailable', 'boolean', 'needed'],
  ];

  let sandbox: Sandbox;
  let list: Json[];
  beforeAll(async () => {
    sandbox = await aSpecSandbox({ records: 0 });
    list = (await get(sandbox.url, '/host-api/v3/currencies')).list;
  });
  afterAll(() => sandbox.close());

  const read = (body: unknown) => normaliseCurrencies(parseExactJson(JSON.stringify(body)));

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

  it('each direction has its own availability', () => {
    const availability = (code: string) => list.find(({ fiatCurrency }) => fiatCurrency === code);
    expect(availability('EUR')).toMatchObject({ onrampAvailable: true, offrampAvailable: true });
    expect(availability('JPY')).toMatchObject({ onrampAvailable: true, offrampAvailable: false });
    expect(read([availability('JPY')])).toEqual({ ok: true, value: [{ code: 'JPY', onramp: true, offramp: false }] });
  });
});
