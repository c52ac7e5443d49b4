/** Everything that a record is computed from, fixed for the life of a sandbox. */

import type { SandboxOptions } from './contract.ts';
import type { Allocation } from './defects/index.ts';
import type { Market } from './market.ts';
import type { RecordIds } from './record-ids.ts';

/** What became of a month's share: paid in two parts, a fifth short, not at all, on a chain, or a tenth less there than stated. */
export type PayoutFate = 'paid' | 'short' | 'missing' | 'on-chain' | 'short-on-chain';

type Chosen = 'seed' | 'records' | 'days' | 'now' | 'identifierName' | 'bodies' | 'skims' | 'chains';

/** Sales name their escrow where there are chains, and bodies are as observed. */
export interface World extends Required<Pick<SandboxOptions, Chosen>> {
  market: Market;
  /** Whether prices float between a quote and its execution. */
  floats: boolean;
  ids: RecordIds;
  allocation: Allocation;
  /** Index of a purchase of a month that is over → what the partner paid for that month; empty without a statement. */
  paidByStatement: ReadonlyMap<number, PayoutFate>;
  /** Index of a record → its transaction on a local chain; empty without local chains. Payments to the host have indexes below 0. */
  transactions: Map<number, string>;
}

export const NIGHT_LENGTH = 86_400_000;
