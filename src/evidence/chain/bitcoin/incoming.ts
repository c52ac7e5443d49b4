/** Transactions that an Esplora-compatible endpoint lists for addresses, the newest first. */
import { z } from 'zod';
import type { Finder } from '../../../ports/witness.ts';
import { Unanswered } from '../absence.ts';
import { foundBy, listedBackTo, timeOf } from '../back-to.ts';
import type { HttpEndpoint } from '../endpoint.ts';
import { hash } from './transaction.ts';

export interface BitcoinFinderOptions {
  name: string;
  endpoint: HttpEndpoint;
  /** Blocks on top after which a block is final. */
  finality: number;
}

/** Of 25 transactions, as the API has them. */
const MOST_PAGES = 400;

const transactions = z
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
    find: ({ addresses }, { from }, signal) => {
      const read = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
        const received = await endpoint.ask({ path }, signal);
        if (!received.ok) throw new Unanswered(received.reason);
        const { data } = schema.safeParse(received.body);
        if (data === undefined) throw new Unanswered(`answered ${path.split('/')[1]} with something else`);
        return data;
      };
      const own = new Set(addresses);
      const look = async () => {
        const final = (await read('/blocks/tip/height', z.int())) - finality;
        const newest = await read(`/blocks/${final}`, blocks);
        const settled = newest.find(({ height }) => height === final);
        if (settled === undefined) throw new Unanswered('does not have its newest final block');
        const incoming = await listedBackTo(from, addresses, MOST_PAGES, async (address, after) => {
          const path = `/address/${encodeURIComponent(address)}/txs/chain`;
          const page = await read(after === undefined ? path : `${path}/${after}`, transactions);
          return page.map(({ txid, vin, status }) => ({
            txHash: txid,
            isOwn: vin.some(({ prevout }) => own.has(prevout?.scriptpubkey_address ?? '')),
            at: timeOf(status.block_time),
            counts: (status.block_height ?? Number.POSITIVE_INFINITY) <= final,
          }));
        });
        return { incoming, upTo: settled.timestamp * 1000 };
      };
      return foundBy(look());
    },
  };
}
