/** An EVM endpoint as a witness: transactions and receipts, their blocks, and traces where it offers them. */
import type { Transfer } from '../../../domain/delivery.ts';
import { entryOf } from '../../../domain/entry-of.ts';
import type { Instant } from '../../../domain/record.ts';
import type { Account, TxCheck, Witness } from '../../../ports/witness.ts';
import { lastUpTo, none, orNone, orReason, provenAbsence, Unanswered } from '../absence.ts';
import type { Answer, JsonRpc, Rpc } from '../json-rpc.ts';
import { type Block, blockAt, type Finality, finalBlock, hex, readBlock } from './blocks.ts';
import {
  hash,
  hasOwnLogs,
  loggedTransfers,
  quantity,
  receipt,
  runsCode,
  tracedByCalls,
  tracedByList,
  transaction,
  type WireReceipt,
  type WireTransaction,
} from './transfers.ts';

interface EvmOptions {
  name: string;
  rpc: JsonRpc;
  /** Null: not checked. */
  chainId: number | null;
  /** `finalized` by the chain's own rule (Ethereum and its rollups), or a number of blocks on top. */
  finality: Finality;
  /** How coins moved inside contract calls are asked for. */
  trace: 'debug' | 'trace' | 'off';
}

const NOT_ASKED = none('was not asked: the record names no transaction hash of this chain');

/** Blocks without transactions that are passed over when a control transaction is looked for. */
const CONTROL_STEPS = 64;

export function evmWitness({ name, rpc, chainId, finality, trace }: EvmOptions): Witness {
  async function headOf(chain: Rpc): Promise<Block> {
    if (chainId !== null) {
      const answer = await chain.call('eth_chainId', []);
      if (!answer.ok) throw new Unanswered(answer.reason);
      const id = quantity.safeParse(answer.result).data;
      if (id === undefined || BigInt(id) !== BigInt(chainId))
        throw new Unanswered(`is an endpoint of another chain than ${chainId}`);
    }
    return finalBlock(chain, finality);
  }
  /** The canonical blocks by number; a text says why one could not be read. */
  async function blocksOf(numbers: readonly string[], { about }: Rpc): Promise<ReadonlyMap<string, Block | string>> {
    const callOf = (number: string) => ({ method: 'eth_getBlockByNumber', params: [number, false] });
    const answers = await about([...new Set(numbers)], callOf);
    return new Map([...answers].map(([number, answer]) => [number, readNumbered(number, answer)]));
  }
  /** Coins moved inside calls, by transaction; absent where they could not be traced. */
  async function innerOf(hashes: readonly string[], { about }: Rpc): Promise<ReadonlyMap<string, readonly Transfer[]>> {
    if (trace === 'off') return new Map();
    const callOf = (hash: string) =>
      trace === 'debug'
        ? { method: 'debug_traceTransaction', params: [hash, { tracer: 'callTracer' }] }
        : { method: 'trace_transaction', params: [hash] };
    const read = trace === 'debug' ? tracedByCalls : tracedByList;
    const found = new Map<string, readonly Transfer[]>();
    for (const [hash, answer] of await about(hashes, callOf)) {
      const transfers = answer.ok ? read(answer.result) : null;
      if (transfers !== null) found.set(hash, transfers);
    }
    return found;
  }
  async function accountsOf(wanted: readonly TxCheck[], chain: Rpc): Promise<readonly Account[]> {
    const head = await headOf(chain);
    // One malformed call may cost the answers to its whole batch.
    const named = wanted.filter(({ txHash }) => hash.safeParse(txHash).success);
    const answers = await chain.calls(
      named.flatMap(({ txHash }) => [
        { method: 'eth_getTransactionByHash', params: [txHash] },
        { method: 'eth_getTransactionReceipt', params: [txHash] },
      ]),
    );
    const pairs = new Map(
      named.map(({ txHash }, i) => [txHash, readPair(txHash, chainId, answers[2 * i], answers[2 * i + 1])]),
    );
    const read = wanted.map(({ txHash }) => pairs.get(txHash) ?? NOT_ASKED);
    const inBlocks = read.flatMap((each) => ('receipt' in each ? [each.receipt.blockNumber] : []));
    const withCoins = read.flatMap((each, i) =>
      'receipt' in each && wanted[i]?.coins === true && runsCode(each.tx) ? [each.tx.hash] : [],
    );
    const [blocks, traced] = await Promise.all([blocksOf(inBlocks, chain), innerOf(withCoins, chain)]);
    // The searches of several hours begin with the same blocks.
    const searched = new Map<bigint, Promise<Block>>();
    const once = (number: bigint) => entryOf(searched, number, () => blockAt(chain, hex(number)));
    const absent = provenAbsence({ time: head.time, is: 'block' }, (since) => proveHistory(since, head, once, chain));
    const account = async (each: (typeof read)[number], check: TxCheck): Promise<Account> => {
      if (!('receipt' in each)) {
        if (each.answer === 'none') return each;
        if (each.answer === 'pending') return { ...each, upTo: head.time };
        return absent({ ...each, upTo: head.time }, check);
      }
      const canonical = blocks.get(each.receipt.blockNumber) ?? 'gave no block';
      if (typeof canonical === 'string') return none(canonical, each.raw);
      if (canonical.hash.toLowerCase() !== each.receipt.blockHash.toLowerCase())
        return none('names a block that is not in its chain any more: it was reorganised', each.raw);
      if (!canonical.transactions.some((named) => String(named).toLowerCase() === each.tx.hash.toLowerCase()))
        return none('names a block that does not have the transaction', each.raw);
      const number = BigInt(each.receipt.blockNumber);
      const inner = runsCode(each.tx) ? (traced.get(each.tx.hash) ?? null) : [];
      const { status } = each.receipt;
      if (status === null || status === undefined)
        return none('does not say whether the transaction succeeded', each.raw);
      return {
        answer: 'found',
        succeeded: BigInt(status) === 1n,
        final: number <= head.number,
        blockNumber: number.toString(),
        blockHash: canonical.hash.toLowerCase(),
        blockTime: canonical.time,
        transfers: loggedTransfers(each.tx, each.receipt),
        inner,
        upTo: head.time,
        raw: each.raw,
      };
    };
    return Promise.all(read.map((each, i) => account(each, wanted[i] as TxCheck)));
  }
  return { name, look: (wanted, signal) => orNone(wanted, accountsOf(wanted, rpc.under(signal))) };
}

