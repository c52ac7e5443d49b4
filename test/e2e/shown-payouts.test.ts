/**
 * An app that tells what its screen showed, and keeps quotes of few of its users or of none: a payout floats as a quoted one does, a fee with
 * the value and the network fee, and what no market explains is found. Prices and fees are this file's own arithmetic.
 */
import { expect, test } from 'vitest';
import { readCsv } from './support/csv.ts';
import { openFrozenWorld } from './support/frozen-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-19T00:00:00Z');
const iso = (at: number) => new Date(at).toISOString();
const cents = (value: number) => Math.round(value * 100) / 100;
const wave = (at: number, hours: number) => Math.sin(((at - START) / (hours * HOUR)) * 2 * Math.PI);
const UNITS = 10n ** 17n;
const TOKENS = 0.1;
const FIAT = 150;

interface Deal {
  rate: number;
  base: number;
  network: number;
  fee: number;
  fiat: number;
  tokens: number;
}

/** Up and down by a share in ten hours; the Service has a margin of 1 % in its prices. */
class Market {
  private readonly swing: number;

  constructor(swing: number) {
    this.swing = swing;
  }

  price = (at: number) => 2500 * (1 + this.swing * wave(at, 10));
  networkFee = (at: number) => 0.86 * (1 + 0.2 * wave(at, 3));

  sale(at: number): Deal {
    const rate = this.price(at) * 0.99;
    const fee = cents(TOKENS * rate * 0.02);
    return { rate, base: fee, network: 0, fee, fiat: cents(TOKENS * rate - fee), tokens: TOKENS };
  }

  purchase(at: number): Deal {
    const rate = this.price(at) * 1.01;
    const network = cents(this.networkFee(at));
    const base = cents(((FIAT - network) / 1.029) * 0.029);
    const fee = cents(base + network);
    return { rate, base, network, fee, fiat: FIAT, tokens: (FIAT - fee) / rate };
  }
}

type Wrong = (deal: Deal) => Deal;
type Kind = 'purchase' | 'sale';

interface Order {
  kind: Kind;
  id: string;
  createdAt: number;
  paidAt: number;
  /** A sale that states rate, fee and status; otherwise it has the specification's shape. */
  states: boolean;
  shows: 'total' | 'total and fee';
  quote: 'v1' | 'v3' | null;
  shown: Deal;
  made: Deal;
}

/** @param least and most that the price moves until the order is executed */
function order(market: Market, kind: Kind, n: number, [least, most]: readonly [number, number], wrong?: Wrong): Order {
  const createdAt = START + (1 + (n % 20)) * HOUR + ((n * 7) % 50) * MINUTE;
  let paidAt = createdAt + 20 * MINUTE;
  const move = () => Math.abs(market.price(paidAt) / market.price(createdAt) - 1);
  while (move() < least || move() > most) paidAt += 5 * MINUTE;
  const made = market[kind](paidAt);
  return {
    kind,
    id: `${kind}${String(n).padStart(4, '0')}`,
    createdAt,
    paidAt,
    states: n % 2 === 0,
    shows: n % 3 === 0 ? 'total' : 'total and fee',
    quote: n % 5 > 0 ? null : kind === 'purchase' && n % 10 === 0 ? 'v1' : 'v3',
    shown: market[kind](createdAt - 3 * MINUTE),
    made: wrong === undefined ? made : wrong(made),
  };
}

const ASSET = { symbol: 'ETH', chain: 'ETH', name: 'Ethereum', decimals: 18, address: null };
const unitsOf = (tokens: number) =>
  (tokens === TOKENS ? UNITS : BigInt(Math.floor(tokens * 1e12)) * 10n ** 6n).toString();
const txOf = (id: string) => `0x${Buffer.from(id).toString('hex').padStart(64, 'f')}`;

