import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawCall, ServiceClient } from '../../src/ports/service.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { asList } from '../sandbox/a-sandbox.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { type Called, call, clientOf } from './support/client.ts';

let sandbox: Sandbox;
let client: ServiceClient;
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 40 });
  client = clientOf(sandbox);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const ask = (name: RawCall['name'], query: Record<string, string> = {}) => call(client, name, 'v3', { query });
const symbols = ({ body }: Called) => asList(body.assets).map(({ chain, symbol }) => `${chain}_${symbol}`);

/** Which of the sandbox's assets is special: EOS is disabled, Filecoin hidden, Luna both; AQUA cannot be sold. */
describe.each([
  ['assets', ['minPurchaseAmount', 'maxPurchaseAmount', 'minFeeAmount']],
  ['offramp-assets', ['minPurchaseAmount', 'maxPurchaseAmount']],
] as const)('§4.1 GET /host-api/v3/…assets (%s): its five query parameters', (name, amounts) => {
  it('currencyCode: default EUR; the amounts are in it', async () => {
    const [plain, eur, gbp] = [
      await ask(name),
      await ask(name, { currencyCode: 'EUR' }),
      await ask(name, { currencyCode: 'GBP' }),
    ];
    expect(plain.body.currencyCode).toBe('EUR');
    expect(eur.body).toEqual(plain.body);
    expect(gbp.body.currencyCode).toBe('GBP');
    for (const amount of amounts) expect(gbp.body[amount]).not.toBe(plain.body[amount]);
    expect(asList(gbp.body.assets)[0]).toMatchObject({ currencyCode: 'GBP' });
  });

  it('hostApiKey: when given, the response has enabledFeatures; the product gives it', async () => {
    expect((await ask(name)).body).toHaveProperty('enabledFeatures');
    const without = clientOf(sandbox, { hostApiKey: null });
    expect((await call(without, name, 'v3')).body).not.toHaveProperty('enabledFeatures');
    await without.close();
  });

  it('userIp: only assets available in that geolocation', async () => {
    expect(symbols(await ask(name, { userIp: '198.51.100.7' }))).toEqual(['BTC_BTC', 'ETH_ETH', 'SOLANA_SOL']);
    expect(symbols(await ask(name, { userIp: '203.0.113.7' }))).toEqual([]);
  });

  it.each([
    ['withDisabled', 'EOS_EOS'],
    ['withHidden', 'FILECOIN_FIL'],
  ])('%s: true also returns such assets (%s)', async (flag, asset) => {
    const [plain, not, also] = [
      await ask(name),
      await ask(name, { [flag]: 'false' }),
      await ask(name, { [flag]: 'true' }),
    ];
    expect(symbols(not)).toEqual(symbols(plain));
    expect([symbols(plain).includes(asset), symbols(also).includes(asset)]).toEqual([false, true]);
  });

  it('the typed client has all five, and sends no flag that the caller leaves out', async () => {
    const direction = name === 'assets' ? 'onramp' : 'offramp';
    const asked = { direction, currency: 'USD', pace: 'burst' } as const;
    const named = async (flags: { withDisabled?: boolean; withHidden?: boolean; userIp?: string }) => {
      const { assets, global, leftOut } = await client.assets({ ...asked, ...flags });
      expect([global.currencyCode, leftOut]).toEqual(['USD', []]);
      return assets.map(({ chain, symbol }) => `${chain}_${symbol}`);
    };
    const plain = await named({});
    expect([plain.includes('EOS_EOS'), plain.includes('FILECOIN_FIL')]).toEqual([false, false]);
    expect(await named({ withDisabled: true })).toContain('EOS_EOS');
    expect(await named({ withHidden: true })).toContain('FILECOIN_FIL');
    expect((await named({ userIp: '198.51.100.7' })).sort()).toEqual(['BTC_BTC', 'ETH_ETH', 'SOLANA_SOL']);
  });
});

