/**
 * Sixty ordinary records of one day, and records that each violate one sentence of the specification or of the field facts, through the real
 * program: quotes imported, listings captured on both sides, bodies fetched on two nights. Every figure is worked out here.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();
vi.setConfig(PATIENCE);

type Json = Record<string, unknown>;

interface Coin {
  chain: string;
  symbol: string;
  decimals: number;
  eur: number;
  address: string | null;
  networkFee: number;
  receiver: string;
}

const EVM = '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c';
const coin = (
  chain: string,
  symbol: string,
  decimals: number,
  eur: number,
  networkFee: number,
  more: Partial<Coin> = {},
): Coin => ({
  chain,
  symbol,
  decimals,
  eur,
  networkFee,
  address: null,
  receiver: EVM,
  ...more,
});
const COINS: readonly Coin[] = [
  coin('ETH', 'ETH', 18, 2500, 0.8),
  coin('BTC', 'BTC', 8, 60000, 1.6, { receiver: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }),
  coin('ETH', 'USDC', 6, 0.92, 1.2, { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }),
  coin('MATIC', 'POL', 18, 0.4, 0.04),
  coin('SOLANA', 'SOL', 9, 150, 0.02, { receiver: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU' }),
  coin('ARBITRUM', 'ETH', 18, 2500, 0.12),
];
const FIAT: Readonly<Record<string, number>> = { EUR: 1, PLN: 4.25, GBP: 0.85, USD: 1.08 };
const PERCENT: Readonly<Record<string, number>> = {
  CARD_PAYMENT: 3.9,
  APPLE_PAY: 3.9,
  AUTO_BANK_TRANSFER: 2.4,
  MANUAL_BANK_TRANSFER: 1.4,
};

const places = (value: number, digits = 8) => Number(value.toFixed(digits));
/** `tokens` has at most six places. */
const units = (tokens: number, { decimals }: Coin) =>
  String(
    (BigInt(Math.round(tokens * 1e6)) * 10n ** BigInt(Math.max(0, decimals - 6))) /
      10n ** BigInt(Math.max(0, 6 - decimals)),
  );
const iso = (hours: number) => new Date(Date.UTC(2026, 10, 18) + Math.round(hours * 3_600_000)).toISOString();
const hash = (n: number, { chain }: Coin) => {
  const hex = (n + 0xabc1).toString(16).padStart(8, '7').repeat(8);
  if (chain === 'SOLANA')
    return (
      '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZ' +
      'abcdefghijkmnopqrstuvwxyz'.at(n % 25) +
      'Pn7'
    );
  return chain === 'BTC' ? hex : `0x${hex}`;
};

interface Plan {
  n: number;
  id: string;
  kind: 'purchase' | 'sale';
  coin: Coin;
  currency: string;
  method: string;
  created: number;
  body: Json;
  quote: Json | null;
}

function asset(c: Coin, form: number): Json {
  const { address, decimals, symbol, chain } = c;
  const name = `${symbol} of ${chain}`;
  const type = address === null ? 'NATIVE' : 'ERC20';
  const v1 = { address, decimals, name, symbol: `${chain}_${symbol}`, type: address === null ? chain : 'ERC20' };
  if (form === 0) return { address, decimals, name, symbol, chain, type };
  if (form === 1) return { ...v1, apiV3Symbol: symbol, apiV3Type: type, chain };
  return v1;
}

function listed(c: Coin, code: string): Json {
  const rate = FIAT[code] ?? 1;
  return {
    ...asset(c, 0),
    logoUrl: 'https://logos.example/x.svg',
    enabled: true,
    hidden: false,
    price: Object.fromEntries(Object.entries(FIAT).map(([each, perEur]) => [each, places(c.eur * perEur)])),
    currencyCode: code,
    minPurchaseAmount: -1,
    maxPurchaseAmount: -1,
    minPurchaseCryptoAmount: '-1',
    networkFee: places(c.networkFee * rate),
  };
}

