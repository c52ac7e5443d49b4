/** What things cost in the simulation, exactly, and the quotes that the users were shown. */
import { aMethodQuote, aV3Asset } from '../service/bodies.ts';

/** Price of an ether, the network fee, and a fee too many, per currency; amounts in thousandths. */
export const CURRENCIES = {
  EUR: { rate: 2_500_000n, network: 860n, extra: 1_500n, places: 3 },
  USD: { rate: 2_750_000n, network: 950n, extra: 2_250n, places: 3 },
  GBP: { rate: 2_125_000n, network: 730n, extra: 1_010n, places: 3 },
  JPY: { rate: 400_000_000n, network: 138_000n, extra: 300_000n, places: 0 },
} as const;
export type Currency = keyof typeof CURRENCIES;
export const NAMES = Object.keys(CURRENCIES) as Currency[];

/** Hundredths of an ether that records are about. */
export const SIZES = 20;

/** What a quote and its records have in common. */
export interface Deal {
  kind: 'purchase' | 'sale';
  currency: Currency;
  size: number;
}

export function quoteIdOf({ kind, currency, size }: Deal): string {
  return `q-${kind}-${currency}-${size}`;
}

/** In thousandths, exactly: 3.9 % of the crypto's worth, and the network fee on top. */
export function pricesOf({ currency, size }: Pick<Deal, 'currency' | 'size'>) {
  const { rate, network, places } = CURRENCIES[currency];
  const worth = (rate * BigInt(size)) / 100n;
  // Yen are whole: half a yen would be lost on the way to the wire.
  const fee = (worth * 39n) / 1_000n;
  const base = places === 0 ? fee - (fee % 1_000n) : fee;
  return { base, network, applied: base + network, value: worth + base + network };
}

/** Thousandths as a JSON number of so many places. */
export function amount(thousandths: bigint, places: number): string {
  const whole = thousandths / 1_000n;
  return places === 0 ? `${whole}` : `${whole}.${(thousandths % 1_000n).toString().padStart(3, '0')}`;
}

/** The quotes that the records' users were shown, one per kind, currency and size. */
export function quoteLines(): string[] {
  const all: string[] = [];
  for (const currency of NAMES) {
    for (let size = 1; size <= SIZES; size++) all.push(buying(currency, size), selling(currency, size));
  }
  return all;
}

function asset(currency: Currency): string {
  const { rate, network, places } = CURRENCIES[currency];
  return aV3Asset({
    symbol: '"ETH"',
    chain: '"ETH"',
    name: '"Ether"',
    decimals: '18',
    type: '"NATIVE"',
    address: 'null',
    price: `{"${currency}":${amount(rate, 3)}}`,
    currencyCode: `"${currency}"`,
    maxPurchaseAmount: '-1',
    minPurchaseCryptoAmount: '"-1"',
    networkFee: amount(network, places),
  });
}

function buying(currency: Currency, size: number): string {
  const { places } = CURRENCIES[currency];
  const { value, base, applied } = pricesOf({ currency, size });
  const method = aMethodQuote({
    fiatCurrency: `"${currency}"`,
    cryptoAmount: `"${size}0000000000000000"`,
    fiatValue: amount(value, places),
    baseServiceFee: amount(base, places),
    appliedFee: amount(applied, places),
  });
  const request = `{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"${currency}","fiatValue":${amount(value, places)}}`;
  return line(
    quoteIdOf({ kind: 'purchase', currency, size }),
    'onramp',
    request,
    `{"asset":${asset(currency)},"CARD_PAYMENT":${method}}`,
  );
}

function selling(currency: Currency, size: number): string {
  const { rate, places } = CURRENCIES[currency];
  const worth = (rate * BigInt(size)) / 100n;
  const fee = worth / 50n;
  const method = aMethodQuote({
    fiatCurrency: `"${currency}"`,
    cryptoAmount: `"${size}0000000000000000"`,
    fiatValue: amount(worth - fee, places),
    baseServiceFee: 'null',
    appliedFee: amount(fee, places),
  });
  const request = `{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"${currency}","cryptoAmount":"${size}0000000000000000"}`;
  return line(
    quoteIdOf({ kind: 'sale', currency, size }),
    'offramp',
    request,
    `{"asset":${asset(currency)},"SEPA":${method}}`,
  );
}

function line(id: string, direction: string, request: string, response: string): string {
  return `{"quote_id":"${id}","direction":"${direction}","api_version":"v3","captured_at":"2026-08-31T09:56:00Z","request":${request},"response":${response}}`;
}
