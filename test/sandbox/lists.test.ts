import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { countries, currencies, methods } from '../../src/service/wire/lists.ts';
import { aSandbox, get } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSandbox();
});
afterAll(() => sandbox.close());

const ask = (path: string) => get(sandbox.url, path);

describe('payment and payout methods (spec §2.4)', () => {
  it('lists the six payment methods with their currencies and lower-case countries', async () => {
    const { status, list, headers } = await ask('/host-api/v3/payment-methods');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=900');
    expect(methods.safeParse(list).error).toBeUndefined();
    expect(list.map(({ name }) => name)).toEqual([
      'MANUAL_BANK_TRANSFER',
      'AUTO_BANK_TRANSFER',
      'CARD_PAYMENT',
      'APPLE_PAY',
      'GOOGLE_PAY',
      'PIX',
    ]);
    expect(list.find(({ name }) => name === 'PIX')).toEqual({ name: 'PIX', currencies: ['BRL'], countries: ['br'] });
  });

  it('lists the five payout methods', async () => {
    const { list } = await ask('/host-api/v3/payout-methods');
    expect(methods.safeParse(list).error).toBeUndefined();
    expect(list.map(({ name }) => name)).toEqual(['AMERICAN_BANK_TRANSFER', 'CARD', 'SEPA', 'SPEI', 'PIX']);
    expect(list.find(({ name }) => name === 'SPEI')).toEqual({ name: 'SPEI', currencies: ['MXN'], countries: ['mx'] });
  });
});

describe('GET /host-api/v3/currencies (spec §2.5)', () => {
  it('says for each currency whether it can be paid in and paid out', async () => {
    const { list } = await ask('/host-api/v3/currencies');
    expect(currencies.safeParse(list).error).toBeUndefined();
    expect(list).toHaveLength(13);
    expect(list).toContainEqual({
      fiatCurrency: 'JPY',
      name: 'Japanese Yen',
      onrampAvailable: true,
      offrampAvailable: false,
    });
    expect(list.filter((each) => each.offrampAvailable).map((each) => each.fiatCurrency)).toEqual([
      'EUR',
      'USD',
      'GBP',
      'BRL',
      'MXN',
    ]);
  });

  it('narrows to a country, and wants its code in lower case', async () => {
    const codes = async (country: string) =>
      (await ask(`/host-api/v3/currencies?countryCode=${country}`)).list.map((each) => each.fiatCurrency);
    expect(await codes('pl')).toEqual(['EUR', 'USD', 'PLN']);
    expect(await codes('cu')).toEqual([]);
    expect(await codes('zz')).toEqual([]);
    expect((await ask('/host-api/v3/currencies?countryCode=PL')).status).toBe(400);
  });
});

describe('GET /host-api/countries (spec §2.10)', () => {
  it('has upper-case codes; no list of assets means all, an empty one none', async () => {
    const { list } = await ask('/host-api/countries');
    expect(countries.safeParse(list).error).toBeUndefined();
    expect(list).toContainEqual({
      code: 'BR',
      name: 'Brazil',
      cardPaymentsEnabled: true,
      mainCurrencyCode: 'BRL',
    });
    expect(list.find(({ code }) => code === 'CU')?.supportedAssets).toEqual([]);
    expect(list.find(({ code }) => code === 'NP')?.supportedAssets).toEqual(['BTC_BTC', 'ETH_ETH', 'SOLANA_SOL']);
  });
});