function bodyOf(each: Order): string {
  const { id, createdAt, paidAt, states, made } = each;
  const dates = { createdAt: iso(createdAt), updatedAt: iso(paidAt + MINUTE), status: 'RELEASED' };
  if (each.kind === 'purchase') {
    return JSON.stringify({
      ...{ id, endTime: iso(createdAt + 72 * HOUR), ...dates },
      asset: { address: null, symbol: 'ETH', name: 'Ethereum', decimals: 18, type: 'ETH' },
      cryptoAmount: unitsOf(made.tokens),
      ...{ fiatCurrency: 'EUR', fiatValue: made.fiat },
      ...{ assetExchangeRate: made.rate, assetExchangeRateEur: made.rate },
      ...{ baseServiceFee: made.base, networkFee: made.network, appliedFee: made.fee },
      ...{ purchaseViewToken: `token-${id}`, receiverAddress: '0x5a3b3d585dd59025421736ac745bc7cdd89479ef' },
      ...{ finalTxHash: txOf(id), paymentMethodType: 'CARD_PAYMENT' },
    });
  }
  const { createdAt: created, ...rest } = dates;
  return JSON.stringify({
    ...{ id, purchaseViewToken: `token-${id}`, createdAt: created, ...(states ? rest : {}) },
    crypto: {
      ...{ amount: unitsOf(made.tokens), assetInfo: { ...ASSET, type: 'NATIVE' } },
      ...(states ? { status: 'completed' } : {}),
    },
    fiat: {
      amount: made.fiat,
      currencySymbol: 'EUR',
      ...(states ? { status: 'completed', payoutMethod: 'SEPA' } : {}),
    },
    ...(states ? { fees: { amount: String(made.fee), currencySymbol: 'EUR' }, exchangeRate: String(made.rate) } : {}),
    ...(states ? { transactionHash: txOf(id) } : {}),
  });
}

const listed = (market: Market, kind: Kind, at: number) => ({
  ...{ ...ASSET, type: 'NATIVE', enabled: true, hidden: false, price: { EUR: market.price(at) }, currencyCode: 'EUR' },
  ...{ minPurchaseAmount: -1, maxPurchaseAmount: -1, minPurchaseCryptoAmount: '-1' },
  ...(kind === 'purchase' ? { networkFee: market.networkFee(at) } : {}),
});

const listing = (market: Market, kind: Kind, at: number) =>
  JSON.stringify({
    assets: [listed(market, kind, at)],
    ...{ currencyCode: 'EUR', minPurchaseAmount: 6, maxPurchaseAmount: 15_000 },
    ...(kind === 'purchase' ? { minFeeAmount: 2.49, minFeePercent: 0.99, maxFeePercent: 3.9 } : {}),
  });

function quoteOf(market: Market, { id, kind, createdAt, quote, shown }: Order): string {
  const at = createdAt - 3 * MINUTE;
  const isSale = kind === 'sale';
  const asked = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR' };
  const amounts = { fiatCurrency: 'EUR', cryptoAmount: unitsOf(shown.tokens), fiatValue: shown.fiat };
  const fees = { baseServiceFee: shown.base, appliedFee: shown.fee };
  return JSON.stringify({
    ...{ quote_id: `q-${id}`, direction: isSale ? 'offramp' : 'onramp', api_version: quote, captured_at: iso(at) },
    request: {
      ...asked,
      ...(isSale ? { cryptoAmount: String(UNITS) } : { fiatValue: shown.fiat }),
      ...(quote === 'v1' ? { paymentMethodType: 'CARD_PAYMENT' } : {}),
    },
    response:
      quote === 'v1'
        ? {
            ...{ ...asked, ...amounts, ...fees, networkFee: shown.network, paymentMethodType: 'CARD_PAYMENT' },
            asset: { address: null, symbol: 'ETH', name: 'Ethereum', decimals: 18 },
            ...{ assetExchangeRate: shown.rate, assetExchangeRateEur: shown.rate, fiatExchangeRateEur: 1 },
          }
        : { asset: listed(market, kind, at), [isSale ? 'SEPA' : 'CARD_PAYMENT']: { ...amounts, ...fees } },
  });
}

function lineOf({ kind, id, createdAt, shows, quote, shown }: Order): string {
  const fee = shows === 'total' ? '' : shown.fee;
  return `${kind},${id},token-${id},${iso(createdAt)},${quote === null ? '' : `q-${id}`},${shown.fiat},${fee}`;
}

