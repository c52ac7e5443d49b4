/**
 * Defects just beyond a tolerance, and near-misses just inside: with a tolerance that is a tenth wider or narrower, a
 * judge misses a break or raises a false alarm. The tolerances are those of the published defaults: one minor unit, a quarter of a
 * network fee, and for the two rates of a record a thousandth.
 */
import type { DueFigures } from '../contract.ts';
import { type Figures, tokensOf } from '../pricing.ts';
import { type Conditions, type DefectShape, RELEASED } from './defect.ts';

/** Of currencies with cents, which all of these want. */
const MINOR_UNIT = 0.01;
const RATES_APART = 0.001;
const NETWORK_FEE_APART = 0.25;
/** Shares of the tolerance: just more is a break, just less is none. */
export const [BEYOND, INSIDE] = [1.1, 0.9];

export const ALLOWED = MINOR_UNIT;

/** Linked purchases in currencies with cents; by the cheap methods the fee stays between its bounds. */
export const PURCHASE = {
  kind: 'purchase',
  linking: 'linked',
  currencies: ['EUR', 'GBP', 'USD'],
  methods: ['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER'],
  fiatEur: [300, 1500],
} as const satisfies Conditions;

/** The fee is higher by `extra`, and the rate as much lower: the total is as quoted. */
export function withMarkup(quoted: Figures, tokens: number, extra: number): Figures {
  const rate = quoted.rate - extra / tokens;
  return { ...quoted, rate, rateEur: rate * quoted.fiatEur, appliedFee: quoted.appliedFee + extra };
}

/** `share` of the tolerance: 1.1 is a break, 0.9 is none. */
interface Edge {
  says: string;
  code: string;
  wants: Conditions;
  wantsInSpec?: Conditions;
  figures: (share: number) => NonNullable<DefectShape['figures']>;
}

const EDGES: Readonly<Record<string, Edge>> = {
  'applied-fee': {
    says: 'The applied fee is higher than quoted, at a rate that is as much lower,',
    code: 'FEE_APPLIED_DIFFERS',
    // Elsewhere the published minimum fee moves with the exchange rate. A v3 quote has its network fee in the asset, whose conversion has room of its own.
    wants: { ...PURCHASE, currencies: ['EUR'], api: 'v1' },
    figures: (share) => (quoted, decimals) => withMarkup(quoted, tokensOf(quoted.units, decimals), share * ALLOWED),
  },
  'base-fee': {
    says: 'The base fee is higher than quoted, and the applied fee is the same,',
    code: 'FEE_BASE_DIFFERS',
    wants: { ...PURCHASE, currencies: ['EUR'] },
    figures: (share) => (quoted) => ({ ...quoted, baseFee: quoted.baseFee + share * ALLOWED }),
  },
  'network-fee': {
    says: 'The network fee is higher than quoted, and the applied fee is the same,',
    code: 'FEE_NETWORK_DIFFERS',
    // A v3 quote has its network fee in the asset, which is converted.
    wants: { ...PURCHASE, ...RELEASED, api: 'v1', assets: ['ETH_ETH', 'BTC_BTC', 'ETH_USDC'] },
    figures: (share) => (quoted) => ({
      ...quoted,
      networkFee: quoted.networkFee * (1 + share * NETWORK_FEE_APART),
    }),
  },
  total: {
    says: 'The rate is higher than the total allows,',
    code: 'TOTAL_NOT_FOOTING',
    wants: PURCHASE,
    figures: (share) => (quoted, decimals) => {
      const rate = quoted.rate + (share * MINOR_UNIT) / tokensOf(quoted.units, decimals);
      return { ...quoted, rate, rateEur: rate * quoted.fiatEur };
    },
  },
  rates: {
    says: 'The rate in EUR is higher than the rate in the fiat currency makes it,',
    code: 'RATE_OUT_OF_LINE',
    wants: { kind: 'purchase', complete: true },
    // Without `fiatExchangeRateEur`, only rates of a purchase in EUR can contradict each other.
    wantsInSpec: { currencies: ['EUR'] },
    figures: (share) => (quoted) => ({ ...quoted, rateEur: quoted.rateEur * (1 + share * RATES_APART) }),
  },
};

/** In pairs: just beyond the tolerance, and just inside. */
export const AT_THE_EDGE: Readonly<Record<string, DefectShape>> = Object.fromEntries(
  Object.entries(EDGES).flatMap(([name, { says, code, figures, ...rest }]) => [
    [
      `${name}-just-beyond`,
      { says: `${says} by a tenth more than is tolerated.`, codes: [code], ...rest, figures: figures(BEYOND) },
    ],
    [
      `${name}-just-inside`,
      {
        says: `${says} by a tenth less than is tolerated: no break is due.`,
        codes: [],
        ...rest,
        figures: figures(INSIDE),
      },
    ],
  ]),
);

/** The figures of the codes that are due for a record's own figures; empty where they follow from no figure of the record. */
export function dueFigures(
  kind: 'purchase' | 'sale',
  codes: readonly string[],
  quoted: Figures,
  own: Figures,
  decimals: number,
): readonly DueFigures[] {
  // With another amount of crypto, fees and totals are compared as shares.
  if (own.units !== quoted.units) return [];
  const money = (code: string, expected: number, actual: number, loss: number | null): DueFigures[] =>
    codes.includes(code) && expected !== actual ? [{ code, expected, actual, unit: 'money', loss }] : [];
  const cv = tokensOf(own.units, decimals) * own.rate;
  const footed = kind === 'purchase' ? cv + own.appliedFee : cv - own.appliedFee;
  const sign = kind === 'purchase' ? 1 : -1;
  return [
    ...money('FEE_APPLIED_DIFFERS', quoted.appliedFee, own.appliedFee, own.appliedFee - quoted.appliedFee),
    ...money('FEE_BASE_DIFFERS', quoted.baseFee, own.baseFee, null),
    ...money('FEE_NETWORK_DIFFERS', quoted.networkFee, own.networkFee, null).map((due) => ({
      ...due,
      // A quarter more than was published would be no break.
      expectedUpTo: own.networkFee / 1.25,
    })),
    ...money(
      'AMOUNT_DIFFERS',
      quoted.fiatValue,
      own.fiatValue,
      // Of a total that is higher by its fee, the fee is the loss.
      own.appliedFee === quoted.appliedFee ? sign * (own.fiatValue - quoted.fiatValue) : null,
    ),
    ...money('TOTAL_NOT_FOOTING', footed, own.fiatValue, sign * (own.fiatValue - footed)),
    ...(codes.includes('RATE_OUT_OF_LINE') && own.rateEur !== quoted.rateEur
      ? [
          {
            code: 'RATE_OUT_OF_LINE',
            expected: own.rate * own.fiatEur,
            actual: own.rateEur,
            unit: 'rate' as const,
            loss: null,
          },
        ]
      : []),
  ];
}
