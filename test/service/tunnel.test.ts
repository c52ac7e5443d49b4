/** The Service through a proxy: a real one that answers CONNECT, in front of real servers. */
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTransport } from '../../src/service/transport.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { httpServer, sendJson } from './http-server.ts';
import { selfSigned } from './self-signed.ts';

const GET = { method: 'GET', path: '/api/host-api/purchase/abc?secret=s3cr3tt0ken12345' } as const;
const PASSWORD = 'pa:ss/wörd';
let kept: AsyncDisposableStack;
beforeEach(() => {
  kept = new AsyncDisposableStack();
});
afterEach(() => kept.disposeAsync());

interface Tunnel {
  asked: { target: string; authorization: string | undefined }[];
  /** Of all that was written through it, what can be read. */
  seen: string;
  port: number;
}

/** @param answer the head for a request for a tunnel; `open` makes one, null leaves it unanswered */
async function aProxy(answer: string | null = 'open'): Promise<Tunnel> {
  const sockets = new Set<Socket>();
  const tunnel: Tunnel = { asked: [], seen: '', port: 0 };
  const server = createHttpServer((_request, response) => response.writeHead(500).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => undefined);
    tunnel.asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    if (answer === null) return;
    if (answer !== 'open') return void socket.end(`HTTP/1.1 ${answer}\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.on('data', (bytes) => {
        tunnel.seen += bytes.toString('latin1');
      });
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    sockets.add(onward);
  });
  tunnel.port = await listenLocally(server);
  kept.defer(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return tunnel;
}

async function aService(): Promise<{ baseUrl: string; requests: unknown[] }> {
  const server = await httpServer((response) => sendJson(response, '{}'));
  kept.defer(() => server.close());
  return server;
}

function through(proxy: string, baseUrl: string, timeoutMs = 2_000) {
  const transport = createTransport({ baseUrl, timeoutMs, concurrency: 4, proxy });
  kept.defer(() => transport.close());
  return transport;
}

/** The name and sentence of what went wrong; neither it nor its causes hold the token or the password. */
async function failureOf(transport: ReturnType<typeof through>): Promise<string> {
  const error = await transport.send(GET).then(
    () => null,
    (reason: unknown) => reason as Error & { code: string | null },
  );
  for (const secret of ['s3cr3t', PASSWORD, encodeURIComponent(PASSWORD)])
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
  return `${error?.name} ${error?.code}`;
}

it('asks for a tunnel to the Service and sends each request through it, with the user and password of the setting', async () => {
  const [proxy, service] = [await aProxy(), await aService()];
  const user = `ann:${encodeURIComponent(PASSWORD)}@`;
  const transport = through(`http://${user}127.0.0.1:${proxy.port}/`, service.baseUrl);
  for (let round = 0; round < 3; round++) expect((await transport.send(GET)).status).toBe(200);
  expect(service.requests).toHaveLength(3);
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`;
  expect(proxy.asked.length).toBeGreaterThan(0);
  for (const asked of proxy.asked) expect(asked).toEqual({ target: new URL(service.baseUrl).host, authorization });
  expect(JSON.stringify(service.requests)).not.toContain(authorization);
});

it('never goes around a proxy that makes no tunnel, and takes nothing that it does for an answer or a block of the Service', async () => {
  const service = await aService();
  const refusing = await aProxy('407 Proxy Authentication Required');
  expect(await failureOf(through(`http://127.0.0.1:${refusing.port}/`, service.baseUrl))).toBe(
    'ProxyFailedError HTTP 407',
  );
  const closed = await aProxy();
  await kept.disposeAsync();
  kept = new AsyncDisposableStack();
  expect(await failureOf(through(`http://127.0.0.1:${closed.port}/`, service.baseUrl))).toBe(
    'ProxyFailedError ECONNREFUSED',
  );
  expect(await failureOf(through('http://no..such..host/', service.baseUrl))).toMatch('ProxyFailedError E');
  expect(service.requests).toHaveLength(0);
});

it('gives a silent proxy no longer than a slot of the allowance is safe', async () => {
  const [proxy, service] = [await aProxy(null), await aService()];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const failed = failureOf(through(`http://127.0.0.1:${proxy.port}/`, service.baseUrl, 20_000));
    await vi.waitFor(() => expect(proxy.asked).toHaveLength(1), { interval: 5 });
    await vi.advanceTimersByTimeAsync(3_900);
    expect(await Promise.race([failed, Promise.resolve('waits')])).toBe('waits');
    await vi.advanceTimersByTimeAsync(200);
    expect(await failed).toBe('ProxyFailedError ETIMEDOUT');
  } finally {
    vi.useRealTimers();
  }
});

it('checks the certificate of the Service inside the tunnel, and shows the proxy no token', async () => {
  const proxy = await aProxy();
  const server = createHttpsServer(selfSigned(), (_request, response) => response.end('{}'));
  const port = await listenLocally(server);
  kept.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
  expect(await failureOf(through(`http://127.0.0.1:${proxy.port}/`, `https://127.0.0.1:${port}/api`))).toMatch(
    'TlsError',
  );
  expect(proxy.asked).toHaveLength(1);
  expect(proxy.seen).not.toContain('s3cr3t');
});
