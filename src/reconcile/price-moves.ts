/**
 * The moves of a run's prices that no market explains, kept by record; and the markets whose moves of the last 30 days lie on one side.
 */
import { assetIdentifier } from '../domain/asset.ts';
import { decompose } from '../domain/decompose.ts';
import { executionOf } from '../domain/execution.ts';
import { MovesOfMarket, SHARE_PLACES } from '../domain/one-sided.ts';
import { middleOf, priceMove } from '../domain/price-move.ts';
import { directionOf, type Instant } from '../domain/record.ts';
import type { OneSidedMarket } from '../domain/survey.ts';
import type { HourRange, KeptMove, MoveStore } from '../ports/store/store.ts';
import type { BuiltCase } from './build-cases.ts';

const HOUR = 3_600_000;
const HOURS_JUDGED = 30 * 24;

/**
 * Null where the price is not fixed, or quote and record do not tell both prices and the hours between them. Only other quotes are the
 * market here: they have the Service's margin as the record's own quote has, which listings may not.
 */
export function moveOf(built: BuiltCase): KeptMove | null {
  const { recordKey, kind, observation, quote, market } = built;
  const window = executionOf(built);
  if (observation.outcome !== 'verified' || quote === null || typeof window === 'string') return null;
  const { state } = observation.snapshot;
  const decomposed = decompose(state, quote, null);
  if (typeof decomposed === 'string') return null;
  const { prices } = decomposed;
  const seen = market.prices.quotes;
  const { unexplained } = priceMove(decomposed, seen === null ? null : middleOf(seen));
  const share = (kind === 'purchase' ? unexplained : unexplained.negated()).rounded(SHARE_PLACES);
  // Without a known market price, the move since the quote includes the market's own.
  const from = seen === null ? Math.min(window.from, quote.quote.capturedAt) : window.from;
  return {
    recordKey,
    market: `${assetIdentifier(state.asset)}/${state.fiatCurrency}/${directionOf(kind)}`,
    fromHour: Math.floor(from / HOUR),
    toHour: Math.floor(window.to / HOUR),
    share: share.unscaled * 10n ** BigInt(SHARE_PLACES - share.scale),
    // The value was converted at the executed price: so much of it is what the move of the quoted one cost, as `price_effect` has it.
    loss: share.times(decomposed.converted).times(prices.quoted).dividedBy(prices.executed, SHARE_PLACES),
  };
}

/**
 * The hours whose moves a run judges: those of 30 days. They end with the run itself, which also reads records that were created after its business
 * date; a run of a missed date ends a day after that.
 */
export function hoursJudged({ asOf, startedAt }: { asOf: Instant; startedAt: Instant }): HourRange {
  const to = Math.floor(Math.min(startedAt, asOf + 24 * HOUR) / HOUR);
  return { from: to - HOURS_JUDGED + 1, to };
}

/** One pass over the moves, market by market. */
export async function oneSidedMarkets(moves: MoveStore, hours: HourRange): Promise<readonly OneSidedMarket[]> {
  const found: OneSidedMarket[] = [];
  let market: string | null = null;
  let sum = new MovesOfMarket();
  const end = () => {
    const { isOneSided, mean, low, high, loss, ...counts } = sum.side();
    if (!isOneSided || market === null) return;
    found.push({ market, ...counts, mean: `${mean}`, low: `${low}`, high: `${high}`, loss: `${loss}` });
  };
  for await (const page of moves.pages(hours)) {
    for (const move of page) {
      if (move.market !== market) {
        end();
        sum = new MovesOfMarket();
        market = move.market;
      }
      sum.add(move);
    }
  }
  end();
  return found;
}
