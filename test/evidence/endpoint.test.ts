/** One endpoint over HTTP: which requests are repeated, when it gives up, and what a reason may contain. */
import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { type HttpEndpoint, httpEndpoint } from '../../src/evidence/chain/endpoint.ts';
import { listenLocally } from '../support/listen-locally.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** @param status of the n-th request, from 0; null never answers */
async function endpoint(status: (n: number) => number | null, retries = 0, timeoutMs = 20_000): Promise<HttpEndpoint> {
  let n = 0;
  server = createServer((_incoming, reply) => {
    const code = status(n++);
    if (code === null) return;
    reply.statusCode = code;
    if (code === 302) reply.setHeader('location', 'http://127.0.0.1:1/');
    reply.end('{"a":1}');
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}/v2/a-secret-key`;
  return httpEndpoint({ url, timeoutMs, concurrency: 1, limiter: null, retries });
}

const ask = (of: HttpEndpoint) => of.ask({ path: '/tx' }, new AbortController().signal);

it('a failure that may pass is tried again, and an answer counts as one', async () => {
  const of = await endpoint((n) => (n === 0 ? 503 : 200), 1);
  expect(await ask(of)).toEqual({ ok: true, body: { a: 1 } });
  expect(of.sent()).toBe(2);
});

it('404 is distinguished from every body', async () => {
  expect(await ask(await endpoint(() => 404))).toEqual({ ok: true, body: undefined });
});

it('404 whose body has no end counts as in flight until the deadline, and is no proof', async () => {
  let open = 0;
  server = createServer((_incoming, reply) => {
    open++;
    reply.on('close', () => open--);
    reply.writeHead(404).write('{');
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const of = httpEndpoint({ url, timeoutMs: 100, concurrency: 1, limiter: null, retries: 0 });
  const answers = [];
  for (let n = 0; n < 3; n++) {
    answers.push(await ask(of));
    await expect.poll(() => open).toBe(0);
  }
  expect(answers.map((each) => !each.ok && each.reason)).toEqual(Array(3).fill('gave no answer within 0.1 s'));
});

it('a redirect is not followed, and a refusal not repeated', async () => {
  const of = await endpoint((n) => (n === 0 ? 302 : 401), 3);
  expect([await ask(of), await ask(of)].map((each) => !each.ok && each.reason)).toEqual([
    'answered HTTP 302',
    'answered HTTP 401',
  ]);
  expect(of.sent()).toBe(2);
});

it('an endpoint that hangs is given up after five failures in a row, so that it cannot hold up the night', async () => {
  const of = await endpoint(() => null, 0, 300);
  const reasons = [];
  for (let n = 0; n < 7; n++) reasons.push(await ask(of));
  expect(reasons.map((each) => !each.ok && each.reason)).toEqual([
    ...Array(5).fill('gave no answer within 0.3 s'),
    ...Array(2).fill('was given up after 5 failures in a row'),
  ]);
  expect(of.sent()).toBe(5);
});

it('one deadline bounds a body that drips', async () => {
  const drips: NodeJS.Timeout[] = [];
  server = createServer((_incoming, reply) => {
    reply.writeHead(200, { 'content-length': '9999' });
    drips.push(setInterval(() => reply.write(' '), 50));
  });
  const url = `http://127.0.0.1:${await listenLocally(server)}/`;
  const of = httpEndpoint({ url, timeoutMs: 300, concurrency: 1, limiter: null, retries: 0 });
  expect(await ask(of)).toEqual({ ok: false, reason: 'gave no answer within 0.3 s' });
  for (const drip of drips) clearInterval(drip);
});

it('failures that are not in a row are not counted together', async () => {
  const of = await endpoint((n) => (n % 2 === 0 ? 503 : 200));
  for (let n = 0; n < 14; n++) await ask(of);
  expect(of.sent()).toBe(14);
});

it.each(['/v2/KEY', '/?apikey=KEY', '/btc/KEY/'])(
  'no answer repeats the key in %s: it would be evidence, and go into packs',
  async (place) => {
    const key = 'k%2Fey-0123456789abcdef';
    server = createServer((incoming, reply) =>
      reply.end(JSON.stringify({ a: 1, at: incoming.url, key: 'k/ey-0123456789abcdef' })),
    );
    const url = `http://127.0.0.1:${await listenLocally(server)}${place.replace('KEY', key)}`;
    const of = httpEndpoint({ url, timeoutMs: 20_000, concurrency: 1, limiter: null });
    const answer = await ask(of);
    expect(answer).toMatchObject({ ok: true, body: { a: 1, key: '[key]' } });
    expect(JSON.stringify(answer)).not.toContain('0123456789abcdef');
  },
);

it('a key of the settings is cut out however short it is, and a short word of the address is not', async () => {
  server = createServer((_incoming, reply) => reply.end('{"key":"k3y-70","path":"v2/mainnet"}'));
  const url = `http://127.0.0.1:${await listenLocally(server)}/v2/mainnet/k3y-70`;
  const of = httpEndpoint({ url, key: 'k3y-70', timeoutMs: 20_000, concurrency: 1, limiter: null });
  expect(await ask(of)).toMatchObject({ body: { key: '[key]', path: 'v2/mainnet' } });
});

it('no reason holds the address or its key', async () => {
  const of = httpEndpoint({
    url: 'http://127.0.0.1:1/v2/a-secret-key',
    timeoutMs: 300,
    concurrency: 1,
    limiter: null,
    retries: 0,
  });
  expect(await ask(of)).toEqual({ ok: false, reason: 'could not be reached' });
});
