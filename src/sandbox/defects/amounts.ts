/** Amounts, totals and rates that contradict the quote, the limits or each other. */
import { type Figures, tokensOf } from '../pricing.ts';
import type { Defect } from './defect.ts';

/** Above the least fee, fees are a constant share of the value: scaling keeps every share, and only the amount differs. */
export const AMOUNT_SCALED: Defect = {
  name: 'amount-scaled',
  says: 'The purchase is for 1.3 times the crypto of its linked quote, at the same percentages.',
  codes: ['AMOUNT_DIFFERS'],
  night: 1,
  wants: { kind: 'purchase', linking: 'linked', fiatEur: [300, 1500] },
  figures: (quoted, decimals) => scaled(quoted, decimals, 13n, 10n),
};

/** The network fee does not grow with the amount; everything else does. */
function scaled(quoted: Figures, decimals: number, numerator: bigint, denominator: bigint): Figures {
  const units = (quoted.units * numerator) / denominator;
  const factor = Number(units) / Number(quoted.units);
  const appliedFee = (quoted.appliedFee - quoted.networkFee) * factor + quoted.networkFee;
  return {
    ...quoted,
    units,
    fiatValue: tokensOf(units, decimals) * quoted.rate + appliedFee,
    baseFee: quoted.baseFee * factor,
    appliedFee,
    hostFeeCut: quoted.hostFeeCut === null ? null : quoted.hostFeeCut * factor,
  };
}

/**
 * The rate is lower by what was held back: with or without a fee and a rate in the body, the sale foots and its fee is
 * the promised one. One percent is ten times the tolerance, and still near the reference price.
 */
export const PAYOUT_SHORT: Defect = {
  name: 'payout-short',
  says: 'The user received 1 % less for the crypto of the linked quote.',
  codes: ['AMOUNT_DIFFERS'],
  night: 1,
  wants: { kind: 'sale', linking: 'linked', fiatEur: [100, 1500] },
  figures(quoted, decimals) {
    const fiatValue = quoted.fiatValue * 0.99;
    const rate = (fiatValue + quoted.appliedFee) / tokensOf(quoted.units, decimals);
    return { ...quoted, fiatValue, rate, rateEur: rate * quoted.fiatEur };
  },
};

/** These have a limit of 9,000 EUR of their own, below the global one of 15,000; their quotes bring it along. */
export const ABOVE_ASSET_LIMIT: Defect = {
  name: 'above-asset-limit',
  says: "Quoted and bought for a quarter more than the asset's own maximum.",
  codes: ['AMOUNT_OUT_OF_LIMITS'],
  night: 1,
  wants: {
    kind: 'purchase',
    linking: 'linked',
    api: 'v3',
    assets: ['ETH_USDC', 'ETH_USDT'],
    currencies: ['EUR', 'USD', 'GBP'],
    fiatEur: [11_200, 12_800],
  },
};

/**
 * Both rates alike, so that they do not contradict each other, and 1.2 % off the reference price, within what is
 * tolerated there. By card, the fee's share of the higher value stays inside its bounds.
 */
export const TOTAL_NOT_FOOTING: Defect = {
  name: 'total-not-footing',
  says: 'The rate is 1.2 % higher than the total allows.',
  codes: ['TOTAL_NOT_FOOTING'],
  night: 1,
  wants: { kind: 'purchase', linking: 'linked', methods: ['CARD_PAYMENT'], fiatEur: [60, 1500] },
  figures: (quoted) => ({ ...quoted, rate: quoted.rate * 1.012, rateEur: quoted.rateEur * 1.012 }),
};

export const RATES_CONTRADICT: Defect = {
  name: 'rates-contradict',
  says: 'The rate in EUR is 15 % higher than the rate in the fiat currency makes it.',
  codes: ['RATE_OUT_OF_LINE'],
  night: 1,
  wants: { kind: 'purchase', complete: true },
  figures: (quoted) => ({ ...quoted, rateEur: quoted.rateEur * 1.15 }),
};
