/**
 * Evidence from other sources than the Service: sightings of transactions, the records that claim them, payouts, and
 * amounts that the app showed.
 */
import type { DeliveryFacts, NamedDelivery, Sighting, TxRef } from '../../domain/delivery.ts';
import type { UnexplainedMove } from '../../domain/one-sided.ts';
import type { AddedPayout, Payout, RunRevenue } from '../../domain/payout.ts';
import type { Instant } from '../../domain/record.ts';
import type { WitnessMarks } from '../../domain/run.ts';
import type { Fence } from './runs.ts';

/** A record's claim on a transaction. */
export interface NewClaim extends NamedDelivery {
  chain: string;
  txHash: string;
}

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

/** Moves of prices that no market explains, of the last days: what the test for one-sided slippage adds up. */
export interface MoveStore {
  /** A record that is known already gets the newer move. One transaction. @throws LeaseLostError */
  keep(fence: Fence, moves: readonly KeptMove[]): Promise<void>;
  /** Those that ended within the hours, in pages: by market, then the shortest windows first. */
  pages(within: HourRange): AsyncIterable<readonly KeptMove[]>;
  /** Deletes those that ended before an hour. @throws LeaseLostError */
  forget(fence: Fence, before: number): Promise<void>;
}

/** Bodies as received, once for each content, without tokens. */
export interface EvidenceStore {
  /** Of these transactions, those whose newest sighting is not final; the others are never requested again. */
  unsettled(wanted: readonly TxRef[]): Promise<readonly TxRef[]>;
  /** One transaction. Claims that are known already are left out. @throws LeaseLostError */
  add(
    fence: Fence,
    found: { sightings: readonly { sighting: Sighting; evidence: string }[]; claims: readonly NewClaim[] },
  ): Promise<void>;
  /**
   * A sighting of nothing for each transaction of the chain whose newest one is final, so that the chain is asked again. Nothing is
   * deleted: runs that used a sighting are replayed with it. @param txHash null for all. Returns how many were forgotten.
   */
  forget(chain: string, txHash: string | null, reason: string, at: Instant): Promise<number>;
  /** The newest sighting of each transaction, and its claims, up to the marks; by `chain hash`, lower-cased where hexadecimal. */
  deliveries(wanted: readonly TxRef[], marks: WitnessMarks): Promise<ReadonlyMap<string, DeliveryFacts>>;
  /** Payments that are known already are left out. Returns how many were added. @param answers what witnesses of chains said of them */
  addPayouts(
    payouts: readonly Payout[],
    at: Instant,
    answers?: readonly { sha256: string; text: string }[],
  ): Promise<number>;
  /** In the order in which they were added. @param upTo the newest key that counts; all of them without */
  payouts(upTo?: number): Promise<readonly AddedPayout[]>;
  /** 0 where there is none. */
  newestPayout(): Promise<number>;
  /**
   * Stores the host's revenue for a run; the last one before judging counts. @throws LeaseLostError, UnknownRunError
   */
  keepRevenue(runId: string, fence: Fence, revenue: RunRevenue): Promise<void>;
  /** Null where the run has none. @throws UnknownRunError */
  revenueOf(runId: string): Promise<RunRevenue | null>;
  /** The newest of these runs with a revenue; null without one. */
  newestRevenue(runKeys: readonly number[]): Promise<number | null>;
  /** The stored answers by hash; null where there are none. */
  text(sha256: string): Promise<string | null>;
}
