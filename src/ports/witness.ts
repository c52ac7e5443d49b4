/** A witness: an endpoint of a chain that is independent of the Service. Implemented in src/evidence. */
import type { Sighting, Transfer } from '../domain/delivery.ts';
import type { Instant } from '../domain/record.ts';

/** One witness's answer about one transaction. `raw` is the answer as kept for evidence. */
export type Account =
  | {
      answer: 'found';
      succeeded: boolean;
      final: boolean;
      blockNumber: string;
      blockHash: string;
      blockTime: Instant;
      /** Known to every endpoint: the transaction's own value, and the events of tokens. */
      transfers: readonly Transfer[];
      /** Coins moved inside contract calls; null where the endpoint does not trace them. */
      inner: readonly Transfer[] | null;
      /** Time of the newest final block that the witness knows. */
      upTo: Instant;
      raw: unknown;
    }
  | { answer: 'pending'; upTo: Instant; raw: unknown }
  /** Proven: the witness has the history of that time and knows later blocks. */
  | { answer: 'missing'; upTo: Instant; raw: unknown }
  /** `isImplausible`: it said what no chain can say. */
  | { answer: 'none'; reason: string; raw: unknown; isImplausible?: true };

/** A transaction to check. */
export interface TxCheck {
  txHash: string;
  /** Earliest time of sending: a witness whose history does not reach back to it cannot answer "missing". */
  since: Instant;
  /** Due time of the delivery: a witness that knows no later block lags behind. */
  due: Instant;
  /** The chain's own coin is expected: it may have moved inside contract calls. */
  coins: boolean;
}

/** One endpoint of a chain, asked about transactions. */
export interface Witness {
  /** As configured; the only name of an endpoint in evidence, as its address may hold a key. */
  readonly name: string;
  /** Accounts in the order of the request. Throws for an abort, and where the answers are too much to be held; never for a failure. */
  look(wanted: readonly TxCheck[], signal: AbortSignal): Promise<readonly Account[]>;
}

/** The addresses of the host on a chain. */
export interface HostAddresses {
  addresses: readonly string[];
  /** Token contracts or mints. */
  contracts: readonly string[];
  /** The chain's own coin too, where endpoints can list its payments. */
  coins: boolean;
}

/** A transaction that moves something to or from a watched address. */
export interface Incoming {
  txHash: string;
  /** Sent by one of the addresses themselves: change, or a transfer between them. */
  isOwn: boolean;
  /** Of its block; null where the list does not say it. */
  at: Instant | null;
}

export type FinderResult =
  /** `upTo`: time of the newest final block that the endpoint knows. */
  { ok: true; incoming: readonly Incoming[]; upTo: Instant } | { ok: false; reason: string };

/**
 * Lists transactions of final blocks that may have paid some addresses, at least those in [from, to). A list proves nothing: see
 * Witness.
 */
export interface Finder {
  readonly name: string;
  /** Throws only for an abort, never for a failure of the endpoint. */
  find(watched: HostAddresses, span: { from: Instant; to: Instant }, signal: AbortSignal): Promise<FinderResult>;
}

/** The witnesses of one chain, and how many must agree. */
export interface WitnessSet {
  chain: string;
  witnesses: readonly Witness[];
  quorum: number;
}

/** A sighting with the answers behind it, ready to be stored. */
export interface SightingWithAnswers {
  sighting: Sighting;
  evidence: string;
  /** The endpoints whose answer no chain can have given. */
  implausible: readonly string[];
}
