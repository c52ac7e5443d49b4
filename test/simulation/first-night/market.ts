/**
 * A market apart from the product and the sandbox: most coins walk about 60 % a year, dollar tokens follow the dollar, network fees
 * move by about one per cent a minute within bounds, and currencies drift. A seed gives the same market each time.
 */
import { seededRandom } from '../../support/seeded-random.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const MINUTES_A_YEAR = 525_960;

export interface Coin {
  chain: string;
  symbol: string;
  name: string;
  decimals: number;
  address: string | null;
  /** The joined name that v1 bodies have. */
  joined: string;
  type: string;
  /** `USD` for the dollar tokens. */
  family: string;
  eur: number;
  networkEur: number;
  /** In no particular unit. */
  weight: number;
  /** How far it moves in a year, as a share. */
  moves: number;
}

const USD_COIN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const PEPE = '0x6982508145454Ce325dDbE47a25d4ec3d2311933';
const NO_CONTRACT = null;
const USUAL = 0.6;

export const COINS: readonly Coin[] = (
  [
    ['BTC', 'BTC', 'Bitcoin', 8, NO_CONTRACT, 'BTC', 'BTC', 58_214.7, 1.83, 20],
    ['ETH', 'ETH', 'Ethereum', 18, NO_CONTRACT, 'ETH', 'ETH', 2748.4, 1.41, 20],
    ['SOLANA', 'SOL', 'Solana', 9, NO_CONTRACT, 'SOLANA_SOL', 'SOLANA', 138.92, 0.02, 12],
    ['LTC', 'LTC', 'Litecoin', 8, NO_CONTRACT, 'LTC', 'LTC', 64.07, 0.04, 5],
    ['XRP', 'XRP', 'XRP', 6, NO_CONTRACT, 'XRP', 'XRP', 0.5128, 0.01, 5],
    // Renamed: older bodies and quotes say MATIC, newer ones POL.
    ['MATIC', 'POL', 'Polygon', 18, NO_CONTRACT, 'MATIC_POL', 'MATIC', 0.4381, 0.01, 6],
    ['ETH', 'USDC', 'USD Coin', 6, USD_COIN, 'USDC', 'ERC20', 0.92, 2.13, 12],
    ['BASE', 'USDC', 'USD Coin', 6, ON_BASE, 'BASE_USDC', 'ERC20', 0.92, 0.03, 8],
    ['ETH', 'PEPE', 'Pepe', 18, PEPE, 'PEPE', 'ERC20', 0.0000061, 2.6, 8, 1.6],
    ['NEAR', 'NEAR', 'Near', 24, NO_CONTRACT, 'NEAR_NEAR', 'NEAR', 2.31, 0.01, 8, 1],
  ] as const
).map(([chain, symbol, name, decimals, address, joined, type, eur, networkEur, weight, moves = USUAL]) => {
  const family = symbol === 'USDC' ? 'USD' : symbol;
  return { chain, symbol, name, decimals, address, joined, type, family, eur, networkEur, weight, moves };
});

export interface Currency {
  code: string;
  country: string;
  eur: number;
  digits: number;
  sells: boolean;
  weight: number;
  moves?: number;
}

export const CURRENCIES: readonly Currency[] = [
  { code: 'EUR', country: 'de', eur: 1, digits: 2, sells: true, weight: 48 },
  { code: 'USD', country: 'us', eur: 0.9174, digits: 2, sells: true, weight: 20 },
  { code: 'GBP', country: 'gb', eur: 1.1642, digits: 2, sells: true, weight: 16 },
  { code: 'BRL', country: 'br', eur: 0.1663, digits: 2, sells: true, weight: 10 },
  { code: 'JPY', country: 'jp', eur: 0.006127, digits: 0, sells: false, weight: 6 },
  { code: 'TRY', country: 'tr', eur: 0.02043, digits: 2, sells: true, weight: 12, moves: 0.25 },
  { code: 'NGN', country: 'ng', eur: 0.000597, digits: 2, sells: true, weight: 12, moves: 0.25 },
];

/** Those that most deployments do not have. */
export const RESTLESS: readonly string[] = ['PEPE', 'NEAR', 'TRY', 'NGN'];

export class Market {
  private readonly walks = new Map<string, Float64Array>();
  private readonly from: number;

  constructor(seed: number, from: number, to: number) {
    this.from = from;
    const minutes = Math.ceil((to - from) / MINUTE) + 1;
    const walk = (name: string, first: number, perMinute: number, bounds?: readonly [number, number]) => {
      const random = seededRandom(seed * 7919 + this.walks.size * 104_729 + 17);
      const values = new Float64Array(minutes);
      let value = first;
      for (let i = 0; i < minutes; i++) {
        values[i] = value;
        // Box and Muller: two even draws make a normal one.
        const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
        value *= Math.exp(perMinute * normal);
        if (bounds !== undefined) value = Math.min(bounds[1], Math.max(bounds[0], value));
      }
      this.walks.set(name, values);
    };
    for (const { code, eur, moves = 0.08 } of CURRENCIES)
      if (code !== 'EUR') walk(code, eur, moves / Math.sqrt(MINUTES_A_YEAR));
    for (const { chain, symbol, family, eur, networkEur, moves } of COINS) {
      if (family !== 'USD') walk(family, eur, moves / Math.sqrt(MINUTES_A_YEAR));
      walk(`${chain}_${symbol} fee`, networkEur, 0.01, [networkEur * 0.6, networkEur * 1.7]);
    }
  }

  private value(name: string, at: number): number {
    const found = this.walks.get(name)?.[Math.floor((at - this.from) / MINUTE)];
    if (found === undefined) throw new RangeError(`${name} has no price at ${new Date(at).toISOString()}`);
    return found;
  }

  /** One unit of the currency in EUR. */
  fiatEur(code: string, at: number): number {
    return code === 'EUR' ? 1 : this.value(code, at);
  }

  /** One whole token in the currency. */
  price({ family }: Coin, code: string, at: number): number {
    const eur = family === 'USD' ? this.fiatEur('USD', at) : this.value(family, at);
    return eur / this.fiatEur(code, at);
  }

  networkFee({ chain, symbol }: Coin, code: string, at: number): number {
    return this.value(`${chain}_${symbol} fee`, at) / this.fiatEur(code, at);
  }
}
