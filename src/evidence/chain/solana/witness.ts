/** A Solana endpoint as a witness: finalised transactions by JSON-RPC, with the blocks of their slots. */
import { z } from 'zod';
import { entryOf } from '../../../domain/entry-of.ts';
import type { Instant } from '../../../domain/record.ts';
import type { Account, TxCheck, Witness } from '../../../ports/witness.ts';
import { lastUpTo, none, orNone, orReason, provenAbsence, Unanswered } from '../absence.ts';
import type { Answer, JsonRpc, Rpc } from '../json-rpc.ts';
import { gainsOf, signature, slot, transaction, type WireTransaction } from './transfers.ts';

interface SolanaOptions {
  name: string;
  rpc: JsonRpc;
  /** Hash of the first block; null: not checked. */
  genesis: string | null;
}

const FINAL = { commitment: 'finalized' };
const FINALIZED = { ...FINAL, maxSupportedTransactionVersion: 0 };
const block = z.object({
  blockhash: z.string().min(32).max(44),
  blockTime: z.int().nullish(),
  signatures: z.array(signature).max(100_000).optional(),
});
type Block = z.infer<typeof block>;
const statuses = z.object({
  value: z.array(z.object({ slot, confirmationStatus: z.string().nullish() }).nullable()),
});

/** The most signatures that getSignatureStatuses takes. */
const STATUSES = 256;
/** Slots without transactions that are passed over when a control transaction is looked for. */
const CONTROL_STEPS = 64;

interface Head {
  slot: number;
  time: Instant;
}

export function solanaWitness({ name, rpc, genesis }: SolanaOptions): Witness {
  async function headOf({ read }: Rpc): Promise<Head> {
    if (genesis !== null && (await read(z.string(), 'getGenesisHash', [])) !== genesis)
      throw new Unanswered('is an endpoint of another chain than the one configured');
    const newest = await read(slot, 'getSlot', [FINAL]);
    return { slot: newest, time: (await read(z.int(), 'getBlockTime', [newest])) * 1000 };
  }
  async function accountsOf(wanted: readonly TxCheck[], chain: Rpc): Promise<readonly Account[]> {
    const head = await headOf(chain);
    const asked = wanted.flatMap(({ txHash }) => (signature.safeParse(txHash).success ? [txHash] : []));
    const callOf = (txHash: string) => ({
      method: 'getTransaction',
      params: [txHash, { ...FINALIZED, encoding: 'json' }],
    });
    const answers = await chain.about(asked, callOf);
    const byHash = new Map([...answers].map(([txHash, answer]) => [txHash, readTransaction(txHash, answer)]));
    const absent = [...byHash].flatMap(([hash, each]) => (each === null ? [hash] : []));
    const found = [...byHash.values()].filter((each) => each !== null && 'tx' in each);
    const slots = [...new Set(found.map(({ tx }) => tx.slot))];
    const [blocks, without] = await Promise.all([
      chain.about(slots, (at) => blockAt(at, 'none')),
      withoutBlock(absent, head, chain),
    ]);
    const blockOf = new Map([...blocks].map(([at, answer]) => [at, readBlock(answer)]));
    // The searches of several hours begin with the same slots.
    const searched = new Map<number, ReturnType<typeof timeFrom>>();
    const once = (from: number) => entryOf(searched, from, () => timeFrom(from, chain));
    const newest = { time: head.time, is: 'final block' } as const;
    const silent = provenAbsence(newest, (since) => proveHistory(since, head, once, chain));
    const account = async (check: TxCheck): Promise<Account> => {
      const { txHash } = check;
      const each = byHash.get(txHash);
      if (each === undefined) return none('was not asked: the record names no signature of this chain');
      if (each !== null) return 'tx' in each ? settled(each, blockOf.get(each.tx.slot), head) : each;
      const status = without.get(txHash) ?? none('gave no answer');
      return status.answer === 'missing' ? silent(status, check) : status;
    };
    return Promise.all(wanted.map(account));
  }
  return { name, look: (wanted, signal) => orNone(wanted, accountsOf(wanted, rpc.under(signal))) };
}

const blockAt = (at: number, transactionDetails: 'none' | 'signatures') => ({
  method: 'getBlock',
  params: [at, { ...FINALIZED, encoding: 'json', transactionDetails, rewards: false }],
});

