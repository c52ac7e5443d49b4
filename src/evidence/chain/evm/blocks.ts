/** Blocks of an EVM chain, as an endpoint has them. */
import { z } from 'zod';
import type { Instant } from '../../../domain/record.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { hash, quantity } from './transfers.ts';

/** `finalized` by the chain's own rule (Ethereum and its rollups), or a number of blocks on top. */
export type Finality = 'finalized' | number;

const block = z
  .object({ number: quantity, hash, timestamp: quantity, transactions: z.array(z.unknown()).max(100_000) })
  .transform(({ number, timestamp, ...rest }) => ({
    ...rest,
    number: BigInt(number),
    time: (Number(BigInt(timestamp)) * 1000) satisfies Instant,
  }));
export type Block = z.output<typeof block>;

export const hex = (value: bigint) => `0x${value.toString(16)}`;
export const readBlock = (result: unknown): Block | undefined => block.safeParse(result).data;

/** A text says why it could not be read. */
export async function blockAt(rpc: JsonRpc, tag: string, signal: AbortSignal): Promise<Block | string> {
  const answer = await rpc.call('eth_getBlockByNumber', [tag, false], signal);
  return answer.ok ? (readBlock(answer.result) ?? `has no block ${tag}`) : answer.reason;
}

/** The newest that is final. */
export async function finalBlock(rpc: JsonRpc, finality: Finality, signal: AbortSignal): Promise<Block | string> {
  const newest = await blockAt(rpc, finality === 'finalized' ? 'finalized' : 'latest', signal);
  if (typeof newest === 'string' || finality === 'finalized') return newest;
  const final = newest.number - BigInt(finality);
  return final < 0n ? 'has fewer blocks than it takes to be final' : blockAt(rpc, hex(final), signal);
}
