/** Claims: breaks raised with the Service's support. */
import type { Claim, ClaimEvent, ClaimItem, ClaimState } from '../../domain/claim.ts';

export interface ClaimStore {
  open(claim: Claim, items: readonly ClaimItem[], event: ClaimEvent): Promise<void>;
  /** By id or an unambiguous prefix. */
  get(claimId: string): Promise<Claim | null>;
  list(filter: { states?: readonly ClaimState[]; limit: number }): Promise<readonly Claim[]>;
  items(claimId: string): Promise<readonly ClaimItem[]>;
  events(claimId: string): Promise<readonly ClaimEvent[]>;
  /** The claims that break is in, by break id; claims that were rejected are left out. */
  ofBreaks(breakIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All or nothing. @throws ClaimMovedOnError where `expectedEvents` is not the number of its events */
  update(claim: Claim, items: readonly ClaimItem[], event: ClaimEvent, expectedEvents: number): Promise<void>;
}
