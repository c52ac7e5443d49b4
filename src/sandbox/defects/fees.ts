/**
 * Fees that are not what was promised. Each is at least five times the tolerance (a minor unit, 0.1 %, and 1 % more for
 * a converted network fee) from it, and keeps clear of everything that another code speaks of.
 */
import { method } from '../methods.ts';
import { type Figures, tokensOf } from '../pricing.ts';
import type { Defect } from './defect.ts';

/** At and over 300 EUR the percentage is above the least fee for every method, so shares of cv are constant. */
const WELL_ABOVE_FLOOR = [300, 1500] as const;
/** The cheap methods leave room up to the published maximum of 3.9 %. */
const CHEAP = ['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER', 'PIX'] as const;

function cvOf(figures: Figures, decimals: number): number {
  return tokensOf(figures.units, decimals) * figures.rate;
}

/**
 * Total and crypto are as quoted and the base fee too; half a percent moved from the price into the fee, where it shows
 * as an adjustment. The total still foots because the rate is that much lower, in both currencies.
 */
export const HIDDEN_MARKUP: Defect = {
  name: 'hidden-markup',
  says: 'The applied fee is 0.5 % of the value higher than quoted, at a rate that is as much lower.',
  codes: ['FEE_APPLIED_DIFFERS'],
  night: 1,
  wants: { kind: 'purchase', linking: 'linked', methods: CHEAP, fiatEur: WELL_ABOVE_FLOOR },
  figures(quoted, decimals) {
    const cv = cvOf(quoted, decimals);
    const extra = cv * 0.005;
    const rate = (cv - extra) / tokensOf(quoted.units, decimals);
    return { ...quoted, rate, rateEur: rate * quoted.fiatEur, appliedFee: quoted.appliedFee + extra };
  },
};

/** The everyday overcharge: 1.5 % more in the base fee, and so in the applied fee and in the total. */
export const OVERCHARGED: Defect = {
  name: 'overcharged',
  says: 'The user paid 1.5 % more, all of it in the base fee.',
  codes: ['AMOUNT_DIFFERS', 'FEE_APPLIED_DIFFERS', 'FEE_BASE_DIFFERS'],
  night: 1,
  wants: { kind: 'purchase', linking: 'linked', methods: CHEAP, fiatEur: WELL_ABOVE_FLOOR },
  figures(quoted) {
    const extra = quoted.fiatValue * 0.015;
    return {
      ...quoted,
      fiatValue: quoted.fiatValue + extra,
      baseFee: quoted.baseFee + extra,
      appliedFee: quoted.appliedFee + extra,
    };
  },
};

export const BASE_FEE_MOVED: Defect = {
  name: 'base-fee-moved',
  says: 'The base fee is 30 % higher than quoted; the applied fee is the same.',
  codes: ['FEE_BASE_DIFFERS'],
  night: 1,
  wants: { kind: 'purchase', linking: 'linked' },
  figures: (quoted) => ({ ...quoted, baseFee: quoted.baseFee * 1.3 }),
};

/**
 * On the dear chains 80 % of the network fee is over a euro. By card the service fee that is left of the applied fee
 * stays between the published minimum and maximum.
 */
export const NETWORK_FEE_MOVED: Defect = {
  name: 'network-fee-moved',
  says: 'The network fee is 80 % higher than quoted; the applied fee is the same.',
  codes: ['FEE_NETWORK_DIFFERS'],
  night: 1,
  wants: {
    kind: 'purchase',
    linking: 'linked',
    assets: ['ETH_ETH', 'BTC_BTC', 'ETH_USDC'],
    methods: ['CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY'],
    fiatEur: [200, 1500],
  },
  figures: (quoted) => ({ ...quoted, networkFee: quoted.networkFee * 1.8 }),
};

/** Promised and charged alike, so no other code is due. Even with a promotion's fifth off it is over the maximum. */
export const FEE_ABOVE_MAXIMUM: Defect = {
  name: 'fee-above-maximum',
  says: 'Quoted and charged at 6 % where 3.9 % is the published maximum.',
  codes: ['FEE_OUT_OF_BOUNDS'],
  night: 1,
  wants: {
    kind: 'purchase',
    linking: 'linked',
    method: { ...method('onramp', 'CARD_PAYMENT'), percent: 6 },
    fiatEur: [120, 1500],
  },
};