/** A purchase of so many tokens at the listed price: its value, its percentage of it, and its network fee. */
function purchase(n: number, more: { coin?: number; currency?: string; method?: string; eur?: number } = {}): Plan {
  const c = COINS[more.coin ?? n % COINS.length] as Coin;
  const currency = more.currency ?? (Object.keys(FIAT)[n % 4] as string);
  const method = more.method ?? (Object.keys(PERCENT)[(n * 7) % 4] as string);
  const perEur = FIAT[currency] as number;
  const rate = places(c.eur * perEur);
  const tokens = Math.max(1, Math.round(((more.eur ?? 100 + 13 * n) / c.eur) * 1e6)) / 1e6;
  const value = places(tokens * rate, 10);
  const base = places((value * (PERCENT[method] as number)) / 100, 10);
  const networkFee = places(c.networkFee * perEur);
  const fee = places(base + networkFee, 10);
  const total = places(value + fee, 10);
  const created = 7 + (n % 60) / 6;
  const id = `p${String(n).padStart(3, '0')}`;
  const body: Json = {
    id,
    endTime: [iso(created + 72), iso(created + 120), null][n % 3],
    asset: asset(c, n % 3),
    cryptoAmount: units(tokens, c),
    fiatCurrency: currency,
    fiatValue: total,
    assetExchangeRate: rate,
    assetExchangeRateEur: c.eur,
    ...(n % 2 === 0 ? { fiatExchangeRateEur: Number((1 / perEur).toPrecision(16)) } : {}),
    baseServiceFee: base,
    networkFee,
    appliedFee: fee,
    receiverAddress: c.receiver,
    createdAt: iso(created),
    updatedAt: iso(created + 0.3),
    status: 'RELEASED',
    finalTxHash: hash(n, c),
    paymentMethodType: method,
  };
  const symbol = `${c.chain}_${c.symbol}`;
  const promise = {
    fiatCurrency: currency,
    cryptoAmount: units(tokens, c),
    fiatValue: total,
    baseServiceFee: base,
    appliedFee: fee,
  };
  const quote = {
    quote_id: `q-${id}`,
    direction: 'onramp',
    api_version: 'v3',
    captured_at: iso(created - 0.05),
    request: { cryptoAssetSymbol: symbol, fiatCurrency: currency, fiatValue: total },
    response: { asset: listed(c, currency), [method]: promise },
  };
  return { n, id, kind: 'purchase', coin: c, currency, method, created, body, quote };
}

