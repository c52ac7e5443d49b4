/**
 * Transactions of an EVM chain that paid tokens to addresses, by their Transfer events. Coins leave no event: a payment in coins is
 * found by the id of its transaction alone.
 */
import { z } from 'zod';
import type { Instant } from '../../../domain/record.ts';
import type { Finder, Incoming } from '../../../ports/witness.ts';
import { lastUpTo } from '../absence.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { MOST_BLOCKS_A_DAY, MOST_NAMED } from '../plausible.ts';
import { blockAt, type Finality, finalBlock, hex } from './blocks.ts';
import { address, hash, TRANSFER } from './transfers.ts';

interface EvmFinderOptions {
  name: string;
  rpc: JsonRpc;
  finality: Finality;
}

/** Blocks asked for at once; an endpoint that refuses so many is asked for half. */
const SPAN = 10_000n;
const logs = z.array(z.object({ address, topics: z.array(hash).max(4), transactionHash: hash })).max(20_000);

const asTopic = (text: string) => `0x${text.slice(2).toLowerCase().padStart(64, '0')}`;

export function evmFinder({ name, rpc, finality }: EvmFinderOptions): Finder {
  return {
    name,
    find: async ({ addresses, contracts }, { from, to }, signal) => {
      const final = await finalBlock(rpc, finality, signal);
      if (typeof final === 'string') return { ok: false, reason: final };
      /** The first block from a time on; one more than the newest where there is none. */
      const firstFrom = async (time: Instant): Promise<bigint | string> => {
        const before = await lastUpTo(time - 1, [-1n, final.number], async (number) => {
          const read = await blockAt(rpc, hex(number), signal);
          return typeof read === 'string' ? read : read.time;
        });
        return typeof before === 'string' ? before : before + 1n;
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
