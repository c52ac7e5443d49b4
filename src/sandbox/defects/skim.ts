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
/** What a price moved by less is too near to none. */
const NOTICED = 0.0005;
/** Only what chance does as rarely as this must be found, half as often as a test asks for; the rest may be. */
const CHANCE = 1 / 4000;
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
  const trades: Trade[] = [];
  // What the skim cost in all, and what users of the other records may have gained: only a loss of all together is due.
  let taken = 0;
  let gained = 0;
  for (let index = 0; index < world.records; index++) {
    const plan = planRecord(world, index);
    if (!isOfMarket(plan) || statusOn(plan, 1, world).status !== 'RELEASED') continue;
    const settledAt = plan.floating?.settledAt ?? plan.createdAt;
    if (settledAt <= world.now + NIGHT_LENGTH - DAYS_SEEN * 24 * HOUR) continue;
    const amount = 'fiat' in plan.asked ? plan.asked.fiat : tokensOf(plan.asked.units, plan.asset.decimals);
    const isTaken = isSkimmed(plan, world);
    const against = SHARE + moveUntil(settledAt, plan, world);
    trades.push({ from: plan.capturedAt, to: settledAt, isAgainst: isTaken && against > NOTICED });
    if (isTaken) taken += SHARE * amount;
    else gained += riseSince(plan, world) * amount;
  }
  const code = 'SLIPPAGE_ONE_SIDED';
  const isCertain = chanceOf(trades) <= CHANCE && taken > gained;
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

/** From the quote to the execution; whether the price moved against the user. */
interface Trade {
  from: number;
  to: number;
  isAgainst: boolean;
}

/** The chance that of as many fair coins no more show the other side. Trades of the same hours tell one story: the shorter ones stand for all of them. */
function chanceOf(trades: readonly Trade[]): number {
  const told = new Set<number>();
  let [coins, others] = [0, 0];
  for (const { from, to, isAgainst } of trades.toSorted((a, b) => a.to - a.from - (b.to - b.from))) {
    const first = Math.floor(from / HOUR);
    const hours = Array.from({ length: Math.floor(to / HOUR) - first + 1 }, (_, n) => first + n);
    if (hours.some((hour) => told.has(hour))) continue;
    for (const hour of hours) told.add(hour);
    coins++;
    if (!isAgainst) others++;
  }
  let ways = 1;
  let sum = 0;
  for (let few = 0; few <= others; few++) {
    sum += ways;
    ways = (ways * (coins - few)) / (few + 1);
  }
  return sum / 2 ** coins;
}

/** How far the market's price moved since the quote, as a share. */
function moveUntil(at: number, { asset, capturedAt }: RecordPlan, { market }: World): number {
  return market.at(at).assetEur(asset) / market.at(capturedAt).assetEur(asset) - 1;
}

/** How much better than the market's a price is that stayed that of its quote: as a share, at the hour that is best for the user. */
function riseSince({ asset, capturedAt, createdAt }: RecordPlan, { market }: World): number {
  const priceAt = (at: number) => market.at(at).assetEur(asset);
  const hours = Array.from({ length: EXECUTED_WITHIN + 1 }, (_, hour) => priceAt(createdAt + hour * HOUR));
  return Math.max(0, Math.max(...hours) / priceAt(capturedAt) - 1);
}