/** Proof that the endpoint keeps the history of that time: it must know a transaction of a block of that time. @throws Unanswered */
async function proveHistory(
  since: Instant,
  head: Head,
  timeFrom: (slot: number) => Promise<Instant | null>,
  { read, calls }: Rpc,
): Promise<void> {
  const lost = (): never => {
    throw new Unanswered('does not have the blocks of that time: it is pruned');
  };
  const unknown = (): never => {
    throw new Unanswered('does not know the transactions of that time: it is pruned');
  };
  const first = await orReason(read(slot, 'getFirstAvailableBlock', []), lost);
  const low = await lastUpTo(since, [BigInt(first), BigInt(head.slot)], async (at) => {
    return (await orReason(timeFrom(Number(at)), lost)) ?? Number.POSITIVE_INFINITY;
  });
  for (let at = Number(low), steps = 0; at >= first && steps < CONTROL_STEPS; at--, steps++) {
    const [answer] = await calls([blockAt(at, 'signatures')]);
    const held = answer?.ok === true ? block.safeParse(answer.result).data : undefined;
    if (held === undefined) continue;
    const { blockTime, signatures = [] } = held;
    const [control] = signatures;
    // The first block that is kept may be younger than the release.
    if (blockTime === null || blockTime === undefined || blockTime * 1000 > since) return lost();
    if (control === undefined) continue;
    const known = await orReason(
      read(transaction, 'getTransaction', [control, { ...FINALIZED, encoding: 'json' }]),
      unknown,
    );
    return known.transaction.signatures.includes(control) ? undefined : unknown();
  }
  throw new Unanswered('has no transaction of that time to be checked by');
}

/** Time of the first block from a slot on; slots without a block are passed over. Null where there is none. @throws Unanswered */
async function timeFrom(from: number, { read }: Rpc): Promise<Instant | null> {
  const [at] = await orReason(read(z.array(slot).max(1), 'getBlocksWithLimit', [from, 1, FINAL]), () => []);
  return at === undefined ? null : (await read(z.int(), 'getBlockTime', [at])) * 1000;
}

/** For those that `getTransaction` answers with null: `pending`, `missing` by the status alone, or the reason for neither. */
async function withoutBlock(hashes: readonly string[], head: Head, { read }: Rpc): Promise<Map<string, Account>> {
  const found = new Map<string, Account>();
  for (let from = 0; from < hashes.length; from += STATUSES) {
    const part = hashes.slice(from, from + STATUSES);
    const params = [part, { searchTransactionHistory: true }];
    const answer = await orReason(read(statuses, 'getSignatureStatuses', params), none);
    for (const [i, hash] of part.entries())
      found.set(hash, 'answer' in answer ? answer : ofStatus(answer.value[i], head));
  }
  return found;
}

function ofStatus(
  status: { confirmationStatus?: string | null | undefined } | null | undefined,
  { time: upTo }: Head,
): Account {
  const raw = { transaction: null, status: status ?? null };
  if (status === undefined) return none('gave no status', raw);
  if (status === null) return { answer: 'missing', upTo, raw };
  return status.confirmationStatus === 'finalized'
    ? none('knows that the transaction is final, and not what it did: it is pruned', raw)
    : { answer: 'pending', upTo, raw };
}

type FoundTransaction = { tx: WireTransaction; raw: unknown } | Extract<Account, { answer: 'none' }>;

/** Null where the endpoint knows no such transaction in a final block. */
function readTransaction(txHash: string, answer: Answer): FoundTransaction | null {
  if (!answer.ok) return none(answer.reason);
  if (answer.result === null || answer.result === undefined) return null;
  const raw = { transaction: answer.result };
  const tx = transaction.safeParse(answer.result);
  if (!tx.success) return none('answered with something that is no transaction');
  if (tx.data.transaction.signatures[0] !== txHash) return none('answered with another transaction', raw);
  return { tx: tx.data, raw };
}

function readBlock(answer: Answer): Block | string {
  if (!answer.ok) return answer.reason;
  const read = block.safeParse(answer.result);
  return read.success ? read.data : 'does not have the block of the transaction';
}

function settled(
  { tx, raw }: Extract<FoundTransaction, { tx: unknown }>,
  held: Block | string | undefined,
  head: Head,
): Account {
  const kept = { ...(raw as object), block: typeof held === 'string' ? null : (held ?? null) };
  if (held === undefined || typeof held === 'string') return none(held ?? 'gave no block', kept);
  const seconds = held.blockTime ?? tx.blockTime;
  if (seconds === null || seconds === undefined) return none('does not say when the block was made', kept);
  if (tx.blockTime !== null && tx.blockTime !== undefined && tx.blockTime !== seconds)
    return none('gives the transaction another time than its block', kept);
  const succeeded = tx.meta.err === null;
  const transfers = succeeded ? gainsOf(tx) : [];
  if (transfers === null) return none('has balances that do not belong to the accounts', kept);
  return {
    answer: 'found',
    succeeded,
    // The endpoint was asked for final ones only; the slot of the head may come from a slower machine behind it.
    final: true,
    blockNumber: String(tx.slot),
    blockHash: held.blockhash,
    blockTime: seconds * 1000,
    transfers,
    inner: [],
    upTo: Math.max(head.time, seconds * 1000),
    raw: kept,
  };
}
