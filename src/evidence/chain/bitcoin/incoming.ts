/** Transactions that an Esplora-compatible endpoint lists for addresses, the newest first. */
import { z } from 'zod';
import type { Finder, Incoming } from '../../../ports/witness.ts';
import type { HttpEndpoint } from '../endpoint.ts';
import { timeOf } from '../plausible.ts';
import { hash } from './transaction.ts';

interface BitcoinFinderOptions {
  name: string;
  endpoint: HttpEndpoint;
  finality: number;
}

/** Of 25 transactions, as the API has them. */
const MOST_PAGES = 400;

const page = z
  .array(
    z.object({
      txid: hash,
      vin: z.array(z.object({ prevout: z.object({ scriptpubkey_address: z.string().max(120).nullish() }).nullish() })),
      status: z.object({ confirmed: z.boolean(), block_height: z.int().nullish(), block_time: z.int().nullish() }),
    }),
  )
  .max(100);
const blocks = z.array(z.object({ height: z.int(), timestamp: z.int() })).max(100);

export function bitcoinFinder({ name, endpoint, finality }: BitcoinFinderOptions): Finder {
  return {
    name,
    find: async ({ addresses }, { from }, signal) => {
      const read = async <T>(path: string, schema: z.ZodType<T>): Promise<{ value: T } | { reason: string }> => {
        const received = await endpoint.ask({ path }, signal);
        if (!received.ok) return received;
        const value = schema.safeParse(received.body);
        return value.success ? { value: value.data } : { reason: `answered ${path.split('/')[1]} with something else` };
      };
      const tip = await read('/blocks/tip/height', z.int());
      if ('reason' in tip) return { ok: false, reason: tip.reason };
      const final = tip.value - finality;
      const newest = await read(`/blocks/${final}`, blocks);
      if ('reason' in newest) return { ok: false, reason: newest.reason };
      const settled = newest.value.find(({ height }) => height === final);
      if (settled === undefined) return { ok: false, reason: 'does not have its newest final block' };
      const found: Incoming[] = [];
      const own = new Set(addresses);
      for (const address of addresses) {
        let last = '';
        for (let n = 0; ; n++) {
          if (n === MOST_PAGES) return { ok: false, reason: `lists more than ${MOST_PAGES} pages for one address` };
          const listed = await read(`/address/${encodeURIComponent(address)}/txs/chain${last}`, page);
          if ('reason' in listed) return { ok: false, reason: listed.reason };
          for (const { txid, vin, status } of listed.value) {
            if ((status.block_height ?? Number.POSITIVE_INFINITY) > final) continue;
            const isOwn = vin.some(({ prevout }) => own.has(prevout?.scriptpubkey_address ?? ''));
            found.push({ txHash: txid, isOwn, at: timeOf(status.block_time) });
          }
          const oldest = listed.value.at(-1);
          if (oldest === undefined || (timeOf(oldest.status.block_time) ?? from) < from) break;
          last = `/${oldest.txid}`;
        }
      }
      return { ok: true, incoming: found, upTo: settled.timestamp * 1000 };
    },
  };
}
