/** Pays the deliveries of a population on local chains, and assigns each record its transaction. */
import type { ChainEndpoint } from '../../src/sandbox/contract.ts';
import type { LocalChains, Payment } from '../../src/sandbox/local-chains.ts';
import type { Population } from '../../src/sandbox/population.ts';
import { treasuryPayments } from '../../src/sandbox/statement.ts';
import type { World } from '../../src/sandbox/world.ts';
import { payOnBitcoin, serveEsplora } from './esplora.ts';
import { startEvmNode } from './evm-node.ts';
import { payOnEvm } from './evm-payouts.ts';
import type { Served } from './loopback.ts';
import { HOUR, paymentsOf } from './payments.ts';
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

/** @throws LocalChainsMissingError */
export async function payDeliveries(world: World, population: Population): Promise<LocalChains> {
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
