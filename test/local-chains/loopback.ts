/** An HTTP server on a free loopback port that counts its requests, and JSON-RPC on top of one. */
import { createServer } from 'node:http';
import { listenLocally } from '../support/listen-locally.ts';

export interface Served {
  url: string;
  /** Calls that came in over HTTP, and the requests that they came in. */
  stats: () => { requests: number; calls: number };
  close: () => Promise<void>;
}

/** One request: the path, and the body of a POST. An answer of null is a 404. */
export async function serveText(
  answer: (path: string, body: string, count: (calls: number) => void) => Promise<string | null>,
): Promise<Served> {
  const counted = { requests: 0, calls: 0 };
  const server = createServer(async (incoming, reply) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    counted.requests++;
    const text = await answer(incoming.url ?? '/', Buffer.concat(pieces).toString('utf8'), (calls) => {
      counted.calls += calls;
    });
    reply.statusCode = text === null ? 404 : 200;
    reply.setHeader('content-type', /^["[{]/.test(text ?? '') ? 'application/json' : 'text/plain');
    reply.end(text ?? 'not found');
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    stats: () => ({ ...counted }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** Calls alone and in batches. An error of `answer` is the error of its call. */
export function serveJsonRpc(answer: (call: RpcCall) => Promise<unknown>): Promise<Served> {
  const one = async ({ id, ...call }: RpcCall & { id: number }): Promise<object> => {
    try {
      return { jsonrpc: '2.0', id, result: (await answer(call)) ?? null };
    } catch (error) {
      const message = error instanceof Error ? error.message : 'failed';
      return { jsonrpc: '2.0', id, error: { code: -32_000, message } };
    }
  };
  return serveText(async (_path, body, count) => {
    const asked = JSON.parse(body) as (RpcCall & { id: number }) | (RpcCall & { id: number })[];
    const calls = Array.isArray(asked) ? asked : [asked];
    count(calls.length);
    const answers: object[] = [];
    for (const call of calls) answers.push(await one(call));
    return JSON.stringify(Array.isArray(asked) ? answers : answers[0]);
  });
}
