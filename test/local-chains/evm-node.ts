/** A real EVM chain on this machine: the network of hardhat, in this process, with JSON-RPC on loopback. */
import { LocalChainsMissingError } from '../../src/sandbox/local-chains.ts';
import { type RpcCall, type Served, serveJsonRpc } from './loopback.ts';

export interface EvmNode extends Served {
  /** One JSON-RPC call in this process. */
  request: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** Accounts that the node signs for; each has 10^12 coins. */
  accounts: readonly string[];
}

interface Options {
  chainId: number;
  /** Time of the first block, in milliseconds. */
  since: number;
  /** Changes answers over HTTP: for an endpoint that lags, lies or is pruned. */
  answer?: (call: RpcCall, ask: () => Promise<unknown>) => Promise<unknown>;
}

const COINS = '1000000000000000000000000000000';

/** @throws LocalChainsMissingError */
export async function startEvmNode({ chainId, since, answer }: Options): Promise<EvmNode> {
  const { createHardhatRuntimeEnvironment } = await import('hardhat/hre').catch((error: unknown) => {
    throw new LocalChainsMissingError(error);
  });
  const config = {
    networks: {
      local: {
        type: 'edr-simulated' as const,
        chainType: 'l1' as const,
        chainId,
        initialDate: new Date(since),
        mining: { auto: false, interval: 0 },
        allowBlocksWithSameTimestamp: true,
        blockGasLimit: 300_000_000,
        accounts: { count: 4, accountsBalance: COINS },
      },
    },
  };
  // Its project is this package: by default it looks for one around the working directory, and fails where there is none.
  const hre = await createHardhatRuntimeEnvironment(config, {}, import.meta.dirname);
  const connection = await hre.network.create('local');
  const request = (method: string, params: readonly unknown[] = []) =>
    connection.provider.request({ method, params: [...params] });
  const served = await serveJsonRpc((call) => {
    const ask = () => request(call.method, call.params);
    return answer === undefined ? ask() : answer(call, ask);
  });
  return {
    url: served.url,
    request,
    accounts: (await request('eth_accounts')) as string[],
    stats: served.stats,
    close: async () => {
      await served.close();
      await connection.close();
    },
  };
}
