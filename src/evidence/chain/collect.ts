/**
 * Asks the witnesses about the transactions that a run's records name, and stores what they agree on. A transaction that was
 * found in a final block is never asked for again: its evidence is kept from the first sighting on.
 */

import { contractOf } from '../../domain/asset.ts';
import { type DeliveryTerms, txName } from '../../domain/delivery.ts';
import { expectedTransaction, timesOf } from '../../domain/judge-delivery.ts';
import type { Instant, RecordPosition } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import { pagesOf } from '../../ports/store/pages.ts';
import type { EvidenceStore, Fence, NewClaim } from '../../ports/store/store.ts';
import type { TxCheck, WitnessSet } from '../../ports/witness.ts';
import { heardOf } from './hear.ts';

/** Transactions that are gathered before the chains are asked. */
const GATHERED = 500;

/** The newest body of a record, and since when the record has ended. */
export interface Seen {
  state: RecordState;
  receivedAt: Instant;
  /** When the record first said that it had ended; null where it had not before this run. */
  endedAt: Instant | null;
}

interface CollectEdges {
  witnessSets: ReadonlyMap<string, WitnessSet>;
  terms: DeliveryTerms;
  /** Verified records of the run, page by page in report order. */
  pages: (after: RecordPosition | null) => Promise<readonly (RecordPosition & { seen: Seen | null })[]>;
  evidence: Pick<EvidenceStore, 'unsettled' | 'add'>;
  now: () => Instant;
  signal: AbortSignal;
  heartbeat: () => Promise<void>;
}

interface Open extends TxCheck {
  chain: string;
}

/**
 * @returns how many answers no chain can have given, by endpoint and chain
 * @throws LeaseLostError; an abort ends it early, without error
 */
export async function collectDeliveries(fence: Fence, edges: CollectEdges): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const { witnessSets, evidence, signal } = edges;
  let open = new Map<string, Open>();
  const askAll = async () => {
    const waiting = [...open.values()];
    open = new Map();
    const still = new Set((await evidence.unsettled(waiting)).map(txName));
    const due = waiting.filter((each) => still.has(txName(each)));
    for (const [chain, wanted] of Map.groupBy(due, (each) => each.chain)) {
      const set = witnessSets.get(chain);
      if (set === undefined) continue;
      for await (const sightings of heardOf(set, wanted, edges)) {
        await evidence.add(fence, { sightings, claims: [] });
        await edges.heartbeat();
        for (const { implausible } of sightings)
          for (const name of implausible) counts.set(`${name} (${chain})`, (counts.get(`${name} (${chain})`) ?? 0) + 1);
      }
    }
  };
  for await (const page of pagesOf(edges.pages)) {
    if (signal.aborted) break;
    const claims: NewClaim[] = [];
    for (const { kind, recordId, seen } of page) {
      if (seen === null) continue;
      const expected = expectedTransaction(seen.state);
      if (expected === null || !witnessSets.has(expected.chain)) continue;
      const { chain, txHash, receiver } = expected;
      if (receiver === '') continue;
      const { asset, cryptoUnits: units, createdAt } = seen.state;
      claims.push({ kind, recordId, chain, txHash, receiver, asset: contractOf(asset), units, createdAt });
      const { since, due } = timesOf(seen.state, seen.endedAt, seen.receivedAt, edges.terms);
      note(open, { chain, txHash, since, due, coins: contractOf(asset) === null });
    }
    if (claims.length > 0) await evidence.add(fence, { sightings: [], claims });
    if (open.size >= GATHERED) await askAll();
  }
  await askAll();
  return counts;
}

/** Records that share a transaction ask for it once, for the needs of both. */
function note(open: Map<string, Open>, check: Open): void {
  const name = txName(check);
  const before = open.get(name);
  open.set(
    name,
    before === undefined
      ? check
      : {
          ...before,
          since: Math.min(before.since, check.since),
          due: Math.max(before.due, check.due),
          coins: before.coins || check.coins,
        },
  );
}
