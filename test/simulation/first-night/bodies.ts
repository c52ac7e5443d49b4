/** Quotes, listings and records of this world as they travel. */
import type Big from 'big.js';
import { receiverOf, transactionOf } from './addresses.ts';
import { COINS, type Coin, CURRENCIES, type Currency, HOUR, type Market } from './market.ts';
import type { People, Person } from './people.ts';
import { buy, type Deal, METHODS, PAYOUTS, printed, sell } from './pricing.ts';

type Body = Record<string, unknown>;

const iso = (at: number) => new Date(at).toISOString();

/** Every sixth: one in three of them states nothing. Stable, because a body keeps its form. */
const turn = ({ id }: Person, of: number) => Number(id.replace(/\D/g, '').slice(0, 8)) % of;

export function listing(market: Market, direction: 'onramp' | 'offramp', code: string, at: number): string {
  const eur = market.fiatEur(code, at);
  // Under maintenance for an hour, once a day: nothing of it is anybody's loss.
  const isAway = (coin: Coin) => coin.symbol === 'XRP' && Math.floor(at / HOUR) % 24 === 11;
  return JSON.stringify({
    assets: COINS.filter((coin) => !isAway(coin)).map((coin) => listed(market, coin, direction, code, at)),
    currencyCode: code,
    minPurchaseAmount: 6 / eur,
    maxPurchaseAmount: 15_000 / eur,
    ...(direction === 'onramp' ? { minFeeAmount: 2.49 / eur, minFeePercent: 0.99, maxFeePercent: 3.9 } : {}),
  });
}

function listed(market: Market, coin: Coin, direction: string, code: string, at: number): Body {
  const { chain, symbol, name, decimals, address } = coin;
  return {
    ...{ symbol, chain, name, decimals, address },
    type: address === null ? 'NATIVE' : 'ERC20',
    logoUrl: 'https://logos.example/coin.svg',
    enabled: true,
    hidden: false,
    price: Object.fromEntries(CURRENCIES.map((each) => [each.code, market.price(coin, each.code, at)])),
    currencyCode: code,
    minPurchaseAmount: -1,
    maxPurchaseAmount: -1,
    minPurchaseCryptoAmount: '-1',
    ...(direction === 'onramp' ? { networkFee: market.networkFee(coin, code, at) } : {}),
  };
}

export const methodList = (of: typeof METHODS) =>
  JSON.stringify(
    Object.entries(of).map(([name, { currencies }]) => ({
      name,
      currencies,
      countries: CURRENCIES.filter(({ code }) => currencies.includes(code)).map(({ country }) => country),
    })),
  );

const named = (coin: Coin, old: boolean) => (coin.symbol === 'POL' && old ? 'MATIC' : coin.symbol);

/** One line of `quotes import`. */
export function quoteLine(person: Person, people: People): string {
  const { kind, coin, currency, method, quotedAt, quoted, api, id } = person;
  if (quoted === null) throw new Error(`${id} has no quote`);
  const onramp = kind === 'purchase';
  const { market, habits } = people;
  const identifier = `${coin.chain}_${named(coin, habits.ordinaryDays && turn(person, 2) === 0)}`;
  const request: Body = {
    cryptoAssetSymbol: identifier,
    fiatCurrency: currency.code,
    ...(onramp ? { fiatValue: printed(quoted.fiat) } : { cryptoAmount: quoted.units.toFixed(0) }),
  };
  const eur = market.fiatEur(currency.code, quotedAt);
  let response: Body;
  if (api === 'v1') {
    request.paymentMethodType = method;
    response = {
      cryptoAssetSymbol: identifier,
      fiatCurrency: currency.code,
      cryptoAmount: quoted.units.toFixed(0),
      fiatValue: printed(quoted.fiat),
      paymentMethodType: method,
      asset: { address: coin.address, symbol: identifier, name: coin.name, decimals: coin.decimals },
      assetExchangeRate: printed(quoted.rate),
      assetExchangeRateEur: printed(quoted.rate.times(eur)),
      fiatExchangeRateEur: eur,
      baseServiceFee: printed(quoted.base),
      networkFee: printed(quoted.network),
      appliedFee: printed(quoted.applied),
    };
  } else {
    const sizeEur = printed(quoted.fiat) * currency.eur;
    const offers = Object.keys(onramp ? METHODS : PAYOUTS).filter((name) =>
      (onramp ? METHODS : PAYOUTS)[name]?.currencies.includes(currency.code),
    );
    const direction = onramp ? 'onramp' : 'offramp';
    response = { asset: listed(market, coin, direction, currency.code, quotedAt) };
    for (const offer of offers) {
      const terms = people.terms(coin, currency, offer, quotedAt, sizeEur, !onramp);
      const other = onramp ? buy(terms, quoted.fiat) : sell(terms, quoted.units);
      response[offer] = promised(offer === method ? quoted : other, currency);
    }
  }
  const line = { quote_id: `q-${id}`, direction: onramp ? 'onramp' : 'offramp', api_version: api };
  return JSON.stringify({ ...line, captured_at: iso(quotedAt), request, response });
}

