import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { aSandbox, get } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await aSandbox();
});
afterAll(() => sandbox.close());

const ask = (path: string) => get(sandbox.url, path);

describe('payment and payout methods (spec §2.4)', () => {
  it.each([
    ['payment', { name: 'PIX', currencies: ['BRL'], countries: ['br'] }],
    ['payout', { name: 'SPEI', currencies: ['MXN'], countries: ['mx'] }],
  ])('the list of %s methods may be cached, and has %j', async (which, method) => {
    const { list, headers } = await ask(`/host-api/v3/${which}-methods`);
    expect(headers.get('cache-control')).toBe('public, max-age=900');
    expect(list).toContainEqual(method);
  });
});

describe('GET /host-api/v3/currencies (spec §2.5)', () => {
  it('says for each currency whether it can be paid in and paid out', async () => {
    const { list } = await ask('/host-api/v3/currencies');
    expect(list.find(({ fiatCurrency }) => fiatCurrency === 'JPY')?.name).toBe('Japanese Yen');
    expect(list.filter((each) => each.offrampAvailable).map((each) => each.fiatCurrency)).toEqual([
      'EUR',
      'USD',
      'GBP',
      'BRL',
      'MXN',
    ]);
  });

  it('narrows to a country', async () => {
    const codes = async (country: string) =>
      (await ask(`/host-api/v3/currencies?countryCode=${country}`)).list.map((each) => each.fiatCurrency);
    expect(await codes('pl')).toEqual(['EUR', 'USD', 'PLN']);
    expect(await codes('cu')).toEqual([]);
    expect(await codes('zz')).toEqual([]);
  });
});

describe('GET /host-api/countries (spec §2.10)', () => {
  it('no list of assets means all, another one those in it', async () => {
    const { list } = await ask('/host-api/countries');
    expect(list).toContainEqual({ code: 'BR', name: 'Brazil', cardPaymentsEnabled: true, mainCurrencyCode: 'BRL' });
    expect(list.find(({ code }) => code === 'NP')?.supportedAssets).toEqual(['BTC_BTC', 'ETH_ETH', 'SOLANA_SOL']);
  });
});
