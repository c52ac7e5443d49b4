/** Everything that a record is computed from, fixed for the life of a sandbox. */

import type { Bodies, SandboxInstant } from './contract.ts';
import type { Allocation } from './defects/index.ts';
import type { Market } from './market.ts';
import type { RecordIds } from './record-ids.ts';

/** What became of a month's share: paid in two parts, a fifth short, not at all, on a chain, or a tenth less there than stated. */
export type PayoutFate = 'paid' | 'short' | 'missing' | 'on-chain' | 'short-on-chain';

export interface World {
  seed: number;
  records: number;
  days: number;
  /** The instant of the first night. */
  now: SandboxInstant;
  identifierName: string;
  bodies: Bodies;
  market: Market;
  /** Whether prices float between a quote and its execution. */
  floats: boolean;
  /** Whether the purchases of one market are skimmed. */
  skims: boolean;
  ids: RecordIds;
  allocation: Allocation;
  /** Index of a purchase of a month that is over → what the partner paid for that month; empty without a statement. */
  paidByStatement: ReadonlyMap<number, PayoutFate>;
  /** Whether deliveries are made on local chains: sales then name their escrow, where bodies are as observed. */
  chains: boolean;
  /** Index of a record → its transaction on a local chain; empty without local chains. Payments to the host have indexes below 0. */
  transactions: Map<number, string>;
}

export const NIGHT_LENGTH = 86_400_000;