const promised = (deal: Deal, { code }: Currency): Body => ({
  fiatCurrency: code,
  cryptoAmount: deal.units.toFixed(0),
  fiatValue: printed(deal.fiat),
  baseServiceFee: printed(deal.base),
  appliedFee: printed(deal.applied),
  ...(deal.hostCut === null ? {} : { hostFeeCut: printed(deal.hostCut) }),
});

/** As its endpoint answers at a moment of a night. */
export function recordBody(person: Person, people: People, at: number, night: number): string {
  const { defect, coin } = person;
  const truth = person.figures(at);
  const deal = at >= person.executedAt ? (defect?.figures?.(truth, coin.decimals) ?? truth) : truth;
  const body = person.kind === 'purchase' ? purchase(person, people, deal, at) : sale(person, people, deal, at);
  return JSON.stringify(defect?.body?.(body, night) ?? body);
}

/** Delivered when it is released; what a defect does to bodies is seen in the nights. */
export function webhookBody(person: Person, people: People, at: number): string {
  const record = JSON.parse(recordBody(person, people, at, 1));
  const body = person.kind === 'purchase' ? { purchase: record } : { mode: 'OFFRAMP', payload: record };
  return JSON.stringify({ type: 'RELEASED', ...body });
}

function purchase(person: Person, people: People, deal: Deal, at: number): Body {
  const { id, coin, currency, method, createdAt, course, endTime } = person;
  const passed = course.filter(({ from }) => from <= at);
  const now = passed.at(-1) ?? { status: 'INITIALIZED', from: createdAt };
  const { observed } = people.habits;
  const fiatEur = people.market.fiatEur(currency.code, Math.min(at, person.executedAt));
  const old = people.habits.ordinaryDays && turn(person, 3) === 0;
  const symbol = coin.symbol === 'POL' && old ? 'MATIC_MATIC' : coin.joined;
  return {
    id,
    endTime: iso(endTime),
    asset: {
      ...{ address: coin.address, symbol, name: coin.name, decimals: coin.decimals, type: coin.type },
      ...(observed && turn(person, 4) > 0 ? { chain: coin.chain, apiV3Symbol: named(coin, old) } : {}),
    },
    cryptoAmount: deal.units.toFixed(0),
    fiatCurrency: currency.code,
    fiatValue: printed(deal.fiat),
    assetExchangeRate: printed(deal.rate),
    assetExchangeRateEur: printed(deal.rate.times(fiatEur)),
    ...(observed ? { fiatExchangeRateEur: fiatEur } : {}),
    baseServiceFee: printed(deal.base),
    networkFee: printed(deal.network),
    appliedFee: printed(deal.applied),
    ...(observed && deal.hostCut !== null ? { hostFeeCut: printed(deal.hostCut) } : {}),
    purchaseViewToken: `token-${id}`,
    receiverAddress: receiverOf(coin.chain, id),
    createdAt: iso(createdAt),
    updatedAt: iso(now.from),
    status: now.status,
    finalTxHash: now.status === 'RELEASED' ? transactionOf(coin.chain, id) : null,
    paymentMethodType: method,
    ...(observed && turn(person, 2) === 0
      ? { actions: passed.map(({ status, from }) => ({ newStatus: status, timestamp: iso(from) })) }
      : {}),
  };
}

function sale(person: Person, people: People, deal: Deal, at: number): Body {
  const { id, coin, currency, method, createdAt, course, executedAt, defect } = person;
  const now = course.filter(({ from }) => from <= at).at(-1) ?? { status: 'CREATED', from: createdAt };
  const { observed } = people.habits;
  const states = observed && (defect === null ? turn(person, 3) > 0 : defect.states === true);
  const arrived = at >= executedAt;
  const done = now.status === 'RELEASED';
  return {
    id,
    purchaseViewToken: `token-${id}`,
    createdAt: iso(createdAt),
    ...(observed ? { updatedAt: iso(now.from), status: now.status } : {}),
    crypto: {
      amount: deal.units.toFixed(0),
      ...(observed ? { status: arrived ? 'completed' : 'initiated' } : {}),
      assetInfo: {
        ...{ address: coin.address, symbol: coin.symbol, chain: coin.chain },
        ...{ type: coin.address === null ? 'NATIVE' : 'ERC20', name: coin.name, decimals: coin.decimals },
      },
    },
    fiat: {
      amount: printed(deal.fiat),
      currencySymbol: currency.code,
      ...(observed ? { status: done ? 'completed' : arrived ? 'initiated' : 'not-started', payoutMethod: method } : {}),
    },
    ...(states ? { fees: { amount: text(deal.applied), currencySymbol: currency.code } } : {}),
    ...(states ? { exchangeRate: text(deal.rate) } : {}),
    ...(observed && done ? { transactionHash: transactionOf(coin.chain, id) } : {}),
  };
}

const text = (value: Big) => String(printed(value));
