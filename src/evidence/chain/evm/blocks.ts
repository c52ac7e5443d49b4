/** Blocks of an EVM chain, as an endpoint has them. */
import { z } from 'zod';
import type { Instant } from '../../../domain/record.ts';
import { Unanswered } from '../absence.ts';
import type { Rpc } from '../json-rpc.ts';
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

/** @throws Unanswered */
export async function blockAt(rpc: Rpc, tag: string): Promise<Block> {
  const answer = await rpc.call('eth_getBlockByNumber', [tag, false]);
  if (!answer.ok) throw new Unanswered(answer.reason);
  const read = readBlock(answer.result);
  if (read === undefined) throw new Unanswered(`has no block ${tag}`);
  return read;
}

/** The newest that is final. @throws Unanswered */
export async function finalBlock(rpc: Rpc, finality: Finality): Promise<Block> {
  if (finality === 'finalized') return blockAt(rpc, 'finalized');
  const final = (await blockAt(rpc, 'latest')).number - BigInt(finality);
  if (final < 0n) throw new Unanswered('has fewer blocks than it takes to be final');
  return blockAt(rpc, hex(final));
}
