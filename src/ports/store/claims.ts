/** Claims: breaks raised with the Service's support. */
import type { BreakEvent } from '../../domain/break.ts';
import type { Claim, ClaimEvent, ClaimItem, ClaimState } from '../../domain/claim.ts';

/** As `BreakStore.append` takes it. */
type PersonsEvent = BreakEvent & { expectedEvents: number };

export interface ClaimStore {
  /** Stores a claim with the events that put breaks into it. @throws BreakMovedOnError */
  open(claim: Claim, items: readonly ClaimItem[], event: ClaimEvent, breaks: readonly PersonsEvent[]): Promise<void>;
  /** By id or an unambiguous prefix. */
  get(claimId: string): Promise<Claim | null>;
  list(filter: { states?: readonly ClaimState[]; limit: number }): Promise<readonly Claim[]>;
  items(claimId: string): Promise<readonly ClaimItem[]>;
  events(claimId: string): Promise<readonly ClaimEvent[]>;
  /** The claims that break is in, by break id; claims that were rejected are left out. */
  ofBreaks(breakIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All or nothing. @throws ClaimMovedOnError where `expectedEvents` is not the number of its events */
  update(
    claim: Claim,
    items: readonly ClaimItem[],
    event: ClaimEvent,
    expectedEvents: number,
    breaks: readonly PersonsEvent[],
  ): Promise<void>;
}
