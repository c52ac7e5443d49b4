/**
 * A release is a promise that crypto reaches an address within a time: the promised delivery, and what the chain shows
 * of it.
 */
import type { Asset } from './asset.ts';
import type { Instant, RecordPosition } from './record.ts';

/** One movement of value in a transaction. */
export interface Transfer {
  to: string;
  /** Token contract or mint; null for the chain's own coin. */
  asset: string | null;
  /** In the smallest unit of the asset; never negative. */
  units: bigint;
}

/** What the witnesses of a chain agree on about one transaction at one time. */
export interface Sighting {
  chain: string;
  txHash: string;
  /**
   * `found`: in a block. `pending`: known, in no block yet. `missing`: every witness that was heard has the history of that time
   * and does not know it. `unverified`: no answer that a quorum stands behind; `reason` says why.
   */
  seen: 'found' | 'pending' | 'missing' | 'unverified';
  reason: string | null;
  /** Found only: false where the chain executed it and reverted its effects. */
  succeeded: boolean;
  /** Found only: its block cannot be reorganised any more by the rule of its chain. */
  final: boolean;
  blockNumber: string | null;
  blockTime: Instant | null;
  transfers: readonly Transfer[];
  /** False where coins may have moved inside contract calls that no witness could trace. */
  complete: boolean;
  /** How many witnesses agree on it. */
  witnesses: number;
  at: Instant;
  /** Time of the newest final block that all agreeing witnesses know; absent where none agree. */
  upTo?: Instant | null;
  /** SHA-256 of the answers of all witnesses, as stored. */
  sha256: string;
}

/** No answer that counts; the reason is the caller's. */
export const NOTHING_SEEN = {
  seen: 'unverified',
  reason: null,
  succeeded: false,
  final: false,
  blockNumber: null,
  blockTime: null,
  transfers: [],
  complete: false,
  witnesses: 0,
} as const satisfies Partial<Sighting>;

/** A record that names a transaction as its delivery. */
export interface NamedDelivery extends RecordPosition {
  receiver: string;
  asset: string | null;
  /** That the record promises. */
  units: bigint;
  createdAt: Instant | null;
}

/** Evidence from other sources than the Service about one record's delivery. */
export interface DeliveryFacts {
  /** Null where the chain has not been asked. */
  sighting: Sighting | null;
  /** All claims on the transaction, the record's own among them, in the order in which outputs are given to them. */
  claims: readonly NamedDelivery[];
}

/** How deliveries are judged; frozen into a run. */
export interface DeliveryTerms {
  /** Chains with endpoints. */
  chains: readonly string[];
  /** Milliseconds from release to delivery: by asset (`ETH_USDC`), by chain, and `default`. */
  within: Readonly<Record<string, number>>;
}

/** The end of the break code: `DELIVERY_NOT_FOUND`. */
export type DeliveryProblem =
  | 'NOT_FOUND'
  | 'REVERTED'
  | 'TO_OTHER_ADDRESS'
  | 'OF_OTHER_ASSET'
  | 'AMOUNT_DIFFERS'
  | 'LATE'
  | 'NOT_FINAL'
  | 'REUSED';

/** What became of the promise of one released purchase. */
export interface Delivery {
  outcome: 'met' | 'late' | 'broken' | 'unverified';
  problem: DeliveryProblem | null;
  /** In words; null where it is met. */
  reason: string | null;
  chain: string;
  txHash: string;
  asset: Asset;
  /** The tokens of the record. */
  expectedUnits: bigint;
  /** To the receiver, of the asset; null where that is not known. */
  deliveredUnits: bigint | null;
  releasedAt: Instant;
  /** The release and the time that the asset has (`DeliveryTerms.within`). */
  due: Instant;
  /** REUSED: the record that the output belongs to. */
  claimedBy: NamedDelivery | null;
  sighting: Sighting | null;
}

/** A transaction; hashes of different chains are never compared. */
export interface TxRef {
  chain: string;
  txHash: string;
}

/** The name of a transaction: hexadecimal hashes mean the same in both cases, base58 ones do not. */
export function txName({ chain, txHash }: TxRef): string {
  const isHex = /^(?:0x)?[0-9a-fA-F]+$/.test(txHash);
  return `${chain} ${isHex ? txHash.toLowerCase() : txHash}`;
}
