/** Lists of assets whose prices move each hour, as captures store them; the same on every run. */
import { createHash } from 'node:crypto';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { ReferenceInput } from '../../../src/ports/store/store.ts';

const HOUR = 3_600_000;

export interface Listings {
  assets: number;
  currencies: readonly string[];
  /** Of a price. */
  digits: number;
  /** Prices of an ether; where they are given it is listed too, and moves by a tenth of a percent. */
  ether?: Readonly<Record<string, number>>;
}

/** A price that moves by up to half a percent an hour. */
function price(asset: number, currency: number, hour: number, digits: number): string {
  const move = 1 + 0.005 * Math.sin(asset * 12.9898 + currency * 78.233 + hour * 37.719);
  return (10 ** (asset % 5) * (1 + (asset % 97) / 97) * (0.5 + currency) * move).toPrecision(digits);
}

/** A capture of all lists: each currency in both directions, at the prices of an hour. */
export function captureOf(listings: Listings, prices: number, at: number): ReferenceInput[] {
  return listings.currencies.flatMap((_, currency) =>
    (['onramp', 'offramp'] as const).map((direction) => listing(listings, direction, currency, prices, at)),
  );
}

function listing(
  { assets, currencies, digits, ether }: Listings,
  direction: 'onramp' | 'offramp',
  currency: number,
  hour: number,
  at: number,
): ReferenceInput {
  const code = currencies[currency] ?? '';
  const limits = {
    decimals: 18,
    enabled: true,
    address: null,
    minPurchaseAmount: Decimal.parse('10'),
    maxPurchaseAmount: null,
    minPurchaseCryptoUnits: 1000n,
  };
  const rows = Array.from({ length: assets }, (_, i) => ({
    ...limits,
    chain: `CHAIN${i % 12}`,
    symbol: `T${i}`,
    networkFee: Decimal.parse(price(i + 7, currency, hour, digits)),
    price: Decimal.parse(price(i, currency, hour, digits)),
  }));
  if (ether !== undefined) {
    const now = (ether[code] ?? 0) * (1 + 0.001 * Math.sin(hour));
    rows.push({
      ...limits,
      chain: 'ETH',
      symbol: 'ETH',
      networkFee: Decimal.parse('0.86'),
      price: Decimal.parse(now.toPrecision(digits)),
    });
  }
  const body = JSON.stringify(
    rows.map(({ symbol, chain, price, networkFee }) => ({
      symbol,
      chain,
      name: `Token ${symbol}`,
      decimals: 18,
      type: 'ERC20',
      price: { [code]: Number(price.toString()) },
      networkFees: { [code]: Number(networkFee.toString()) },
      enabled: true,
      hidden: false,
      minPurchaseAmount: 10,
      maxPurchaseAmount: -1,
    })),
  );
  return {
    type: 'assets',
    direction,
    currency: code,
    global: {
      currencyCode: code,
      minPurchaseAmount: Decimal.parse('10'),
      maxPurchaseAmount: Decimal.parse('10000000'),
      minFeeAmount: Decimal.parse('1'),
      minFeePercent: Decimal.parse('0.49'),
      maxFeePercent: Decimal.parse('9.9'),
    },
    assets: rows,
    body,
    sha256: createHash('sha256').update(body).digest('hex'),
    at: at - (at % HOUR),
  };
}
