/**
 * An Esplora-compatible endpoint as a witness. What it says is checked where it can be: a transaction by its id, its place by
 * the merkle proof under the header, the header by its own hash and work, and its block by the chain's block of that height.
 */
import type { z } from 'zod';
import { entryOf } from '../../../domain/entry-of.ts';
import type { Instant } from '../../../domain/record.ts';
import type { Account, TxCheck, Witness } from '../../../ports/witness.ts';
import { lastUpTo, none, orNone, orReason, provenAbsence, Unanswered } from '../absence.ts';
import type { BitcoinFinderOptions } from './incoming.ts';
import {
  type Header,
  hash,
  idOf,
  isUnder,
  merkleProof,
  outputsOf,
  readHeader,
  transaction,
  type WireTransaction,
} from './transaction.ts';

interface BitcoinOptions extends BitcoinFinderOptions {
  /** Hash of the first block; null: not checked. */
  genesis: string | null;
}

/** The chain as the endpoint reports it during one batch of look-ups; no block is requested twice. What cannot be read throws Unanswered. */
function chainOf(endpoint: BitcoinOptions['endpoint'], signal: AbortSignal) {
  const blocks = new Map<number, Promise<Header>>();
  const text = async (path: string): Promise<string> => {
    const received = await endpoint.ask({ path, as: 'text' }, signal);
    if (!received.ok) throw new Unanswered(received.reason);
    if (typeof received.body !== 'string') throw new Unanswered('does not have the block');
    return received.body.trim();
  };
  const hashAt = async (height: number): Promise<string> => {
    const found = await text(`/block-height/${height}`);
    if (hash.safeParse(found).success) return found;
    throw new Unanswered(`answered with no block hash for height ${height}`);
  };
  const readAt = async (height: number): Promise<Header> => {
    const named = await hashAt(height);
    const header = readHeader(await text(`/block/${named}/header`));
    if (header?.hash === named) return header;
    throw new Unanswered(`answered with a header that is not of block ${height}`);
  };
  return {
    hashAt,
    tip: async (): Promise<number> => {
      const tip = await text('/blocks/tip/height');
      if (/^\d{1,9}$/.test(tip)) return Number(tip);
      throw new Unanswered('answered with no height');
    },
    /** The canonical block of a height. */
    at: (height: number): Promise<Header> => entryOf(blocks, height, () => readAt(height)),
    json: (path: string) => endpoint.ask({ path }, signal),
    /** The id of the first transaction of a block: every block has one. */
    firstOf: (blockHash: string) => text(`/block/${blockHash}/txid/0`),
  };
}
type Chain = ReturnType<typeof chainOf>;

interface Head {
  /** Height of the newest final block. */
  height: number;
  time: Instant;
}

export function bitcoinWitness({ name, endpoint, genesis, finality }: BitcoinOptions): Witness {
  async function headOf(chain: Chain): Promise<Head> {
    if (genesis !== null && (await chain.hashAt(0)) !== genesis.toLowerCase())
      throw new Unanswered('is an endpoint of another chain than the one configured');
    const height = (await chain.tip()) - finality;
    if (height < 0) throw new Unanswered('has fewer blocks than it takes to be final');
    return { height, time: (await chain.at(height)).time };
  }
  async function accountsOf(wanted: readonly TxCheck[], chain: Chain): Promise<readonly Account[]> {
    const head = await headOf(chain);
    const absent = provenAbsence({ time: head.time, is: 'final block' }, (since) => proveHistory(chain, since, head));
    const accounts = wanted.map(async (check): Promise<Account> => {
      const account = await accountOf(chain, check.txHash, head);
      return account.answer === 'missing' ? absent(account, check) : account;
    });
    return Promise.all(accounts);
  }
  return { name, look: (wanted, signal) => orNone(wanted, accountsOf(wanted, chainOf(endpoint, signal))) };
}

async function accountOf(chain: Chain, named: TxCheck['txHash'], head: Head): Promise<Account> {
  const txid = named.toLowerCase();
  if (!hash.safeParse(txid).success) return none('was not asked: the record names no transaction id of this chain');
  const received = await chain.json(`/tx/${txid}`);
  if (!received.ok) return none(received.reason);
  if (received.body === undefined) return { answer: 'missing', upTo: head.time, raw: { transaction: null } };
  const tx = readTransaction(received.body, txid);
  if (typeof tx === 'string') return none(tx, { transaction: received.body });
  const { confirmed, block_hash: blockHash, block_height: height } = tx.status;
  if (!confirmed) return { answer: 'pending', upTo: head.time, raw: { transaction: received.body } };
  if (blockHash === null || blockHash === undefined || height === null || height === undefined)
    return none('says confirmed, and names no block', { transaction: received.body });
  const transfers = outputsOf(tx);
  if (transfers === null) return none('names an address that its output does not pay', { transaction: received.body });
  const [proof, block] = await Promise.all([
    chain.json(`/tx/${txid}/merkle-proof`),
    orReason(chain.at(height), (reason) => reason),
  ]);
  const raw = {
    transaction: received.body,
    proof: proof.ok ? proof.body : null,
    header: typeof block === 'string' ? null : block.hash,
  };
  if (typeof block === 'string') return none(block, raw);
  if (block.hash !== blockHash) return none('names a block that is not in its chain any more: it was reorganised', raw);
  const gap = proofGap(proof, block, txid, height);
  if (gap !== null) return none(gap, raw);
  return {
    answer: 'found',
    succeeded: true,
    final: height <= head.height,
    blockNumber: String(height),
    blockHash,
    blockTime: block.time,
    transfers,
    inner: [],
    upTo: head.time,
    raw,
  };
}

function readTransaction(body: unknown, txid: string): WireTransaction | string {
  const read = transaction.safeParse(body);
  if (!read.success) return 'answered with something that is no transaction';
  if (read.data.txid !== txid) return 'answered with another transaction';
  return idOf(read.data) === txid ? read.data : 'answered with a transaction whose fields do not hash to its id';
}

function proofGap(
  received: Awaited<ReturnType<Chain['json']>>,
  block: Header,
  txid: string,
  height: number,
): string | null {
  if (!received.ok) return received.reason;
  const read = merkleProof.safeParse(received.body);
  if (!read.success) return 'has no merkle proof of the transaction';
  const proof: z.infer<typeof merkleProof> = read.data;
  return proof.block_height === height && isUnder(block, txid, proof)
    ? null
    : 'has a merkle proof that does not lead to the block';
}

/** Proof that the endpoint indexes that time: it must know the first transaction of a block of that time. @throws Unanswered */
async function proveHistory(chain: Chain, since: Instant, head: Head): Promise<void> {
  const lost = (): never => {
    throw new Unanswered('does not have the blocks of that time');
  };
  const firstThen = async () => {
    const low = await lastUpTo(since, [0n, BigInt(head.height)], async (at) => (await chain.at(Number(at))).time);
    return chain.firstOf((await chain.at(Number(low))).hash);
  };
  const control = await orReason(firstThen(), lost);
  if (!hash.safeParse(control).success) lost();
  const received = await chain.json(`/tx/${control}`);
  if (!received.ok || typeof readTransaction(received.body, control) === 'string')
    throw new Unanswered('does not know the transactions of that time: it is pruned');
}