/** The breaks of one night by record. */
async function nightOf(market: Market, all: readonly Order[]): Promise<Map<string, string[]>> {
  const world = await openFrozenWorld();
  try {
    let now = START;
    const { paths, answers } = world.server;
    const methods = (name: string) => ({ body: JSON.stringify([{ name, currencies: ['EUR'], countries: ['de'] }]) });
    paths.set('/host-api/v3/payment-methods', methods('CARD_PAYMENT'));
    paths.set('/host-api/v3/payout-methods', methods('SEPA'));
    const euro = { fiatCurrency: 'EUR', name: 'Euro', onrampAvailable: true, offrampAvailable: true };
    paths.set('/host-api/v3/currencies', { body: JSON.stringify([euro]) });
    paths.set('/host-api/countries', { body: '[]' });
    paths.set('/host-api/v3/assets', () => ({ body: listing(market, 'purchase', now) }));
    paths.set('/host-api/v3/offramp/assets', () => ({ body: listing(market, 'sale', now) }));
    world.goTo(iso(START));
    await world.track(['kind,id,view_token,created_at,quote_id,shown_total,shown_fee', ...all.map(lineOf)].join('\n'));
    await world.quote(all.filter(({ quote }) => quote !== null).map((each) => quoteOf(market, each)));
    for (let hour = -1; hour <= 28; hour++) {
      now = START + hour * HOUR;
      world.goTo(iso(now));
      await world.captureReferenceData();
    }
    for (const each of all) answers.set(each.id, { body: bodyOf(each) });
    world.goTo(iso(START + 28.25 * HOUR));
    const { folder } = await world.night('2026-11-19');
    const { rows } = readCsv(world.file(folder, 'breaks.csv').toString());
    const serious = rows.filter(({ severity }) => severity !== 'info');
    const said = Map.groupBy(serious, ({ record_id = '' }) => record_id);
    return new Map(
      [...said].map(([id, each]) => [id, each.map((row) => `${row.rule} ${row.field}: ${row.explanation}`)]),
    );
  } finally {
    await world.close();
  }
}

const short =
  (share: number): Wrong =>
  (deal) => ({ ...deal, fiat: cents(deal.fiat * (1 - share)) });
const cheap =
  (share: number): Wrong =>
  (deal) => {
    const rate = deal.rate * (1 - share);
    const fee = cents(TOKENS * rate * 0.02);
    return { ...deal, rate, fee, base: fee, fiat: cents(TOKENS * rate - fee) };
  };
const dearSale =
  (share: number): Wrong =>
  (deal) => {
    const fee = cents(TOKENS * deal.rate * (0.02 + share));
    return { ...deal, fee, base: fee, fiat: cents(TOKENS * deal.rate - fee) };
  };
const dear =
  (more: number): Wrong =>
  (deal) => {
    const fee = cents(deal.fee + more);
    return { ...deal, fee, base: cents(deal.base + more), tokens: (FIAT - fee) / deal.rate };
  };

const BY_SHOWN = /^(CHARGED_DIFFERS_FROM_SHOWN|TOTAL_NOT_FOOTING)/;

test.each([
  ['as it does on most days', 0.02, [0.001, 0.014]],
  ['by more than the tolerance', 0.06, [0.02, 0.05]],
] as const)(
  'payouts and fees that moved with a market that moves %s are clean, and others are found',
  async (_, swing, moves) => {
    const market = new Market(swing);
    const clean = (['sale', 'purchase'] as const).flatMap((kind) =>
      Array.from({ length: 30 }, (__, n) => order(market, kind, n, moves)),
    );
    const planted = [
      order(market, 'sale', 100, moves, cheap(0.06)),
      order(market, 'sale', 101, moves, short(0.1 + 2 * swing)),
      order(market, 'sale', 102, moves, short(0.06)),
      order(market, 'sale', 103, moves, short(0.1 + 2 * swing)),
      order(market, 'sale', 104, moves, dearSale(0.04)),
      order(market, 'sale', 106, moves, cheap(0.07)),
      ...[101, 103, 104, 110].map((n) => order(market, 'purchase', n, moves, dear(1.5))),
    ];
    const found = await nightOf(market, [...clean, ...planted]);
    expect(clean.flatMap(({ id }) => (found.get(id) ?? []).map((said) => `${id} ${said}`))).toEqual([]);
    expect(planted.filter(({ id }) => !found.get(id)?.some((said) => BY_SHOWN.test(said))).map(({ id }) => id)).toEqual(
      [],
    );
  },
);
