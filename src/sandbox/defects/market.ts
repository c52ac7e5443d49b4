/** Defects that only a floating market makes: their records have the price of their own moment. */
import { type Figures, tokensOf } from '../pricing.ts';
import { type Conditions, type DefectShape, dated } from './defect.ts';

/** Paid by card well before the first night: between quote and execution are minutes. */
const BY_CARD = {
  kind: 'purchase',
  linking: 'linked',
  // Below the published maximum, so that less crypto for the same fee stays within it.
  methods: ['APPLE_PAY', 'GOOGLE_PAY'],
  currencies: ['EUR', 'GBP', 'USD'],
  fiatEur: [120, 1500],
  ageHours: [20, 90],
} as const satisfies Conditions;

const DEAR_CHAINS = ['ETH_ETH', 'BTC_BTC', 'ETH_USDC'] as const;

/** The same money at another price or fee: fewer units, and a rate that foots. */
export function delivering(own: Figures, decimals: number, share: number): Figures {
  const units = BigInt(Math.round(Number(own.units) * share));
  const rate = (own.fiatValue - own.appliedFee) / tokensOf(units, decimals);
  return { ...own, units, rate, rateEur: rate * own.fiatEur };
}

/** The network fee at a multiple, at the same price. */
function withNetworkFee(own: Figures, decimals: number, times: number): Figures {
  const extra = own.networkFee * (times - 1);
  const value = own.fiatValue - own.appliedFee;
  const dearer = { ...own, networkFee: own.networkFee + extra, appliedFee: own.appliedFee + extra };
  return delivering(dearer, decimals, (value - extra) / value);
}

export const MARKET_DEFECTS: Readonly<Record<string, DefectShape>> = {
  slippage: {
    says: 'The price is 8 % above the market at which the purchase was executed.',
    codes: ['SLIPPAGE'],
    // With a move of the market before it, it may be further from the price of the day than a rate may stray.
    also: ['RATE_OUT_OF_LINE'],
    wants: BY_CARD,
    floats: true,
    figures: (own, decimals) => delivering(own, decimals, 1 / 1.08),
  },
  'network-fee-doubled': {
    says: 'The network fee is more than twice the quoted one, and the applied fee is higher by that.',
    codes: ['FEE_NETWORK_DIFFERS', 'FEE_APPLIED_DIFFERS'],
    wants: { ...BY_CARD, assets: DEAR_CHAINS },
    floats: true,
    figures: (own, decimals) => withNetworkFee(own, decimals, 2.2),
  },
  'tokens-short': {
    says: '3 % fewer tokens than the stated price makes of the money.',
    codes: ['AMOUNT_DIFFERS', 'TOTAL_NOT_FOOTING'],
    wants: BY_CARD,
    floats: true,
    figures: (own) => ({ ...own, units: (own.units * 97n) / 100n }),
  },
  'slippage-of-sale': {
    says: 'The price is 8 % below the market at which the sale was executed.',
    codes: ['SLIPPAGE'],
    also: ['RATE_OUT_OF_LINE'],
    // The specification's sale does not say when it was executed.
    observedOnly: true,
    wants: {
      kind: 'sale',
      linking: 'linked',
      fiatEur: [120, 1500],
      ageHours: [20, 90],
      statuses: ['RELEASED', 'RELEASED'],
    },
    floats: true,
    body: dated,
    figures(own, decimals) {
      const rate = own.rate * 0.92;
      // The fee stays a share of what was sold.
      const appliedFee = own.appliedFee * 0.92;
      return {
        ...own,
        ...{ rate, appliedFee },
        rateEur: rate * own.fiatEur,
        fiatValue: tokensOf(own.units, decimals) * rate - appliedFee,
      };
    },
  },
  'fair-move': {
    says: 'The price moved by half a percent against the user, as prices do: no break is due.',
    codes: [],
    wants: BY_CARD,
    floats: true,
    figures: (own, decimals) => delivering(own, decimals, 1 / 1.005),
  },
  'fair-network-fee': {
    says: 'The network fee is a tenth higher than at that moment, as gas moves: no break is due.',
    codes: [],
    wants: { ...BY_CARD, assets: DEAR_CHAINS },
    floats: true,
    figures: (own, decimals) => withNetworkFee(own, decimals, 1.1),
  },
};
