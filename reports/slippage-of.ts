/** The prices and effects of one record, as the rows of `slippage.csv` have them. */
import type { Decomposition } from '../src/domain/decompose.ts';
import { seenByAny, sourcesInWords } from '../src/domain/market.ts';
import { middleOf, type PriceMove, priceMove } from '../src/domain/price-move.ts';
import type { SettledRecord } from '../src/ports/settled.ts';

export interface Slippage extends Decomposition, PriceMove {
  /** `3 quotes, 1 listing`; `none`. */
  source: string;
}

/** Null where the price is not fixed yet, or quote or record has none. */
export function slippageOf(record: SettledRecord): Slippage | null {
  const { decomposed, market, executed } = record;
  if (decomposed === null || typeof decomposed === 'string' || executed === 'not executed yet') return null;
  const seen = seenByAny(market.prices);
  const move = priceMove(decomposed, seen === null ? null : middleOf(seen));
  return { ...decomposed, ...move, source: sourcesInWords(market.prices) };
}
