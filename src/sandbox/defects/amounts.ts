/** Defects in the figures of a record: amounts, rates and fees. */
import { method } from '../payment-tables.ts';
import { type Figures, tokensOf } from '../pricing.ts';
import { type DefectShape, dated, RELEASED } from './defect.ts';

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

/** At and over 300 EUR the percentage is above the least fee for every method, so shares of cv are constant. */
const WELL_ABOVE_FLOOR = [300, 1500] as const;
/** The cheap methods leave room up to the published maximum of 3.9 %. */
const CHEAP = ['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER', 'PIX'] as const;

function cvOf(figures: Figures, decimals: number): number {
  return tokensOf(figures.units, decimals) * figures.rate;
}

/** The fee explains all of the total: what it prints may not come to less. */
function withFee(quoted: Figures, extra: bigint): Figures {
  const raised = (figure: number) => printedAtLeast(exactly(figure) + extra);
  const [fiatValue, baseFee, appliedFee] = [quoted.fiatValue, quoted.baseFee, quoted.appliedFee].map(raised);
  return { ...quoted, fiatValue: fiatValue ?? 0, baseFee: baseFee ?? 0, appliedFee: appliedFee ?? 0 };
}

export const AMOUNT_DEFECTS: Readonly<Record<string, DefectShape>> = {
  /** Above the least fee, fees are a constant share of the value: scaling keeps every share, and only the amount differs. */
  'amount-scaled': {
    says: 'The user takes 1.3 times the crypto of the linked quote, at the same percentages, as users do: no break is due.',
    codes: [],
    wants: { kind: 'purchase', linking: 'linked', fiatEur: [300, 1500] },
    figures: (quoted, decimals) => scaled(quoted, decimals, 13n, 10n),
  },
  /** The rate is lower by the amount held back: with or without a fee in the body, the sale foots and its fee is the promised one. */
  'payout-short': {
    observedOnly: true,
    says: 'The user received 9 % less for the crypto of the linked quote, at a market that stood still.',
    codes: ['SLIPPAGE'],
    wants: {
      kind: 'sale',
      linking: 'linked',
      fiatEur: [100, 1500],
      ageHours: [20, 90],
      statuses: ['RELEASED', 'RELEASED'],
    },
    figures(quoted, decimals) {
      const fiatValue = quoted.fiatValue * 0.91;
      const rate = (fiatValue + quoted.appliedFee) / tokensOf(quoted.units, decimals);
      return { ...quoted, fiatValue, rate, rateEur: rate * quoted.fiatEur };
    },
    // Without a time of its last change it could have been executed at any time since.
    body: dated,
  },
  /** These have a limit of 9,000 EUR of their own, below the global one of 15,000; their quotes bring it along. */
  'above-asset-limit': {
    says: "Quoted and bought for a quarter more than the asset's own maximum.",
    codes: ['AMOUNT_OUT_OF_LIMITS'],
    wants: {
      kind: 'purchase',
      linking: 'linked',
      api: 'v3',
      assets: ['ETH_USDC', 'ETH_USDT'],
      currencies: ['EUR', 'USD', 'GBP'],
      fiatEur: [11_200, 12_800],
    },
  },
  /**
   * Both rates alike, so that they do not contradict each other, and 1.2 % off the reference price, within what is
   * tolerated there. By card, the fee's share of the higher value stays inside its bounds.
   */
  'total-not-footing': {
    says: 'The rate is 1.2 % higher than the total allows.',
    codes: ['TOTAL_NOT_FOOTING'],
    wants: { kind: 'purchase', linking: 'linked', methods: ['CARD_PAYMENT'], fiatEur: [60, 1500] },
    figures: (quoted) => ({ ...quoted, rate: quoted.rate * 1.012, rateEur: quoted.rateEur * 1.012 }),
  },
  'rates-contradict': {
    says: 'The rate in EUR is 15 % higher than the rate in the fiat currency makes it.',
    codes: ['RATE_OUT_OF_LINE'],
    wants: { kind: 'purchase', complete: true },
    // Without `fiatExchangeRateEur`, only rates of a purchase in EUR can contradict each other.
    wantsInSpec: { currencies: ['EUR'] },
    figures: (quoted) => ({ ...quoted, rateEur: quoted.rateEur * 1.15 }),
  },
  /**
   * Total and crypto are as quoted and the base fee too; half a percent moved from the price into the fee, where it shows
   * as an adjustment. The total still foots because the rate is that much lower, in both currencies.
   */
  'hidden-markup': {
    says: 'The applied fee is 0.5 % of the value higher than quoted, at a rate that is as much lower.',
    codes: ['FEE_APPLIED_DIFFERS'],
    wants: { kind: 'purchase', linking: 'linked', methods: CHEAP, fiatEur: WELL_ABOVE_FLOOR },
    figures(quoted, decimals) {
      const cv = cvOf(quoted, decimals);
      const extra = cv * 0.005;
      const rate = (cv - extra) / tokensOf(quoted.units, decimals);
      return { ...quoted, rate, rateEur: rate * quoted.fiatEur, appliedFee: quoted.appliedFee + extra };
    },
  },
  /** The everyday overcharge: 1.5 % more in the base fee, and so in the applied fee and in the total. */
  overcharged: {
    says: 'The user paid 1.5 % more, all of it in the base fee.',
    codes: ['AMOUNT_DIFFERS', 'FEE_APPLIED_DIFFERS', 'FEE_BASE_DIFFERS'],
    wants: { kind: 'purchase', linking: 'linked', methods: CHEAP, fiatEur: WELL_ABOVE_FLOOR },
    figures: (quoted) => withFee(quoted, (exactly(quoted.fiatValue) * 15n) / 1000n),
  },
  /** Three records of a few days, in any currency: one cause, which the pages show as a group. */
  'bank-fee-raised': {
    times: 3,
    says: 'The base fee by bank transfer is 1 % of the value higher than quoted, and so are the applied fee and the total.',
    codes: ['AMOUNT_DIFFERS', 'FEE_APPLIED_DIFFERS', 'FEE_BASE_DIFFERS'],
    wants: { ...RELEASED, methods: ['MANUAL_BANK_TRANSFER'], fiatEur: WELL_ABOVE_FLOOR },
    figures: (quoted, decimals) => withFee(quoted, (exactly(cvOf(quoted, decimals)) * 10n) / 1000n),
  },
  'base-fee-moved': {
    says: 'The base fee is 30 % higher than quoted; the applied fee is the same.',
    codes: ['FEE_BASE_DIFFERS'],
    wants: { kind: 'purchase', linking: 'linked' },
    figures: (quoted) => ({ ...quoted, baseFee: quoted.baseFee * 1.3 }),
  },
  /**
   * On the dear chains 80 % of the network fee is over a euro. By card the service fee that is left of the applied fee
   * stays between the published minimum and maximum.
   */
  'network-fee-moved': {
    says: 'The network fee is 80 % higher than quoted; the applied fee is the same.',
    codes: ['FEE_NETWORK_DIFFERS'],
    // Soon after its creation: hours later a fee may be thrice the quoted one.
    wants: {
      ...RELEASED,
      assets: ['ETH_ETH', 'BTC_BTC', 'ETH_USDC'],
      methods: ['CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY'],
      fiatEur: [200, 1500],
    },
    figures: (quoted) => ({ ...quoted, networkFee: quoted.networkFee * 1.8 }),
  },
  /** Promised and charged alike, so no other code is due. Even with a promotion's fifth off it is over every ceiling. */
  'fee-above-maximum': {
    says: 'Quoted and charged at 9 % where 3.9 % is the published maximum.',
    codes: ['FEE_OUT_OF_BOUNDS'],
    wants: {
      kind: 'purchase',
      linking: 'linked',
      method: { ...method('onramp', 'CARD_PAYMENT'), percent: 9 },
      fiatEur: [120, 1500],
    },
  },
};

/**
 * Decimals as the texts of doubles name them, as whole numbers of 10^-30. A body carries doubles, and their sum may print a last
 * digit below the sum of what they print: at half a minor unit the two are then rounded to different sides.
 */
const PLACES = 30;

/** Of a figure that is not negative. */
function exactly(value: number): bigint {
  const [mantissa = '', exponent = '0'] = value.toString().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(PLACES + Number(exponent) - fraction.length);
}

/** The nearest double that does not print less. */
function printedAtLeast(value: bigint): number {
  const nearest = Number(`${value}e-${PLACES}`);
  return exactly(nearest) < value ? nearest * (1 + Number.EPSILON) : nearest;
}
