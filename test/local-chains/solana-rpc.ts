/** Solana's JSON-RPC over a local chain, and the payouts of a population on it. */

import type { Payment } from '../../src/sandbox/local-chains.ts';
import { Draws } from '../../src/sandbox/random.ts';
import { type RpcCall, type Served, serveJsonRpc } from './loopback.ts';
import { batchesOf, HOUR, paidUnits } from './payments.ts';
import { SolanaChain, type SolanaOutput, type SolanaTransaction, tokenAccount } from './solana-chain.ts';

const LAMPORTS = 9_000_000_000_000_000n;
/** A transaction has 1,232 bytes. */
const MOST_COINS = 16;
const MOST_TOKENS = 8;
const STREAM = 45;
const STRANGER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const LOOK_ALIKE = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R';

interface LocalSolana {
  chain: SolanaChain;
  /** Known, and in no final block. */
  unfinished: ReadonlySet<string>;
}

type Answer = (call: RpcCall, ask: () => unknown) => unknown;

/** @param answer changes answers: for an endpoint that lags, lies or is pruned */
export function serveSolana(local: LocalSolana, answer: Answer = (_call, ask) => ask()): Promise<Served> {
  return serveJsonRpc(async (call) => answer(call, () => answerTo(local, call)));
}

function answerTo({ chain, unfinished }: LocalSolana, { method, params }: RpcCall): unknown {
  const [first, second] = params;
  const { blocks } = chain;
  const held = () => {
    const found = blocks[firstFrom(blocks, Number(first))];
    if (found === undefined || found.slot !== first)
      throw new Error(`Slot ${String(first)} was skipped, or missing in long-term storage`);
    return found;
  };
  switch (method) {
    case 'getGenesisHash':
      return blocks[0]?.blockhash;
    case 'getSlot':
      return blocks.at(-1)?.slot;
    case 'getFirstAvailableBlock':
      return blocks[0]?.slot;
    case 'getBlockTime':
      return held().blockTime;
    case 'getBlocksWithLimit': {
      const from = firstFrom(blocks, Number(first));
      return blocks.slice(from, from + Number(second)).map(({ slot }) => slot);
    }
    case 'getBlock': {
      const { slot, signatures, ...block } = held();
      const wanted = (second as { transactionDetails?: string }).transactionDetails;
      return { ...block, parentSlot: slot - 1, ...(wanted === 'signatures' ? { signatures } : {}) };
    }
    case 'getTransaction': {
      const found = chain.transactions.get(String(first));
      return found === undefined || unfinished.has(found.signature) ? null : bodyOf(found);
    }
    case 'getSignatureStatuses':
      return {
        context: { slot: blocks.at(-1)?.slot },
        value: (first as string[]).map((each) => {
          const found = chain.transactions.get(each);
          if (found === undefined) return null;
          const confirmationStatus = unfinished.has(each) ? 'confirmed' : 'finalized';
          return { slot: found.slot, confirmations: null, err: found.meta.err, confirmationStatus };
        }),
      };
    case 'getSignaturesForAddress': {
      const { limit, before } = second as { limit: number; before?: string };
      const all = [...chain.transactions.values()].reverse().filter((each) => isListed(each, String(first)));
      const from = before === undefined ? 0 : all.findIndex((each) => each.signature === before) + 1;
      return all
        .filter((each) => !unfinished.has(each.signature))
        .slice(from, from + limit)
        .map(({ signature, slot, blockTime, meta }) => ({ signature, slot, blockTime, err: meta.err }));
    }
    case 'getTokenAccountsByOwner': {
      const { mint } = second as { mint: string };
      const account = tokenAccount(String(first), mint);
      const isThere = [...chain.transactions.values()].some((each) => isListed(each, account));
      return { context: { slot: blocks.at(-1)?.slot }, value: isThere ? [{ pubkey: account }] : [] };
    }
    default:
      throw new Error(`Method not found: ${method}`);
  }
}

const isListed = ({ accountKeys }: SolanaTransaction, address: string) => accountKeys.includes(address);

/** Place of the first block from a slot on. */
function firstFrom(blocks: readonly { slot: number }[], slot: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.slot ?? 0) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bodyOf({ signature, slot, blockTime, accountKeys, recentBlockhash, meta }: SolanaTransaction): object {
  const message = { accountKeys, header: { numRequiredSignatures: 1 }, recentBlockhash, instructions: [] };
  return { slot, blockTime, meta, transaction: { signatures: [signature], message }, version: 'legacy' };
}

/** Blocks come hourly, and with each payout. */
export function payOnSolana(
  payments: readonly Payment[],
  { since, until }: { since: number; until: number },
  hashes: Map<number, string>,
): LocalSolana {
  const chain = new SolanaChain(since, LAMPORTS);
  const alone = ({ fault }: Payment) => fault === 'reverted' || fault === 'missing' || fault === 'pending';
  const settled = payments.filter((each) => !alone(each));
  const coins = settled.filter(({ contract }) => contract === null);
  const tokens = settled.filter(({ contract }) => contract !== null);
  const made = [
    ...batchesOf(coins, MOST_COINS, () => 'coins').map(({ batch }) => ({ batch, fails: false })),
    ...batchesOf(tokens, MOST_TOKENS, () => 'tokens').map(({ batch }) => ({ batch, fails: false })),
    ...payments.filter(({ fault }) => fault === 'reverted').map((each) => ({ batch: [each], fails: true })),
  ]
    .map((each) => ({ ...each, at: Math.max(...each.batch.map(({ at }) => at)) }))
    .sort((a, b) => a.at - b.at);
  const filler = (at: number) => chain.pay([{ to: STRANGER, mint: null, decimals: 9, units: 1n }], at);
  let hour = since + HOUR;
  const goOnTo = (at: number) => {
    for (; hour < at; hour += HOUR) filler(hour);
  };
  for (const { at, batch, fails } of made) {
    goOnTo(at);
    const signature = chain.pay(batch.map(outputOf), at, fails);
    for (const { index } of batch) hashes.set(index, signature);
  }
  goOnTo(Math.max(until, hour) + 24 * HOUR);
  const unfinished = new Set<string>();
  for (const payment of payments) {
    const { index, fault } = payment;
    if (fault === 'missing') hashes.set(index, new Draws(index, since % 1_000_000, STREAM).base58(88));
    if (fault !== 'pending') continue;
    const signature = chain.pay([outputOf(payment)], hour);
    hashes.set(index, signature);
    unfinished.add(signature);
  }
  return { chain, unfinished };
}

function outputOf(payment: Payment): SolanaOutput {
  const { fault, to, contract } = payment;
  return {
    to: fault === 'stranger' ? STRANGER : to,
    mint: fault === 'look-alike' ? LOOK_ALIKE : contract,
    decimals: contract === null ? 9 : 6,
    units: paidUnits(payment),
  };
}
