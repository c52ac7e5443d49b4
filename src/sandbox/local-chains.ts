/**
 * Local chains, on which deliveries of a population are paid. They need a node that is a development dependency, so they are in
 * `test/local-chains/` and not in the package.
 */
import { UsageError } from '../domain/errors.ts';
import type { ChainEndpoint, SandboxInstant } from './contract.ts';
import type { DeliveryFault } from './defects/defect.ts';
import type { Population } from './population.ts';
import type { World } from './world.ts';

export interface Payment {
  index: number;
  chain: string;
  /** The time of its transaction. */
  at: SandboxInstant;
  to: string;
  /** Contract or mint; null for the chain's own coin. */
  contract: string | null;
  units: bigint;
  fault: DeliveryFault | null;
}

export interface LocalChains {
  endpoints: readonly ChainEndpoint[];
  /** Index of a record → the transaction that it names. */
  hashes: ReadonlyMap<number, string>;
  close: () => Promise<void>;
}

/** Thrown where the chains, or the packages of their node, are not there. Exit code 2. */
export class LocalChainsMissingError extends UsageError {
  constructor(cause: unknown) {
    super('Local chains need a checkout of Tieout with its development dependencies', {
      remedy: 'run it in a checkout after `npm ci`',
      cause,
    });
  }
}

/** Not written as one name: it is no part of the build. */
const PLACE = new URL('../../test/local-chains/deliveries.ts', import.meta.url).href;

/** @throws LocalChainsMissingError */
export async function payOnLocalChains(world: World, population: Population): Promise<LocalChains> {
  const local = (await import(PLACE).catch((cause: unknown) => {
    throw new LocalChainsMissingError(cause);
  })) as { payDeliveries: (world: World, population: Population) => Promise<LocalChains> };
  return local.payDeliveries(world, population);
}
