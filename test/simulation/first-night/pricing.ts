/** What a purchase or a sale comes to, in decimals: the arithmetic of this world, shared with nobody. */
import Big from 'big.js';
import type { Coin } from './market.ts';

Big.DP = 40;

/** Share of cv below and from 500 EUR; a tenth of the currencies' cards cost more. */
export const METHODS: Readonly<Record<string, { currencies: readonly string[]; percents: readonly [number, number] }>> =
  {
    CARD_PAYMENT: { currencies: ['EUR', 'USD', 'GBP', 'BRL', 'JPY', 'TRY', 'NGN'], percents: [3.9, 3.4] },
    APPLE_PAY: { currencies: ['EUR', 'USD', 'GBP', 'JPY'], percents: [3.5, 3.1] },
    MANUAL_BANK_TRANSFER: { currencies: ['EUR', 'GBP'], percents: [1.2, 0.99] },
    AUTO_BANK_TRANSFER: { currencies: ['EUR', 'GBP'], percents: [1.4, 1.1] },
    PIX: { currencies: ['BRL'], percents: [1.99, 1.99] },
  };

export const PAYOUTS: Readonly<Record<string, { currencies: readonly string[]; percents: readonly [number, number] }>> =
  {
    SEPA: { currencies: ['EUR'], percents: [0.99, 0.99] },
    CARD: { currencies: ['EUR', 'GBP', 'TRY', 'NGN'], percents: [2.49, 2.49] },
    AMERICAN_BANK_TRANSFER: { currencies: ['USD'], percents: [1.49, 1.49] },
    PIX: { currencies: ['BRL'], percents: [1.99, 1.99] },
  };

export const isBank = (method: string) => method.endsWith('TRANSFER');

export interface Terms {
  coin: Coin;
  /** Fiat for a whole token, the Service's margin included. */
  rate: Big;
  percent: Big;
  minFee: Big;
  network: Big;
  /** A host's own fee on top, in per cent of cv; its share of the base fee where `hostShare`. */
  hostPercent: Big;
  hostShare: boolean;
  /** Digits that the Service rounds amounts to; null: to none. */
  places: number | null;
}

export interface Deal {
  fiat: Big;
  units: Big;
  rate: Big;
  base: Big;
  network: Big;
  applied: Big;
  hostCut: Big | null;
}

const round = (value: Big, { places }: Terms) => (places === null ? value : value.round(places));
const scale = ({ coin }: Terms) => new Big(10).pow(coin.decimals);

export function buy(terms: Terms, fiat: Big): Deal {
  const { rate, percent, minFee, hostPercent } = terms;
  const network = round(terms.network, terms);
  const onTop = terms.hostShare ? new Big(0) : hostPercent;
  let value = fiat.minus(network).div(percent.plus(onTop).div(100).plus(1));
  let base = value.times(percent).div(100);
  if (base.lt(minFee)) {
    base = minFee;
    value = fiat.minus(network).minus(minFee).div(onTop.div(100).plus(1));
  }
  base = round(base, terms);
  const host = round(value.times(onTop).div(100), terms);
  const applied = base.plus(network).plus(host);
  const units = fiat.minus(applied).div(rate).times(scale(terms)).round(0, 0);
  const hostCut = terms.hostShare ? round(base.times(0.25), terms) : onTop.gt(0) ? host : null;
  return { fiat, units, rate, base, network, applied, hostCut };
}

export function sell(terms: Terms, units: Big): Deal {
  const { rate, percent } = terms;
  const value = units.div(scale(terms)).times(rate);
  const base = round(value.times(percent).div(100), terms);
  const fiat = round(value.minus(base), terms);
  return { fiat, units, rate, base, network: new Big(0), applied: base, hostCut: null };
}

/** As a body prints it: the nearest double. */
export const printed = (value: Big): number => Number(value.toString());
