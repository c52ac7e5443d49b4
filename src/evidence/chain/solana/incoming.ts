/** Transactions that name an address or one of its token accounts, the newest first, as a Solana endpoint lists them. */
import { z } from 'zod';
import type { Instant } from '../../../domain/record.ts';
import type { Finder, HostAddresses } from '../../../ports/witness.ts';
import { foundBy, listedBackTo, timeOf } from '../back-to.ts';
import type { JsonRpc, Rpc } from '../json-rpc.ts';
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
    find: (watched, { from }, signal) => foundBy(namedSince(rpc.under(signal), watched, from)),
  };
}

async function namedSince({ read }: Rpc, { addresses, contracts, coins }: HostAddresses, from: Instant) {
  const head = await read(slot, 'getSlot', [finalized]);
  const time = await read(z.int(), 'getBlockTime', [head]);
  const watched = coins ? [...addresses] : [];
  for (const [owner, mint] of addresses.flatMap((each) => contracts.map((mint) => [each, mint] as const))) {
    const params = [owner, { mint }, { ...finalized, encoding: 'jsonParsed' }];
    const { value } = await read(accounts, 'getTokenAccountsByOwner', params);
    watched.push(...value.map(({ pubkey }) => pubkey));
  }
  const incoming = await listedBackTo(from, watched, MOST_PAGES, async (address, before) => {
    const params = [address, { ...finalized, limit: PAGE, before }];
    const page = await read(signatures, 'getSignaturesForAddress', params);
    return page.map(({ signature: txHash, err, blockTime }) => {
      return { txHash, isOwn: false, at: timeOf(blockTime), counts: err === null };
    });
  });
  return { incoming, upTo: time * 1000 };
}
