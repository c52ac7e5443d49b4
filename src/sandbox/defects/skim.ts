/**
 * A skim off every clean purchase of one market: too little to tell it from a move of the price on any of them, and on all together
 * no chance. A dollar token, whose own price hardly moves.
 */
import { identifierOf } from '../assets-catalogue.ts';
import type { MarketDue } from '../contract.ts';
import { type Figures, tokensOf } from '../pricing.ts';
import { planRecord, type RecordPlan, statusOn } from '../record-plan.ts';
import { NIGHT_LENGTH, type World } from '../world.ts';
import { delivering } from './market.ts';

const MARKET = { kind: 'purchase', asset: 'ETH_USDT', currency: 'EUR' } as const;
const SHARE = 0.007;
const HOUR = 3_600_000;
const DAYS_SEEN = 30;
/** Skims in so many hours must be found; fewer may be. */
const CERTAIN = 15;
/** The longest that a record of the price of its quote may take to be executed, but for slow banks. */
const EXECUTED_WITHIN = 8;

type Traded = Pick<RecordPlan, 'kind' | 'asset' | 'currency' | 'defect' | 'floating'>;

export function isSkimmed(plan: Traded, { skims }: World): boolean {
  return skims && plan.defect === null && plan.floating !== null && isOfMarket(plan);
}

function isOfMarket({ kind, asset, currency }: Traded): boolean {
  return kind === MARKET.kind && currency.code === MARKET.currency && identifierOf(asset) === MARKET.asset;
}

/** Fewer tokens for the same money and fees. */
export function skimmed(own: Figures, { asset }: Pick<RecordPlan, 'asset'>): Figures {
  return delivering(own, asset.decimals, 1 - SHARE);
}

export function skimDue(world: World): readonly MarketDue[] {
  if (!world.skims) return [];
  const hours = new Set<number>();
  // What the skim cost in all, and what users of the other records may have gained: only a loss of all together is due.
  let taken = 0;
  let gained = 0;
  for (let index = 0; index < world.records; index++) {
    const plan = planRecord(world, index);
    if (!isOfMarket(plan) || statusOn(plan, 1, world).status !== 'RELEASED') continue;
    const settledAt = plan.floating?.settledAt ?? plan.createdAt;
    if (settledAt <= world.now + NIGHT_LENGTH - DAYS_SEEN * 24 * HOUR) continue;
    const amount = 'fiat' in plan.asked ? plan.asked.fiat : tokensOf(plan.asked.units, plan.asset.decimals);
    if (isSkimmed(plan, world)) {
      hours.add(Math.floor(settledAt / HOUR));
      taken += SHARE * amount;
    } else gained += riseSince(plan, world) * amount;
  }
  const code = 'SLIPPAGE_ONE_SIDED';
  const isCertain = hours.size >= CERTAIN && taken > gained;
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

/** How much better than the market's a price is that stayed that of its quote: as a share, at the hour that is best for the user. */
function riseSince({ asset, capturedAt, createdAt }: RecordPlan, { market }: World): number {
  const priceAt = (at: number) => market.at(at).assetEur(asset);
  const hours = Array.from({ length: EXECUTED_WITHIN + 1 }, (_, hour) => priceAt(createdAt + hour * HOUR));
  return Math.max(0, Math.max(...hours) / priceAt(capturedAt) - 1);
}
