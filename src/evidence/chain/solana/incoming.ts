/** Transactions that name an address or one of its token accounts, the newest first, as a Solana endpoint lists them. */
import { z } from 'zod';
import type { Finder, Incoming } from '../../../ports/witness.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { MOST_NAMED, timeOf } from '../plausible.ts';
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
      const found: Incoming[] = [];
      for (const address of watched) {
        let before: string | undefined;
        for (let n = 0; ; n++) {
          if (n === MOST_PAGES) return { ok: false, reason: `lists more than ${MOST_PAGES} pages for one address` };
          const listed = await rpc.read(
            signatures,
            'getSignaturesForAddress',
            [address, { ...finalized, limit: PAGE, ...(before === undefined ? {} : { before }) }],
            signal,
          );
          if (!listed.ok) return listed;
          for (const { signature: txHash, err, blockTime } of listed.value) {
            if (err === null) found.push({ txHash, isOwn: false, at: timeOf(blockTime) });
          }
          // The tokens of one owner may be in a thousand accounts.
          if (found.length > MOST_NAMED) return { ok: false, reason: `names more than ${MOST_NAMED} transfers` };
          const oldest = listed.value.at(-1);
          if (oldest === undefined || (timeOf(oldest.blockTime) ?? from) < from) break;
          before = oldest.signature;
        }
      }
      return { ok: true, incoming: found, upTo: time.value * 1000 };
    },
  };
}
