/** Endpoints that lie, lag, forget or attack: none of them makes a record missing, and none makes it delivered. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpEndpoint } from '../../src/evidence/chain/endpoint.ts';
import { evmWitness } from '../../src/evidence/chain/evm/witness.ts';
import { jsonRpc } from '../../src/evidence/chain/json-rpc.ts';
import { agreedSighting } from '../../src/evidence/chain/quorum.ts';
import type { Account } from '../../src/ports/witness.ts';
import { at } from '../support/builders.ts';
import { listenLocally } from '../support/listen-locally.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const BLOCK = { number: '0x5', hash: `0x${'01'.repeat(32)}`, timestamp: '0x69053a00', transactions: [] };

/** What the server sends for a path, given the ids and methods asked for. */
const ANSWERS: Record<string, (calls: { id: number; method: string }[]) => string> = {
  '/huge': () => `"${'x'.repeat(10 * 1024 * 1024)}"`,
  '/deep': () => '['.repeat(100_000) + ']'.repeat(100_000),
  '/zeros': () => `[${'0,'.repeat(2_000_000)}0]`,
  '/many': () => `[ ${'{},'.repeat(400_000)}{}]`,
  '/ids': (calls) => JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id: id + 1000, result: null }))),
  '/lagging': (calls) =>
    JSON.stringify(calls.map(({ id, method }) => ({ id, result: method === 'eth_getBlockByNumber' ? BLOCK : null }))),
  '/html': () => '<html>hello</html>',
};

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer(async (incoming, reply) => {
    let body = '';
    for await (const piece of incoming) body += String(piece);
    const read = JSON.parse(body) as { id: number; method: string } | { id: number; method: string }[];
    const calls = Array.isArray(read) ? read : [read];
    const text = ANSWERS[incoming.url ?? '']?.(calls) ?? '';
    reply.end(Array.isArray(read) || !text.startsWith('[{') ? text : text.slice(1, -1));
  });
  const port = await listenLocally(server);
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function look(path: string): Promise<Account | undefined> {
  const endpoint = httpEndpoint({
    url: `${origin}${path}`,
    timeoutMs: 20_000,
    concurrency: 2,
    limiter: null,
    retries: 0,
  });
  const witness = evmWitness({
    name: 'one',
    rpc: jsonRpc(endpoint, 10),
    chainId: null,
    finality: 'finalized',
    trace: 'off',
  });
  const wanted = { txHash: HASH, since: at('2026-11-01 10:00'), due: at('2026-11-01 16:00'), coins: true };
  return (await witness.look([wanted], new AbortController().signal))[0];
}

it.each([
  ['/huge', 'answered with more than 4 MiB'],
  ['/deep', 'answered with more than 40 levels of nesting'],
  ['/zeros', 'answered with more than 500000 values'],
  ['/many', 'answered more calls than it was asked'],
  ['/ids', 'answered another call'],
  ['/html', 'answered with text that is no JSON'],
])('%s gives no account, and says why', async (path, reason) => {
  expect(await look(path)).toMatchObject({ answer: 'none', reason });
});

it('null from an endpoint that knows no later block is no proof that a transaction is missing', async () => {
  expect(await look('/lagging')).toMatchObject({ answer: 'none', reason: expect.stringContaining('it lags behind') });
});

it('one dissenter among three makes a delivery unverified, and all three answers are kept', () => {
  const found: Account = {
    answer: 'found',
    succeeded: true,
    final: true,
    blockNumber: '5',
    blockHash: '0x01',
    blockTime: at('2026-11-01 10:06'),
    transfers: [],
    inner: [],
    upTo: at('2026-11-01 20:00'),
    raw: null,
  };
  const heard = [
    { witness: 'one', account: found },
    { witness: 'two', account: found },
    { witness: 'three', account: { ...found, blockHash: '0x02' } },
  ];
  const { sighting, evidence } = agreedSighting({ chain: 'ETH', txHash: HASH }, heard, 2, at('2026-11-02 04:15'));
  expect(sighting).toMatchObject({ seen: 'unverified', transfers: [] });
  expect(evidence.match(/"witness"/g)).toHaveLength(3);
});
