/** Moves of prices that no market explains, of the last days: what the test for one-sided slippage adds up. */
import type { UnexplainedMove } from '../../domain/one-sided.ts';
import type { Fence } from './runs.ts';

/** @property market `ETH_USDC/EUR/onramp` */
export interface KeptMove extends UnexplainedMove {
  recordKey: number;
  market: string;
}

/** Hours since 1970, both included. */
export interface HourRange {
  from: number;
  to: number;
}

export interface MoveStore {
  /** A record that is known already gets the newer move. One transaction. @throws LeaseLostError */
  keep(fence: Fence, moves: readonly KeptMove[]): Promise<void>;
  /** Those that ended within the hours, in pages: by market, then the shortest windows first. */
  pages(within: HourRange): AsyncIterable<readonly KeptMove[]>;
  /** Deletes those that ended before an hour. @throws LeaseLostError */
  forget(fence: Fence, before: number): Promise<void>;
}
