/**
 * Transactions of an EVM chain that paid tokens to addresses, by their Transfer events. Coins leave no event: a payment in coins is
 * found by the id of its transaction alone.
 */
import { z } from 'zod';
import type { Instant } from '../../../domain/record.ts';
import type { Finder, HostAddresses, Incoming } from '../../../ports/witness.ts';
import { lastUpTo, Unanswered } from '../absence.ts';
import { foundBy } from '../back-to.ts';
import type { JsonRpc, Rpc } from '../json-rpc.ts';
import { MOST_BLOCKS_A_DAY, MOST_NAMED } from '../plausible.ts';
import { blockAt, type Finality, finalBlock, hex } from './blocks.ts';
import { address, hash, TRANSFER } from './transfers.ts';

/** Blocks asked for at once; an endpoint that refuses so many is asked for half, and after some answers for more again. */
const SPAN = 10_000n;
const GROWS_AFTER = 16;
/** For the logs of one search. Two months of Ethereum take 46,000 from an endpoint that answers ten blocks at once. */
const MOST_REQUESTS = 100_000;
const logs = z.array(z.object({ address, topics: z.array(hash).max(4), transactionHash: hash })).max(20_000);

const asTopic = (text: string) => `0x${text.slice(2).toLowerCase().padStart(64, '0')}`;

export function evmFinder({ name, rpc, finality }: { name: string; rpc: JsonRpc; finality: Finality }): Finder {
  return {
    name,
    find: (watched, span, signal) => foundBy(paidWithin(rpc.under(signal), finality, watched, span)),
  };
}

async function paidWithin(
  rpc: Rpc,
  finality: Finality,
  { addresses, contracts }: HostAddresses,
  { from, to }: { from: Instant; to: Instant },
) {
  const final = await finalBlock(rpc, finality);
  /** The first block from a time on; one more than the newest where there is none. */
  const firstFrom = async (time: Instant): Promise<bigint> => {
    const timeAt = async (number: bigint) => (await blockAt(rpc, hex(number))).time;
    return (await lastUpTo(time - 1, [-1n, final.number], timeAt)) + 1n;
  };
  const [first, end] = [await firstFrom(from), await firstFrom(to)];
  const days = BigInt(Math.ceil((to - from) / 86_400_000));
  if (end - first > days * BigInt(MOST_BLOCKS_A_DAY))
    throw new Unanswered('has more blocks than a chain makes in that time');
  const topics = [TRANSFER, null, addresses.map(asTopic)];
  const own = new Set(addresses.map(asTopic));
  const found: Incoming[] = [];
  let [asked, answered, span] = [0, 0, SPAN];
  for (let low = first; contracts.length > 0 && low < end; ) {
    if (asked++ === MOST_REQUESTS)
      throw new Unanswered(
        `answers too few blocks at once: not all were looked through after ${MOST_REQUESTS} requests`,
      );
    const high = low + span < end ? low + span - 1n : end - 1n;
    const range = { fromBlock: hex(low), toBlock: hex(high), address: contracts, topics };
    const answer = await rpc.call('eth_getLogs', [range]);
    const read = answer.ok ? logs.safeParse(answer.result).data : undefined;
    if (read === undefined) {
      if (low === high) throw new Unanswered(answer.ok ? 'answered eth_getLogs with something else' : answer.reason);
      [answered, span] = [0, (high - low + 1n) / 2n];
      continue;
    }
    for (const { transactionHash, topics: of } of read)
      found.push({ txHash: transactionHash.toLowerCase(), isOwn: own.has((of[1] ?? '').toLowerCase()), at: null });
    if (found.length > MOST_NAMED) throw new Unanswered(`names more than ${MOST_NAMED} transfers`);
    low = high + 1n;
    if (++answered % GROWS_AFTER === 0 && span < SPAN) span *= 2n;
  }
  return { incoming: found, upTo: final.time };
}