describe('§4.1 the lists', () => {
  it.each([
    ['payment-methods', 'MANUAL_BANK_TRANSFER', 6],
    ['payout-methods', 'AMERICAN_BANK_TRANSFER', 5],
  ] as const)('GET /host-api/v3/%s', async (name, first, length) => {
    const { status, list } = await ask(name);
    expect([status, list[0]?.name, list.length]).toEqual([200, first, length]);
    const direction = name === 'payment-methods' ? 'onramp' : 'offramp';
    expect((await client.methods({ direction, pace: 'burst' })).methods).toHaveLength(length);
  });

  it('GET /host-api/v3/currencies, and countryCode in lowercase', async () => {
    const codes = async (query: Record<string, string>) =>
      (await ask('currencies', query)).list.map((each) => each.fiatCurrency);
    expect(await codes({})).toHaveLength(13);
    expect(await codes({ countryCode: 'mx' })).toEqual(['EUR', 'USD', 'MXN']);
    expect((await ask('currencies', { countryCode: 'MX' })).status).toBe(400);
    // The product writes it in lower case, however it was given.
    const { currencies } = await client.currencies({ country: 'MX', pace: 'burst' });
    expect(currencies.map(({ code }) => code)).toEqual(['EUR', 'USD', 'MXN']);
  });
});

describe('§4.1 GET /host-api/offramp/sale/{id}', () => {
  it('answers with the sale for its secret, and the product verifies it', async () => {
    const line = [...sandbox.trackedLines()].find(({ kind }) => kind === 'sale');
    if (line === undefined) throw new Error('there is no sale');
    const raw = await call(client, 'sale', 'v3', { id: line.id, token: line.view_token });
    expect([raw.status, raw.body.id]).toEqual([200, line.id]);
    const ref = { kind: 'sale', id: line.id, token: line.view_token } as const;
    expect(await client.fetchRecord(ref, { pace: 'burst' })).toMatchObject({
      outcome: 'verified',
      state: { kind: 'sale', recordId: line.id },
    });
  });

  it('may have another path: the one that an integrator calls', async () => {
    const line = [...sandbox.trackedLines()].find(({ kind }) => kind === 'sale');
    const ref = { kind: 'sale', id: line?.id ?? '', token: line?.view_token ?? '' } as const;
    const observed = await aSpecSandbox({ records: 40, bodies: 'observed' });
    // As declared, the Service has no such path.
    for (const [there, outcome] of [
      [observed, 'verified'],
      [sandbox, 'unreachable'],
    ] as const) {
      const other = clientOf(there, { salePath: '/host-api/v3/offramp/sale/{id}' });
      expect((await other.fetchRecord(ref, { pace: 'burst' })).outcome).toBe(outcome);
      await other.close();
    }
    await observed.close();
  });
});

describe('§4.1 POST /host-api/v3/…/quote/all', () => {
  it.each([
    ['onramp', 'MANUAL_BANK_TRANSFER'],
    ['offramp', 'CARD'],
  ] as const)('%s: the product asks, the sandbox answers, and the quote is read', async (direction, method) => {
    const request = {
      api: 'v3',
      direction,
      cryptoAssetSymbol: 'BTC_BTC',
      fiatCurrency: 'EUR',
      fiatValue: '500',
    } as const;
    const { quote, response } = await client.quote(request, { pace: 'burst', quoteId: 'q-1' });
    expect(quote).toMatchObject({
      direction,
      fiatCurrency: 'EUR',
      asset: { chain: 'BTC', symbol: 'BTC', decimals: 8 },
    });
    expect(quote.methods[0]?.method).toBe(method);
    expect(quote.methods.map(({ fiatValue }) => fiatValue.toString())).toEqual(quote.methods.map(() => '500'));
    expect(Object.keys(JSON.parse(response) as object)).toEqual(['asset', ...quote.methods.map((each) => each.method)]);
  });

  it('rule 1: one amount must be given; cryptoAmount is in wei', async () => {
    const body = '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR"}';
    expect((await call(client, 'offramp-quote', 'v3', { body })).status).toBe(400);
    const { quote } = await client.quote(
      {
        api: 'v3',
        direction: 'offramp',
        cryptoAssetSymbol: 'ETH_ETH',
        fiatCurrency: 'EUR',
        cryptoAmount: '100000000000000000',
      },
      { pace: 'burst', quoteId: 'q-2' },
    );
    // A tenth of an ETH, which is worth some hundred euros and not some hundred quadrillions.
    expect(quote.methods[0]?.cryptoUnits).toBe(100_000_000_000_000_000n);
    expect(quote.methods[0]?.fiatValue.toString()).toMatch(/^\d{3}\./);
  });

  it('rule 2: only methods supporting fiatCurrency appear', async () => {
    const { quote } = await client.quote(
      { api: 'v3', direction: 'offramp', cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'MXN', fiatValue: '2000' },
      { pace: 'burst', quoteId: 'q-3' },
    );
    expect(quote.methods.map(({ method }) => method)).toEqual(['SPEI']);
  });
});
