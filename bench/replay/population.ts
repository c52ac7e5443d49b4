/**
 * A synthetic night for the replay benchmark: N purchases, each with a quote, three in a hundred with a fee that is not
 * the promised one. Computed from the index alone, in integers, so both sides of the comparison read the same figures.
 */
export interface BenchRecord {
  id: string;
  createdAt: number;
  chain: string;
  symbol: string;
  decimals: number;
  currency: string;
  method: string;
  units: bigint;
  /** Plain decimal texts. */
  rate: string;
  fiatValue: string;
  base: string;
  network: string;
  applied: string;
  quoteId: string;
  /** Null: the record does not name its quote, which must be found by asset, currency, method, amount and time. */
  linkedTo: string | null;
  quotedAt: number;
  quotedFiat: string;
  quotedBase: string;
  quotedApplied: string;
}

const ASSETS = [
  { chain: 'BTC', symbol: 'BTC', decimals: 8, cents: 5_000_000n },
  { chain: 'ETH', symbol: 'ETH', decimals: 18, cents: 250_000n },
  { chain: 'ETH', symbol: 'USDC', decimals: 6, cents: 92n },
  { chain: 'BSC', symbol: 'BNB', decimals: 18, cents: 60_000n },
  { chain: 'MATIC', symbol: 'POL', decimals: 18, cents: 51n },
];
const CURRENCIES = ['EUR', 'USD', 'GBP', 'BRL'];
const METHODS = ['CARD_PAYMENT', 'MANUAL_BANK_TRANSFER', 'APPLE_PAY'];
const START = Date.UTC(2026, 9, 1);
const MINUTE = 60_000;

/** Six places after the point, as text. */
function six(micros: bigint): string {
  const digits = micros.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** A small integer hash: the same index gives the same record on every machine. */
function scatter(index: number, salt: number): number {
  let x = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b);
  x ^= x >>> 15;
  x = Math.imul(x, 0x2c1b3c6d);
  x ^= x >>> 12;
  return x >>> 0;
}

export function benchRecord(index: number, total: number): BenchRecord {
  const asset = ASSETS[scatter(index, 1) % ASSETS.length] ?? { chain: 'BTC', symbol: 'BTC', decimals: 8, cents: 1n };
  const currency = CURRENCIES[scatter(index, 2) % CURRENCIES.length] ?? 'EUR';
  const method = METHODS[scatter(index, 3) % METHODS.length] ?? 'CARD_PAYMENT';
  // Micro-units of fiat; the rate has six places, so cv is exact in units of 10^-(decimals + 6).
  const rate = asset.cents * 10_000n + BigInt(scatter(index, 4) % 10_000);
  const wanted = 20_000_000n + BigInt(scatter(index, 5) % 400_000_000);
  const units = (wanted * 10n ** BigInt(asset.decimals)) / rate;
  const cv = (units * rate) / 10n ** BigInt(asset.decimals);
  const base = (cv * (method === 'CARD_PAYMENT' ? 39n : 10n)) / 1000n;
  const network = 430_000n;
  const quotedApplied = base + network;
  const overcharged = scatter(index, 6) % 100 < 3;
  const surcharge = overcharged ? 1_500_000n : 0n;
  // Spread over a month, so that captured quotes are unambiguous as in real life.
  const createdAt = START + Math.floor((index / total) * 30 * 24 * 60) * MINUTE + (scatter(index, 7) % MINUTE);
  return {
    id: `s${index.toString(36).padStart(14, '0')}`,
    createdAt,
    ...asset,
    currency,
    method,
    units,
    rate: six(rate),
    fiatValue: six(cv + quotedApplied + surcharge),
    base: six(base + surcharge),
    network: six(network),
    applied: six(quotedApplied + surcharge),
    quoteId: `q${index.toString(36)}`,
    linkedTo: scatter(index, 8) % 10 === 0 && !overcharged ? null : `q${index.toString(36)}`,
    quotedAt: createdAt - (1 + (scatter(index, 9) % 20)) * MINUTE,
    quotedFiat: six(cv + quotedApplied),
    quotedBase: six(base),
    quotedApplied: six(quotedApplied),
  };
}
