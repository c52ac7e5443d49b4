/** Every endpoint of a sandbox with `bodies: 'spec'`, asked a thousand times, against schemas written from the text. */
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackedLine } from '../../src/sandbox/contract.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { get, post } from '../sandbox/a-sandbox.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';
import { DECLARED, type Declared } from './support/declared-schemas.ts';

const REQUESTS = 1_000;
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
formats.default(ajv);
const validators = new Map(Object.entries(DECLARED).map(([name, schema]) => [name, ajv.compile(schema)]));

let sandbox: Sandbox;
let tracked: readonly TrackedLine[];
beforeAll(async () => {
  sandbox = await aSpecSandbox({ records: 400 });
  tracked = [...sandbox.trackedLines()];
});
afterAll(() => sandbox.close());

/** mulberry32: equal seeds give equal requests. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Asked = { declared: Declared; status: number; path: string; body?: unknown };

const ASSETS = ['ETH_ETH', 'BTC_BTC', 'ETH_USDC', 'SOLANA_SOL', 'MATIC_USDC'];
const CURRENCIES = ['EUR', 'USD', 'GBP', 'BRL', 'MXN'];
const KEY = 'hostApiKey=sandbox-host-key';

function drawRequest(random: () => number): Asked {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const maybe = (text: string) => (random() < 0.5 ? text : '');
  const query = () =>
    `?currencyCode=${pick(CURRENCIES)}&${maybe(KEY)}&${maybe('withDisabled=true')}&${maybe('withHidden=true')}&${maybe('userIp=192.0.2.7')}`;
  const amount =
    random() < 0.5 ? { fiatValue: 100 + Math.floor(random() * 800) } : { cryptoAmount: '80000000000000000' };
  const order = { cryptoAssetSymbol: amount.cryptoAmount === undefined ? pick(ASSETS) : 'ETH_ETH', ...amount };
  const ok = (declared: Declared, path: string, body?: unknown): Asked => ({ declared, status: 200, path, body });
  const refused = (declared: Declared, status: number, path: string, body?: unknown): Asked => ({
    declared,
    status,
    path,
    body,
  });
  const record = pick(tracked);
  const path = record.kind === 'purchase' ? 'purchase' : 'offramp/sale';
  return pick([
    () => ok('HostAssetsConfig (§2.1)', `/host-api/v3/assets${query()}`),
    () => ok('off-ramp HostAssetsConfig (§2.3)', `/host-api/v3/offramp/assets${query()}`),
    () => ok('v2 HostAssetsConfig (§2.10)', `/host-api/v2/assets${query()}`),
    () => ok('v1 HostAssetsConfig (§2.10)', `/host-api/assets?${maybe(KEY)}&${maybe('onlyEnabled=true')}`),
    () => ok('PaymentMethod list (§2.4)', '/host-api/v3/payment-methods'),
    () => ok('PayoutMethod list (§2.4)', '/host-api/v3/payout-methods'),
    () => ok('ActiveTransactionCurrency list (§2.5)', `/host-api/v3/currencies?${maybe('countryCode=de')}`),
    () => ok('CountryInfo list (§2.10)', '/host-api/countries'),
    () =>
      ok('QuoteResult (§2.7)', `/host-api/v3/onramp/quote/all?${KEY}`, { ...order, fiatCurrency: pick(CURRENCIES) }),
    () =>
      ok('off-ramp QuoteResult (§2.7)', `/host-api/v3/offramp/quote/all?${KEY}`, {
        ...order,
        fiatCurrency: pick(CURRENCIES),
      }),
    () => ok('v1 QuoteResult (§2.10)', `/host-api/quote?${KEY}`, { ...order, fiatCurrency: pick(CURRENCIES) }),
    () =>
      ok(
        record.kind === 'purchase' ? 'Purchase (§2.9)' : 'Sale (§2.8)',
        `/host-api/${path}/${record.id}?secret=${record.view_token}`,
      ),
    () =>
      refused('unsupported v1 method (§7.2)', 400, `/host-api/quote?${KEY}`, {
        ...order,
        fiatCurrency: 'AUD',
        paymentMethodType: 'CARD_PAYMENT',
      }),
    () => refused('error (§7.1)', 403, `/host-api/${path}/${record.id}?secret=wrong`),
    () => refused('error (§7.1)', 401, `/host-api/${path}/${record.id}`),
    () => refused('error (§7.1)', 404, `/host-api/${path}/none?secret=x`),
    () => refused('error (§7.1)', 404, '/host-api/v4/assets'),
    () => refused('error (§7.1)', 400, '/host-api/v3/onramp/quote/all', order),
  ])();
}

test('§2, §7: a thousand bodies of every endpoint are what the text declares, and nothing else', async () => {
  const random = draws(14);
  const seen = new Map<string, number>();
  const differences: string[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const asked = drawRequest(random);
    const answer =
      asked.body === undefined ? await get(sandbox.url, asked.path) : await post(sandbox.url, asked.path, asked.body);
    const body = answer.list.length > 0 ? answer.list : answer.body;
    const validate = validators.get(asked.declared);
    if (answer.status !== asked.status) differences.push(`${asked.path}: ${answer.status} ${JSON.stringify(body)}`);
    else if (validate?.(body) !== true) differences.push(`${asked.path}: ${ajv.errorsText(validate?.errors)}`);
    seen.set(asked.declared, (seen.get(asked.declared) ?? 0) + 1);
  }
  expect(differences).toEqual([]);
  expect([...seen.keys()].sort()).toEqual(Object.keys(DECLARED).sort());
});

test('§2.8, §2.9, §6.2: records that are made while it runs, and their webhooks, are declared bodies too', async () => {
  const asked = { cryptoAssetSymbol: 'ETH_USDC', fiatCurrency: 'EUR', fiatValue: 100 };
  const purchase = sandbox.live.create({ kind: 'purchase', ...asked, method: 'CARD_PAYMENT' });
  const sale = sandbox.live.create({ kind: 'sale', ...asked, method: 'SEPA' });
  const purchaseIs = validators.get('Purchase (§2.9)');
  expect([purchaseIs?.(purchase.body), purchaseIs?.errors]).toEqual([true, null]);
  expect(purchase.body.finalTxHash).toBeNull();
  const saleIs = validators.get('Sale (§2.8)');
  expect([saleIs?.(sale.body), saleIs?.errors]).toEqual([true, null]);
  sandbox.live.release(purchase.id);
  const released = await get(sandbox.url, `/host-api/purchase/${purchase.id}?secret=${purchase.viewToken}`);
  expect([purchaseIs?.(released.body), typeof released.body.finalTxHash]).toEqual([true, 'string']);
});

test('§1 rule 3, §7.1, §8.1: bodies that are no JSON, and requests over the limits, have a code too', async () => {
  const limited = await aSpecSandbox({ records: 0, rateLimits: [{ requests: 2, perMs: 60_000 }] });
  const headers = { 'content-type': 'application/json' };
  const broken = await fetch(`${limited.url}/host-api/quote?${KEY}`, { method: 'POST', headers, body: '{' });
  expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'BAD_REQUEST', statusCode: 400 }]);
  await get(limited.url, '/host-api/countries');
  const over = await get(limited.url, '/host-api/countries');
  expect([over.status, over.body]).toMatchObject([429, { code: 'TOO_MANY_REQUESTS', statusCode: 429 }]);
  await limited.close();
});
