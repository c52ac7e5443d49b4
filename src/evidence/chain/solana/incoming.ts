/** Transactions that name an address or one of its token accounts, the newest first, as a Solana endpoint lists them. */
import { z } from 'zod';
import type { Finder } from '../../../ports/witness.ts';
import { listedBackTo, timeOf } from '../back-to.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { signature, slot } from './transfers.ts';

/** The most that one answer of getSignaturesForAddress has. */
const PAGE = 1000;
const MOST_PAGES = 100;

const finalized = { commitment: 'finalized' };
const signatures = z.array(z.object({ signature, err: z.unknown(), blockTime: z.int().nullish() })).max(PAGE);
const accounts = z.object({ value: z.array(z.object({ pubkey: z.string().min(32).max(44) })).max(1000) });

export function solanaFinder({ name, rpc }: { name: string; rpc: JsonRpc }): Finder {
  return {
    name,
    find: async ({ addresses, contracts, coins }, { from }, signal) => {
      const head = await rpc.read(slot, 'getSlot', [finalized], signal);
      if (!head.ok) return head;
      const time = await rpc.read(z.int(), 'getBlockTime', [head.value], signal);
      if (!time.ok) return time;
      const watched = coins ? [...addresses] : [];
      for (const [owner, mint] of addresses.flatMap((each) => contracts.map((mint) => [each, mint] as const))) {
        const held = await rpc.read(
          accounts,
          'getTokenAccountsByOwner',
          [owner, { mint }, { ...finalized, encoding: 'jsonParsed' }],
          signal,
        );
        if (!held.ok) return held;
        watched.push(...held.value.value.map(({ pubkey }) => pubkey));
      }
      const listed = await listedBackTo(from, watched, MOST_PAGES, async (address, before) => {
        const after = before === undefined ? {} : { before };
        const params = [address, { ...finalized, limit: PAGE, ...after }];
        const page = await rpc.read(signatures, 'getSignaturesForAddress', params, signal);
        if (!page.ok) return page;
        const value = page.value.map(({ signature: txHash, err, blockTime }) => {
          return { txHash, isOwn: false, at: timeOf(blockTime), counts: err === null };
        });
        return { ok: true, value };
      });
      return listed.ok ? { ok: true, incoming: listed.value, upTo: time.value * 1000 } : listed;
    },
  };
}
