/** What is wrong with the planted records: a change of material size, and the codes that would name it. */
import Big from 'big.js';
import type { Deal } from './pricing.ts';

export interface Defect {
  name: string;
  kind: 'purchase' | 'sale';
  /** One of these is due. */
  due: readonly string[];
  /** Others that may speak of it too. */
  also: readonly string[];
  /** On a chain whose network fee is worth reading. */
  dearNetwork?: true;
  /** Its payment arrives between the two nights. */
  unpaidOnFirstNight?: true;
  /** A sale whose body states rate and fee; absent: one whose body states neither. */
  states?: true;
  /** Seen only where a body or a webhook says when it was executed: in a day a coin moves as far. */
  dated?: true;
  /** The promise itself, where that is wrong. */
  figures?: (deal: Deal, decimals: number) => Deal;
  /** The body on a night, 1 or 2. */
  body?: (body: Record<string, unknown>, night: number) => Record<string, unknown>;
}

const worth = ({ fiat, applied }: Deal) => fiat.minus(applied);
const unitsFor = (deal: Deal, value: Big, decimals: number) =>
  value.div(deal.rate).times(new Big(10).pow(decimals)).round(0, 0);

const withFees = (deal: Deal, decimals: number, more: Partial<Pick<Deal, 'base' | 'network'>>, applied: Big): Deal => {
  const changed = { ...deal, ...more, applied };
  return { ...changed, units: unitsFor(changed, worth(changed), decimals) };
};

const halfOf = (text: string) => `${text.slice(0, 6)}${[...text.slice(6)].reverse().join('')}`;

export const DEFECTS: readonly Defect[] = [
  {
    name: 'a price 6 % above the market',
    kind: 'purchase',
    due: ['SLIPPAGE'],
    also: ['RATE_OUT_OF_LINE'],
    figures: (deal, decimals) => {
      const dear = { ...deal, rate: deal.rate.times(1.06) };
      return { ...dear, units: unitsFor(dear, worth(dear), decimals) };
    },
  },
  {
    name: 'a base fee 2 % of the value higher',
    kind: 'purchase',
    due: ['FEE_BASE_DIFFERS', 'FEE_APPLIED_DIFFERS'],
    also: ['FEE_OUT_OF_BOUNDS'],
    figures: (deal, decimals) => {
      const more = worth(deal).times(0.02).round(2);
      return withFees(deal, decimals, { base: deal.base.plus(more) }, deal.applied.plus(more));
    },
  },
  {
    name: 'three times the network fee',
    kind: 'purchase',
    due: ['FEE_NETWORK_DIFFERS'],
    also: ['FEE_APPLIED_DIFFERS', 'FEE_OUT_OF_BOUNDS'],
    dearNetwork: true,
    figures: (deal, decimals) => {
      const network = deal.network.times(3);
      return withFees(deal, decimals, { network }, deal.applied.plus(network).minus(deal.network));
    },
  },
  {
    name: '3 % of the tokens missing',
    kind: 'purchase',
    due: ['AMOUNT_DIFFERS'],
    also: ['TOTAL_NOT_FOOTING', 'SLIPPAGE', 'FEE_OUT_OF_BOUNDS'],
    figures: (deal) => ({ ...deal, units: deal.units.times(0.97).round(0, 0) }),
  },
  {
    name: '1 % of the value on top of both fees',
    kind: 'purchase',
    due: ['FEE_APPLIED_DIFFERS'],
    also: ['FEE_OUT_OF_BOUNDS'],
    figures: (deal, decimals) => withFees(deal, decimals, {}, deal.applied.plus(worth(deal).times(0.01).round(2))),
  },
  {
    name: 'released without a transaction',
    kind: 'purchase',
    due: ['RELEASED_WITHOUT_TX'],
    also: [],
    body: (body) => ({ ...body, finalTxHash: null }),
  },
  {
    name: 'another address on the second night',
    kind: 'purchase',
    due: ['FIELD_CHANGED'],
    also: ['RECORD_CONTRADICTS_ITSELF'],
    unpaidOnFirstNight: true,
    body: (body, night) => (night === 1 ? body : { ...body, receiverAddress: halfOf(String(body.receiverAddress)) }),
  },
  {
    name: 'another fiat value on the second night',
    kind: 'purchase',
    due: ['FIELD_CHANGED', 'AMOUNT_DIFFERS'],
    also: ['FEE_BASE_DIFFERS', 'FEE_APPLIED_DIFFERS', 'TOTAL_NOT_FOOTING'],
    unpaidOnFirstNight: true,
    body: (body, night) => (night === 1 ? body : { ...body, fiatValue: Number(body.fiatValue) + 20 }),
  },
  {
    name: 'fewer tokens on the night after the release',
    kind: 'purchase',
    due: ['RESTATED', 'FIELD_CHANGED'],
    also: ['AMOUNT_DIFFERS', 'TOTAL_NOT_FOOTING', 'FEE_OUT_OF_BOUNDS'],
    body: (body, night) =>
      night === 1
        ? body
        : { ...body, cryptoAmount: new Big(String(body.cryptoAmount)).times(0.96).round(0, 0).toFixed(0) },
  },
  {
    name: 'unreadable',
    kind: 'purchase',
    due: ['SCHEMA_DRIFT'],
    also: [],
    body: ({ appliedFee: _, ...rest }) => rest,
  },
  {
    name: 'a price 6 % below the market',
    kind: 'sale',
    due: ['SLIPPAGE'],
    // Its fee is that of the true price, and no share of what was converted.
    also: ['RATE_OUT_OF_LINE', 'FEE_APPLIED_DIFFERS', 'FEE_BASE_DIFFERS'],
    states: true,
    figures: (deal, decimals) => {
      const rate = deal.rate.times(0.94);
      const fiat = deal.units.div(new Big(10).pow(decimals)).times(rate).minus(deal.applied).round(2);
      return { ...deal, rate, fiat };
    },
  },
  {
    name: '3 % of the payout missing at the stated rate',
    kind: 'sale',
    due: ['AMOUNT_DIFFERS'],
    also: ['TOTAL_NOT_FOOTING', 'SLIPPAGE', 'FEE_APPLIED_DIFFERS', 'FEE_BASE_DIFFERS'],
    states: true,
    figures: (deal) => ({ ...deal, fiat: deal.fiat.times(0.97).round(2) }),
  },
  {
    name: '7 % of the payout missing, nothing stated',
    dated: true,
    kind: 'sale',
    due: ['SLIPPAGE', 'AMOUNT_DIFFERS'],
    also: [],
    figures: (deal) => ({ ...deal, fiat: deal.fiat.times(0.93).round(2) }),
  },
  {
    name: 'three times the fee of a sale',
    kind: 'sale',
    due: ['FEE_APPLIED_DIFFERS'],
    also: ['FEE_BASE_DIFFERS'],
    states: true,
    figures: (deal) => {
      const applied = deal.applied.times(3).round(2);
      return { ...deal, base: applied, applied, fiat: deal.fiat.minus(applied).plus(deal.applied).round(2) };
    },
  },
];
