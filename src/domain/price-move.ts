/** How far a price moved from a record's quote to its execution, and how much of that the market explains. Pure. */

import { Decimal } from './decimal.ts';
import type { Decomposition } from './decompose.ts';

/** All three as a share of the quoted price: 0.005 is half a percent up. */
export interface PriceMove {
  /** From the quoted price to the record's; the sign is the price's, not the user's. */
  move: Decimal;
  /** Null where no other price is known. */
  market: Decimal | null;
  /** The move less the market's; the whole move where the market's is not known. */
  unexplained: Decimal;
}

/** Digits of a share: a move of a millionth of a percent is none. */
const PLACES = 12;

/** @param seen the price that others saw at the execution, or null */
export function priceMove({ prices: { quoted, executed } }: Decomposition, seen: Decimal | null): PriceMove {
  const since = (price: Decimal) => price.minus(quoted).dividedBy(quoted, PLACES);
  const move = since(executed);
  const market = seen === null ? null : since(seen);
  return { move, market, unexplained: market === null ? move : move.minus(market) };
}

/** The middle of a range. */
export function middleOf({ low, high }: { low: Decimal; high: Decimal }): Decimal {
  return low.plus(high).times(HALF);
}

const HALF = Decimal.of(5n, 1);
