/** A real EVM chain on this machine: the network of hardhat, in this process, with JSON-RPC on loopback. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT, TieoutError } from '../../domain/errors.ts';

/** Thrown where the packages of the node are not installed: they are development dependencies. Exit code 2. */
export class ChainNodeMissingError extends TieoutError {
  override readonly exitCode = EXIT.usage;
  constructor(cause: unknown) {
    super('A local chain needs the packages hardhat and @nomicfoundation/edr-…', {
      remedy: 'run it in a checkout after `npm ci`, or install both beside Tieout',
      cause,
    });
  }
}

export interface EvmNode {
  url: string;
  /** One JSON-RPC call in this process. */
  request: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** Accounts that the node signs for; each has 10^12 coins. */
  accounts: readonly string[];
  /** Calls that came in over HTTP, and the requests that they came in. */
  stats: () => { requests: number; calls: number };
  close: () => Promise<void>;
}

interface Options {
  chainId: number;
  /** Time of the first block, in milliseconds. */
  since: number;
  /** Changes what goes out over HTTP: an endpoint that lags, lies or has forgotten. */
  answer?: (call: { method: string; params: readonly unknown[] }, ask: () => Promise<unknown>) => Promise<unknown>;
}

const COINS = '1000000000000000000000000000000';

/** @throws ChainNodeMissingError */
export async function startEvmNode({ chainId, since, answer }: Options): Promise<EvmNode> {
  const { createHardhatRuntimeEnvironment } = await import('hardhat/hre').catch((error: unknown) => {
    throw new ChainNodeMissingError(error);
  });
  const hre = await createHardhatRuntimeEnvironment({
    networks: {
      local: {
        type: 'edr-simulated',
        chainType: 'l1',
        chainId,
        initialDate: new Date(since),
        mining: { auto: false, interval: 0 },
        allowBlocksWithSameTimestamp: true,
        blockGasLimit: 300_000_000,
        accounts: { count: 4, accountsBalance: COINS },
      },
    },
  });
  const connection = await hre.network.create('local');
  const request = (method: string, params: readonly unknown[] = []) =>
    connection.provider.request({ method, params: [...params] });
  const counted = { requests: 0, calls: 0 };
  const server = createServer(async (incoming, reply) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    counted.requests++;
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Rpc | Rpc[];
    const answers: object[] = [];
    for (const call of Array.isArray(body) ? body : [body]) {
      counted.calls++;
      answers.push(await answerCall(call, () => request(call.method, call.params), answer));
    }
    reply.setHeader('content-type', 'application/json');
    reply.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    request,
    accounts: (await request('eth_accounts')) as string[],
    stats: () => ({ ...counted }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await connection.close();
    },
  };
}

interface Rpc {
  id: number;
  method: string;
  params: readonly unknown[];
}

async function answerCall(
  { id, ...call }: Rpc,
  ask: () => Promise<unknown>,
  answer: Options['answer'],
): Promise<object> {
  try {
    return { jsonrpc: '2.0', id, result: (answer === undefined ? await ask() : await answer(call, ask)) ?? null };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: -32_000, message: error instanceof Error ? error.message : 'failed' } };
  }
}