/**
 * Proof that the endpoint indexes transactions of that time: it must know one that is in a block of that time. A pruned
 * node answers `null` for all of them, exactly as for a transaction that never was. @throws Unanswered
 */
async function proveHistory(
  since: Instant,
  head: Block,
  blockOf: (number: bigint) => Promise<Block>,
  { call }: Rpc,
): Promise<void> {
  const heldAt = (number: bigint) =>
    orReason(blockOf(number), (): never => {
      throw new Unanswered('does not have the blocks of that time');
    });
  const low = await lastUpTo(since, [0n, head.number], async (number) => (await heldAt(number)).time);
  for (let number = low, steps = 0; number >= 0n && steps < CONTROL_STEPS; number--, steps++) {
    const [control] = (await heldAt(number)).transactions;
    if (typeof control !== 'string') continue;
    const answer = await call('eth_getTransactionByHash', [control]);
    if (answer.ok && transaction.safeParse(answer.result).success) return;
    throw new Unanswered('does not know the transactions of that time: it is pruned');
  }
  throw new Unanswered('has no transaction of that time to be checked by');
}

function readNumbered(number: string, answer: Answer): Block | string {
  if (!answer.ok) return answer.reason;
  const read = readBlock(answer.result);
  return read?.number === BigInt(number) ? read : `answered with another block than ${BigInt(number)}`;
}

type Pair =
  | { tx: WireTransaction; receipt: WireReceipt; raw: unknown }
  | { answer: 'pending' | 'missing'; raw: unknown }
  | Extract<Account, { answer: 'none' }>;

function readPair(txHash: string, chainId: number | null, first: Answer | undefined, second: Answer | undefined): Pair {
  if (first === undefined || second === undefined) return none('gave no answer');
  if (!first.ok) return none(first.reason);
  if (!second.ok) return none(second.reason);
  const raw = { transaction: first.result, receipt: second.result };
  const hasReceipt = second.result !== null && second.result !== undefined;
  if (first.result === null || first.result === undefined)
    return hasReceipt ? none('has a receipt without its transaction', raw) : { answer: 'missing', raw };
  const tx = transaction.safeParse(first.result).data;
  if (tx === undefined) return none('answered with something that is no transaction');
  const named = BigInt(tx.chainId ?? 0);
  const isOfChain = chainId === null || named === 0n || named === BigInt(chainId);
  if (tx.hash.toLowerCase() !== txHash.toLowerCase() || !isOfChain)
    return none('answered with another transaction', raw);
  if (tx.blockHash === null || tx.blockHash === undefined)
    return hasReceipt ? none('has a receipt for a transaction in no block', raw) : { answer: 'pending', raw };
  const read = receipt.safeParse(second.result).data;
  if (read === undefined) return none('has no receipt for a transaction in a block');
  const same =
    read.transactionHash.toLowerCase() === txHash.toLowerCase() &&
    read.blockHash.toLowerCase() === tx.blockHash.toLowerCase();
  if (!same) return none('has a receipt of another transaction or block', raw);
  return hasOwnLogs(read) ? { tx, receipt: read, raw } : none('has a receipt with events of other transactions', raw);
}
