/**
 * Transactions of an EVM chain that paid tokens to addresses, by their Transfer events. Coins leave no event: a payment in coins is
 * found by the id of its transaction alone.
 */
import { z } from 'zod';
import type { Instant } from '../../../domain/record.ts';
import type { Finder, Incoming } from '../../../ports/witness.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { MOST_BLOCKS_A_DAY, MOST_NAMED } from '../plausible.ts';
import { address, hash, quantity } from './transfers.ts';

interface EvmFinderOptions {
  name: string;
  rpc: JsonRpc;
  finality: 'finalized' | number;
}

/** Blocks asked for at once; an endpoint that refuses so many is asked for half. */
const SPAN = 10_000n;
/** keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const block = z.object({ number: quantity, timestamp: quantity });
const logs = z.array(z.object({ address, topics: z.array(hash).max(4), transactionHash: hash })).max(20_000);

const hex = (value: bigint) => `0x${value.toString(16)}`;
const asTopic = (text: string) => `0x${text.slice(2).toLowerCase().padStart(64, '0')}`;

export function evmFinder({ name, rpc, finality }: EvmFinderOptions): Finder {
  return {
    name,
    find: async ({ addresses, contracts }, { from, to }, signal) => {
      const blockAt = async (tag: string): Promise<{ number: bigint; time: Instant } | string> => {
        const answer = await rpc.call('eth_getBlockByNumber', [tag, false], signal);
        if (!answer.ok) return answer.reason;
        const read = block.safeParse(answer.result);
        if (!read.success) return `has no block ${tag}`;
        return { number: BigInt(read.data.number), time: Number(BigInt(read.data.timestamp)) * 1000 };
      };
      const newest = await blockAt(finality === 'finalized' ? 'finalized' : 'latest');
      if (typeof newest === 'string') return { ok: false, reason: newest };
      const final =
        finality === 'finalized' || newest.number < BigInt(finality)
          ? newest
          : await blockAt(hex(newest.number - BigInt(finality)));
      if (typeof final === 'string') return { ok: false, reason: final };
      /** The first block from a time on; one more than the newest where there is none. */
      const firstFrom = async (time: Instant): Promise<bigint | string> => {
        let [low, high] = [0n, final.number + 1n];
        while (low < high) {
          const middle = (low + high) / 2n;
          const read = await blockAt(hex(middle));
          if (typeof read === 'string') return read;
          if (read.time < time) low = middle + 1n;
          else high = middle;
        }
        return low;
      };
      const [first, end] = [await firstFrom(from), await firstFrom(to)];
      if (typeof first === 'string') return { ok: false, reason: first };
      if (typeof end === 'string') return { ok: false, reason: end };
      const days = BigInt(Math.ceil((to - from) / 86_400_000));
      if (end - first > days * BigInt(MOST_BLOCKS_A_DAY))
        return { ok: false, reason: 'has more blocks than a chain makes in that time' };
      const topics = [TRANSFER, null, addresses.map(asTopic)];
      const own = new Set(addresses.map(asTopic));
      const found: Incoming[] = [];
      const scan = async (low: bigint, high: bigint): Promise<string | null> => {
        const range = { fromBlock: hex(low), toBlock: hex(high), address: contracts, topics };
        const answer = await rpc.call('eth_getLogs', [range], signal);
        const read = answer.ok ? logs.safeParse(answer.result) : null;
        if (read?.success === true) {
          for (const each of read.data)
            found.push({ txHash: each.transactionHash.toLowerCase(), isOwn: own.has(each.topics[1] ?? ''), at: null });
          return found.length > MOST_NAMED ? `names more than ${MOST_NAMED} transfers` : null;
        }
        if (low === high) return answer.ok ? 'answered eth_getLogs with something else' : answer.reason;
        const middle = (low + high) / 2n;
        return (await scan(low, middle)) ?? scan(middle + 1n, high);
      };
      for (let low = first; contracts.length > 0 && low < end; low += SPAN) {
        const high = low + SPAN < end ? low + SPAN - 1n : end - 1n;
        const reason = await scan(low, high);
        if (reason !== null) return { ok: false, reason };
      }
      return { ok: true, incoming: found, upTo: final.time };
    },
  };
}