/** A sale of so many tokens at the listed price, less one percent. */
function sale(n: number, more: { coin?: number; observed?: boolean; currency?: string } = {}): Plan {
  const c = COINS[more.coin ?? n % COINS.length] as Coin;
  const currency = more.currency ?? (n % 2 === 0 ? 'EUR' : 'GBP');
  const perEur = FIAT[currency] as number;
  const rate = places(c.eur * perEur);
  const tokens = Math.max(1, Math.round(((200 + 17 * n) / c.eur) * 1e6)) / 1e6;
  const fee = places(tokens * rate * 0.01, 10);
  const paid = places(tokens * rate - fee, 10);
  const created = 7 + (n % 60) / 6;
  const id = `5a1e0000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const { address, decimals, symbol, chain, name, type } = asset(c, 0);
  const observed = more.observed ?? n % 2 === 0;
  const body: Json = {
    id,
    createdAt: iso(created),
    crypto: {
      amount: units(tokens, c),
      assetInfo: { address, symbol, chain, type, name, decimals },
      ...(observed ? { status: 'completed' } : {}),
    },
    fiat: {
      amount: paid,
      currencySymbol: currency,
      ...(observed ? { status: 'completed', payoutMethod: 'SEPA' } : {}),
    },
    ...(observed
      ? {
          status: 'RELEASED',
          updatedAt: iso(created + 0.5),
          exchangeRate: String(rate),
          cryptoToEurRate: c.eur,
          fees: { amount: String(fee), currencySymbol: currency },
          transactionHash: hash(n, c),
        }
      : {}),
  };
  const promise = {
    fiatCurrency: currency,
    cryptoAmount: units(tokens, c),
    fiatValue: paid,
    baseServiceFee: fee,
    appliedFee: fee,
  };
  const quote = {
    quote_id: `q-${id}`,
    direction: 'offramp',
    api_version: 'v3',
    captured_at: iso(created - 0.05),
    request: { cryptoAssetSymbol: `${chain}_${symbol}`, fiatCurrency: currency, cryptoAmount: units(tokens, c) },
    response: { asset: { ...listed(c, currency), networkFee: undefined }, SEPA: promise },
  };
  return { n, id, kind: 'sale', coin: c, currency, method: 'SEPA', created, body, quote };
}

const merged = (body: Json, changes: Json): Json => {
  const out: Json = { ...body };
  for (const [name, value] of Object.entries(changes)) {
    const isPart =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      typeof out[name] === 'object' &&
      out[name] !== null;
    out[name] = isPart ? merged(out[name] as Json, value as Json) : value;
  }
  return out;
};
const action = (newStatus: string, hours: number) => ({ newStatus, timestamp: iso(hours) });

// --- sixty ordinary records ----------------------------------------------------------------------------------------

const HALFWAY = [
  'INITIALIZED',
  'PAYMENT_STARTED',
  'PAYMENT_FAILED',
  'PAYMENT_IN_PROGRESS',
  'PAYMENT_EXECUTED',
  'FIAT_SENT',
  'FIAT_RECEIVED',
  'FIAT_PENDING',
];

const clean: Plan[] = [];
for (let n = 1; n <= 44; n++) {
  const plan = purchase(n);
  const { created } = plan;
  // A third have not got further, have ended, or say more than the specification has.
  if (n % 4 === 1) plan.body = merged(plan.body, { status: HALFWAY[(n >> 2) % HALFWAY.length], finalTxHash: null });
  if (n % 11 === 2) plan.body = merged(plan.body, { status: 'CANCELLED', finalTxHash: null });
  if (n % 11 === 3)
    plan.body = merged(plan.body, {
      status: 'EXPIRED',
      finalTxHash: null,
      endTime: iso(created + 12),
      updatedAt: iso(created + 12),
    });
  if (n % 11 === 4)
    plan.body = merged(plan.body, {
      status: n % 2 === 0 ? 'RELEASED' : 'FIAT_RECEIVED',
      ...(n % 2 === 0 ? {} : { finalTxHash: null }),
    });
  if (n % 11 === 6) {
    plan.body = merged(plan.body, {
      actions: [
        action('INITIALIZED', created),
        action('PAYMENT_STARTED', created + 0.02),
        action('PAYMENT_EXECUTED', created + 0.1),
        action('RELEASING', created + 0.2),
        action(n % 4 === 1 ? 'PAYMENT_EXECUTED' : 'RELEASED', created + 0.3),
      ],
      ...(n % 4 === 1 ? { status: 'PAYMENT_EXECUTED' } : {}),
    });
  }
  if (n % 11 === 7)
    plan.body = merged(plan.body, {
      receiverAddress: String(plan.body.receiverAddress).startsWith('0x')
        ? EVM.toLowerCase()
        : plan.body.receiverAddress,
    });
  if (n % 11 === 8) plan.body = merged(plan.body, { escrowAddress: '', assetExchangeRateEur: undefined });
  if (n % 11 === 9) plan.quote = null;
  clean.push(plan);
}
for (let n = 45; n <= 62; n++) {
  const plan = sale(n);
  if (n % 6 === 0)
    plan.body = merged(plan.body, {
      status: 'CREATED',
      crypto: { status: 'initiated' },
      fiat: { status: 'not-started' },
      transactionHash: undefined,
    });
  if (n % 6 === 2) plan.body = merged(plan.body, { status: undefined });
  if (n === 58)
    plan.body = merged(plan.body, {
      status: 'EXPIRED',
      crypto: { status: 'not-started' },
      fiat: { status: 'not-started' },
      transactionHash: undefined,
    });
  if (n % 6 === 5) plan.quote = null;
  clean.push(plan);
}

// --- one sentence each ---------------------------------------------------------------------------------------------

interface Violation {
  sentence: string;
  plan: Plan;
  /** What changes by the second night. */
  later?: Json;
  first?: Json;
}

let next = 100;
const bought = (
  sentence: string,
  changes: (plan: Plan) => Json,
  more: Parameters<typeof purchase>[1] = {},
): Violation => {
  const plan = purchase(next++, { coin: 0, currency: 'EUR', method: 'CARD_PAYMENT', eur: 150, ...more });
  plan.body = merged(plan.body, changes(plan));
  return { sentence, plan };
};
const sold = (sentence: string, changes: (plan: Plan) => Json, quoted = true): Violation => {
  const plan = sale(next++, { coin: 0, observed: true, currency: 'EUR' });
  plan.body = merged(plan.body, changes(plan));
  return { sentence, plan: quoted ? plan : { ...plan, quote: null } };
};
const later = (sentence: string, changes: (plan: Plan) => Json, at: (plan: Plan) => Json = () => ({})): Violation => {
  const violation = bought(sentence, at);
  return { ...violation, later: merged(violation.plan.body, changes(violation.plan)) };
};

const VIOLATIONS: readonly Violation[] = [
  bought('actions[]: what was released is not INITIALIZED', ({ created }) => ({
    status: 'INITIALIZED',
    finalTxHash: null,
    actions: [action('INITIALIZED', created), action('RELEASED', created + 0.2)],
  })),
  bought('actions[]: what was released is not cancelled', ({ created }) => ({
    status: 'CANCELLED',
    finalTxHash: null,
    actions: [action('INITIALIZED', created), action('RELEASED', created + 0.2)],
  })),
  bought('actions[]: nothing happens before the creation', ({ created }) => ({
    actions: [action('PAYMENT_EXECUTED', created - 30), action('RELEASED', created + 0.2)],
  })),
  bought('actions[]: a release follows its payment', ({ created }) => ({
    actions: [action('PAYMENT_EXECUTED', created + 0.25), action('RELEASED', created + 0.1)],
  })),
  bought('actions[]: nothing has happened that is still to come', ({ created }) => ({
    actions: [action('PAYMENT_EXECUTED', created + 0.1), action('RELEASED', created + 2000)],
  })),
  bought('a returned payment releases nothing', () => ({ status: 'FIAT_RETURNED' })),
  bought('a refused purchase releases nothing', () => ({ status: 'REVIEW_REJECTED' })),
  bought(
    'fiatExchangeRateEur: the price of the currency in EUR',
    () => ({ fiatExchangeRateEur: 0.5, assetExchangeRateEur: 5312.5 }),
    { currency: 'PLN' },
  ),
  bought('fiatExchangeRateEur: without a quote', () => ({ fiatExchangeRateEur: 0.5, assetExchangeRateEur: 5312.5 }), {
    currency: 'PLN',
  }),
  bought('finalTxHash: a transaction', () => ({ finalTxHash: `0x${'0'.repeat(64)}` })),
  bought('symbol and apiV3Symbol are of one asset', () => ({
    asset: { symbol: 'ETH_USDT', apiV3Symbol: 'ETH', chain: 'ETH' },
  })),
  bought('type: the chain of a coin', () => ({ asset: { symbol: 'ETH_ETH', type: 'BSC', chain: 'ETH' } })),
  sold('a sale that was paid out has no failed payout', () => ({ fiat: { status: 'failed' } })),
  sold('a sale that was paid out has a payout', () => ({ fiat: { status: 'not-started' } })),
  sold('a transfer that has not started has no transaction', () => ({
    status: 'CREATED',
    crypto: { status: 'not-started' },
    fiat: { status: 'not-started' },
  })),
  sold('a sale that expired has paid nothing out', () => ({
    status: 'EXPIRED',
    crypto: { status: 'not-started' },
    transactionHash: undefined,
  })),
  sold('a sale that was only created has paid nothing out', () => ({ status: 'CREATED' })),
  sold('exchangeRate and cryptoToEurRate are one price', () => ({ cryptoToEurRate: 2600 })),
  sold('fees: less than what was sold is worth', () => ({ exchangeRate: undefined, fees: { amount: '900' } })),
  sold('payoutMethod: a PayoutMethodName', () => ({ fiat: { payoutMethod: 'CARD_PAYMENT' } }), false),
  later(
    'endTime: as the user was told',
    ({ created }) => ({ endTime: iso(created + 24) }),
    ({ created }) => ({ endTime: iso(created + 72) }),
  ),
];
for (const violation of VIOLATIONS) if (violation.sentence.endsWith('without a quote')) violation.plan.quote = null;

// --- two nights ----------------------------------------------------------------------------------------------------

const ALL = [...clean, ...VIOLATIONS.map(({ plan }) => plan)];
let server: RecordServer;
let place: Workspace;

beforeAll(async () => {
  server = await startRecordServer(Object.fromEntries(ALL.map(({ id, body }) => [id, { body: JSON.stringify(body) }])));
  const methods = Object.keys(PERCENT).map((name) => ({
    name,
    currencies: Object.keys(FIAT),
    countries: ['de', 'fr', 'gb', 'pl', 'us'],
  }));
  const payouts = [{ name: 'SEPA', currencies: ['EUR', 'GBP'], countries: ['de', 'fr', 'gb'] }];
  const currencies = Object.keys(FIAT).map((fiatCurrency) => ({
    fiatCurrency,
    name: fiatCurrency,
    onrampAvailable: true,
    offrampAvailable: true,
  }));
  const assets = (isSale: boolean) => (_: number, url: URL) => {
    const code = url.searchParams.get('currencyCode') ?? 'EUR';
    const perEur = FIAT[code] ?? 1;
    const fees = isSale ? {} : { minFeeAmount: places(2.49 * perEur), minFeePercent: 0.99, maxFeePercent: 3.9 };
    const limits = { minPurchaseAmount: places(6 * perEur), maxPurchaseAmount: places(15000 * perEur) };
    return {
      body: JSON.stringify({ assets: COINS.map((c) => listed(c, code)), currencyCode: code, ...limits, ...fees }),
    };
  };
  server.paths.set('/host-api/v3/payment-methods', { body: JSON.stringify(methods) });
  server.paths.set('/host-api/v3/payout-methods', { body: JSON.stringify(payouts) });
  server.paths.set('/host-api/v3/currencies', { body: JSON.stringify(currencies) });
  server.paths.set('/host-api/v3/assets', assets(false));
  server.paths.set('/host-api/v3/offramp/assets', assets(true));
  place = openWorkspace(server.url);
  const night = async (date: string, now: string) => {
    const { code, err, out } = await place.tieout(['run', '--date', date, '-q'], { now });
    if (code !== 0 && code !== 1 && code !== 3) throw new Error(`${code} ${err} ${out}`);
  };
  const lists = (now: string) => place.tieout(['run', 'reference-data', '-q'], { now });
  await lists('2026-11-18T06:00:00Z');
  place.write(
    'quotes.ndjson',
    ALL.flatMap(({ quote }) => (quote === null ? [] : [`${JSON.stringify(quote)}\n`])).join(''),
  );
  const quotes = await place.tieout(['quotes', 'import', 'quotes.ndjson', '-q'], { now: '2026-11-18T20:00:00Z' });
  expect([quotes.code, quotes.out + quotes.err]).toEqual([0, quotes.out + quotes.err]);
  const ids = ALL.map(({ kind, id, quote, created }) =>
    JSON.stringify({
      kind,
      id,
      view_token: `token-${id}`,
      created_at: iso(created),
      ...(quote === null ? {} : { quote_id: quote.quote_id }),
    }),
  );
  const imported = await place.tieout(['import', '-', '-q'], { stdin: ids.join('\n'), now: '2026-11-18T20:00:00Z' });
  expect([imported.code, imported.out + imported.err]).toEqual([0, imported.out + imported.err]);
  await lists('2026-11-18T18:30:00Z');
  await night('2026-11-18', '2026-11-19T04:15:00Z');
  for (const { plan, later: body } of VIOLATIONS) if (body) server.answers.set(plan.id, { body: JSON.stringify(body) });
  await night('2026-11-19', '2026-11-20T04:15:00Z');
});
afterAll(async () => {
  place.remove();
  await server.close();
});

const spoken = (id: string) =>
  ['2026-11-18', '2026-11-19'].flatMap((date) =>
    place
      .csv(`${date}/nightly-r1`, 'breaks')
      .rows.filter((row) => row.record_id === id && row.severity !== 'info')
      .map(({ rule, field }) => `${rule} ${field}`),
  );

it('finds nothing in sixty ordinary records', () => {
  expect(clean.length).toBeGreaterThanOrEqual(60);
  const false_ = clean.map(
    ({ id, body }) => [id, body.status, spoken(id).filter((each) => !each.startsWith('QUOTE_MISSING'))] as const,
  );
  expect(false_.filter(([, , found]) => found.length > 0)).toEqual([]);
});

it('finds each violation', () => {
  const found = VIOLATIONS.map(
    ({ sentence, plan }) => [sentence, spoken(plan.id).filter((each) => !each.startsWith('QUOTE_MISSING'))] as const,
  );
  expect(found.filter(([, codes]) => codes.length === 0).map(([sentence]) => sentence)).toEqual([]);
});
