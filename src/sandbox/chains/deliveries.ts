/** Pays the deliveries of a population on local chains, and assigns each record its transaction. */
import type { ChainEndpoint } from '../contract.ts';
import type { Population } from '../population.ts';
import { treasuryPayments } from '../statement.ts';
import type { World } from '../world.ts';
import { payOnBitcoin, serveEsplora } from './esplora.ts';
import { startEvmNode } from './evm-node.ts';
import { payOnEvm } from './evm-payouts.ts';
import type { Served } from './loopback.ts';
import { HOUR, type Payment, paymentsOf } from './payments.ts';
import { payOnSolana, serveSolana } from './solana-rpc.ts';

const CHAIN_IDS: Readonly<Record<string, number>> = {
  ETH: 1,
  MATIC: 137,
  ARBITRUM: 42_161,
  OPTIMISM: 10,
  BASE: 8453,
  BSC: 56,
  AVAX: 43_114,
};

interface LocalChains {
  endpoints: readonly ChainEndpoint[];
  /** Index of a record → the transaction that it names. */
  hashes: ReadonlyMap<number, string>;
  close: () => Promise<void>;
}

/** @throws ChainNodeMissingError */
export async function payOnLocalChains(world: World, population: Population): Promise<LocalChains> {
  const since = world.now - (world.days + 2) * 24 * HOUR;
  const span = { since, until: world.now + 24 * HOUR };
  const payments = [
    ...treasuryPayments(world),
    ...paymentsOf(population, new Set([...Object.keys(CHAIN_IDS), 'BTC', 'SOLANA'])),
  ];
  const byChain = Map.groupBy(payments, ({ chain }) => chain);
  const of = (chain: string): readonly Payment[] => byChain.get(chain) ?? [];
  const hashes = new Map<number, string>();
  const served: Served[] = [];
  const endpoints = await Promise.all([
    ...Object.entries(CHAIN_IDS).map(async ([chain, chainId]): Promise<ChainEndpoint> => {
      const paid = of(chain);
      // Payments to the host are older than all records.
      const start = Math.min(since, ...paid.slice(0, 1).map(({ at }) => at - HOUR));
      const node = await startEvmNode({ chainId, since: start });
      served.push(node);
      await payOnEvm(node, paid, start, hashes);
      return { chain, type: 'evm', chainId, genesis: null, url: node.url };
    }),
    (async (): Promise<ChainEndpoint> => {
      const chain = payOnBitcoin(of('BTC'), span, hashes);
      const endpoint = await serveEsplora(chain);
      served.push(endpoint);
      return {
        chain: 'BTC',
        type: 'bitcoin',
        chainId: null,
        genesis: chain.blocks[0]?.hash ?? null,
        url: endpoint.url,
      };
    })(),
    (async (): Promise<ChainEndpoint> => {
      const local = payOnSolana(of('SOLANA'), span, hashes);
      const endpoint = await serveSolana(local);
      served.push(endpoint);
      const genesis = local.chain.blocks[0]?.blockhash ?? null;
      return { chain: 'SOLANA', type: 'solana', chainId: null, genesis, url: endpoint.url };
    })(),
  ]);
  return {
    hashes,
    endpoints,
    close: async () => {
      await Promise.all(served.map((each) => each.close()));
    },
  };
}
