/**
 * A skim off every clean purchase of one market: too little to tell it from a move of the price on any of them, and on all together
 * no chance. A dollar token, whose own price hardly moves.
 */
import { identifierOf } from '../assets-catalogue.ts';
import type { MarketDue } from '../contract.ts';
import type { Figures } from '../pricing.ts';
import { planRecord, type RecordPlan, statusOn } from '../record-plan.ts';
import { NIGHT_LENGTH, type World } from '../world.ts';
import { delivering } from './market.ts';

const MARKET = { kind: 'purchase', asset: 'ETH_USDT', currency: 'EUR' } as const;
const SHARE = 0.007;
const HOUR = 3_600_000;
const DAYS_SEEN = 30;
/** Skims in so many hours must be found; fewer may be. */
const CERTAIN = 15;

type Traded = Pick<RecordPlan, 'kind' | 'asset' | 'currency' | 'defect' | 'floating'>;

export function isSkimmed({ kind, asset, currency, defect, floating }: Traded, { skims }: World): boolean {
  if (!skims || defect !== null || floating === null || kind !== MARKET.kind) return false;
  return currency.code === MARKET.currency && identifierOf(asset) === MARKET.asset;
}

/** Fewer tokens for the same money and fees. */
export function skimmed(own: Figures, { asset }: Pick<RecordPlan, 'asset'>): Figures {
  return delivering(own, asset.decimals, 1 - SHARE);
}

export function skimDue(world: World): readonly MarketDue[] {
  if (!world.skims) return [];
  const hours = new Set<number>();
  for (let index = 0; index < world.records; index++) {
    const plan = planRecord(world, index);
    const { floating } = plan;
    if (floating === null || !isSkimmed(plan, world) || statusOn(plan, 1, world).status !== 'RELEASED') continue;
    if (floating.settledAt > world.now + NIGHT_LENGTH - DAYS_SEEN * 24 * HOUR)
      hours.add(Math.floor(floating.settledAt / HOUR));
  }
  const code = 'SLIPPAGE_ONE_SIDED';
  const isCertain = hours.size >= CERTAIN;
  return [
    {
      kind: 'market',
      id: `${MARKET.asset}/${MARKET.currency}/onramp`,
      defect: 'skimmed-market',
      codes: isCertain ? [code] : [],
      ...(isCertain ? {} : { also: [code] }),
      figures: [],
      night: 1,
    },
  ];
}
