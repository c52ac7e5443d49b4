import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createTransport, type Transport, type TransportOptions } from '../../src/service/transport.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { TOKEN } from './bodies.ts';
import { httpServer, rawServer, sendJson } from './http-server.ts';
import { selfSigned } from './self-signed.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function keep<T extends { close(): Promise<void> }>(opened: T): T {
  open.push(opened);
  return opened;
}

function transportTo(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  return keep(createTransport({ baseUrl, timeoutMs: 2_000, concurrency: 4, ...options }));
}

const PATH = `/api/host-api/purchase/abc?secret=${TOKEN}`;
const GET = { method: 'GET', path: PATH } as const;

/** The class and phase of what went wrong. */
async function failureOf(transport: Transport): Promise<string> {
  try {
    await transport.send(GET);
    return 'none';
  } catch (error) {
    const { name, message } = error as Error;
    const [, phase] = /\((connecting|waiting|reading)\)/.exec(message) ?? [];
    for (const shown of [String(error), JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })]) {
      expect(shown).not.toContain(TOKEN);
      expect(shown).not.toContain('/host-api/');
    }
    return phase === undefined ? name : `${name} ${phase}`;
  }
}

/** A raw answer, after which the server acts as given. */
async function said(text: string, then: 'end' | 'reset' | 'wait' = 'end'): Promise<Transport> {
  const server = keep(
    await rawServer((socket) => {
      socket.write(text);
      if (then === 'end') socket.end();
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
    }),
  );
  return transportTo(server.baseUrl, { timeoutMs: 400 });
}

describe('an answer', () => {
  it('comes with its status, type and bytes, for every status', async () => {
    const server = keep(
      await httpServer((response, _request, count) => sendJson(response, '{"a":"ż"}', count === 1 ? 200 : 503)),
    );
    const transport = transportTo(server.baseUrl);
    expect(await transport.send(GET)).toEqual({
      status: 200,
      contentType: 'application/json',
      retryAfterMs: null,
      body: Buffer.from('{"a":"ż"}'),
    });
    expect((await transport.send(GET)).status).toBe(503);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      url: PATH,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip, br, deflate', 'user-agent': 'tieout' },
    });
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('to a POST is an answer to exactly the text that was given', async () => {
    const server = keep(await httpServer((response) => sendJson(response, '{}')));
    await transportTo(server.baseUrl).send({ method: 'POST', path: '/api/host-api/quote', body: '{"fiatValue":1.10}' });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      body: '{"fiatValue":1.10}',
      headers: { 'content-type': 'application/json', 'content-length': '18' },
    });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate, gzip', (bytes: Buffer) => gzipSync(deflateSync(bytes))],
    ['identity, gzip', gzipSync],
    ['identity', (bytes: Buffer) => bytes],
    ['', (bytes: Buffer) => bytes],
  ])('is decoded from %s', async (encoding, encode) => {
    const bytes = encode(Buffer.from('{"a":1}'));
    const server = keep(
      await httpServer((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
        response.end(bytes);
      }),
    );
    expect((await transportTo(server.baseUrl).send(GET)).body.toString()).toBe('{"a":1}');
  });

  it('without a body may name the encoding that it would have had', async () => {
    const server = keep(
      await httpServer((response) => {
        response.writeHead(404, { 'content-encoding': 'gzip' }).end();
      }),
    );
    expect(await transportTo(server.baseUrl).send(GET)).toMatchObject({ status: 404, body: Buffer.alloc(0) });
  });

  it.each([
    ['Application/JSON ; charset=utf-8', 'application/json'],
    ['text/html', 'text/html'],
  ])('has the type %s without its parameters', async (header, contentType) => {
    const server = keep(
      await httpServer((response) => void response.writeHead(200, { 'content-type': header }).end('{}')),
    );
    expect((await transportTo(server.baseUrl).send(GET)).contentType).toBe(contentType);
  });

  it('may have an early head before its own', async () => {
    const transport = await said(
      'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
    );
    expect(await transport.send(GET)).toMatchObject({ status: 200, contentType: 'application/json' });
  });

  it.each([
    ['120', undefined, 120_000],
    ['Fri, 20 Nov 2026 04:16:00 GMT', 'Fri, 20 Nov 2026 04:15:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 04:14:00 GMT', 'Fri, 20 Nov 2026 04:15:00 GMT', 0],
    ['soon', 'Fri, 20 Nov 2026 04:15:00 GMT', null],
    // No number of HTTP: as a date they would be years, and a wait of a day.
    ['+3600', 'Fri, 20 Nov 2026 04:15:00 GMT', null],
    ['-3600', 'Fri, 20 Nov 2026 04:15:00 GMT', null],
    ['120 s', 'Fri, 20 Nov 2026 04:15:00 GMT', null],
    ['1234567890', 'Fri, 20 Nov 2026 04:15:00 GMT', null],
    ['20 Nov 2026 04:16:00 GMT', 'Fri, 20 Nov 2026 04:15:00 GMT', null],
    ['Fr, 20 Nov 2026 04:16:00 GMT', 'Fri, 20 Nov 2026 04:15:00 GMT', null],
  ])('may ask for a pause: %s', async (retryAfter, date, expected) => {
    const server = keep(
      await httpServer((response) =>
        sendJson(response, '{}', 429, { 'retry-after': retryAfter, ...(date === undefined ? {} : { date }) }),
      ),
    );
    expect((await transportTo(server.baseUrl).send(GET)).retryAfterMs).toBe(expected);
  });

  it('is never looked for elsewhere: a redirect is an answer', async () => {
    const elsewhere = keep(await httpServer((response) => sendJson(response, '{}')));
    const server = keep(
      await httpServer((response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/api/x?secret=${TOKEN}` }).end();
      }),
    );
    expect((await transportTo(server.baseUrl).send(GET)).status).toBe(302);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('no whole answer', () => {
  it('no process listens', async () => {
    const server = await httpServer(() => undefined);
    await server.close();
    expect(await failureOf(transportTo(server.baseUrl))).toBe('ConnectionRefusedError');
  });

  it('the name does not exist', async () => {
    expect(await failureOf(transportTo('http://no..such..host/api'))).toBe('DnsError');
  });

  it.each([
    ['closed before the head', '', 'end', 'ConnectionLostError'],
    ['reset before the head', '', 'reset', 'ConnectionLostError'],
    ['closed in the head', 'HTTP/1.1 200 OK\r\ncontent-', 'end', 'ConnectionLostError'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'end', 'NotHttpError'],
    [
      'fewer bytes than announced',
      'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"id":"a"',
      'end',
      'TruncatedBodyError',
    ],
    ['reset in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"id":"a"', 'reset', 'TruncatedBodyError'],
    [
      'chunks without an end',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n',
      'end',
      'TruncatedBodyError',
    ],
    ['half a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"a"', 'reset', 'TruncatedBodyError'],
    ['silence', '', 'wait', 'DeadlineError waiting'],
    ['silence in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{', 'wait', 'DeadlineError reading'],
  ] as const)('%s', async (_what, text, then, failure) => {
    expect(await failureOf(await said(text, then))).toBe(failure);
  });

  it('one deadline bounds a body that drips', async () => {
    const drips: NodeJS.Timeout[] = [];
    const server = keep(
      await rawServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n');
        drips.push(setInterval(() => socket.write(' '), 50));
      }),
    );
    const started = performance.now();
    expect(await failureOf(transportTo(server.baseUrl, { timeoutMs: 500 }))).toBe('DeadlineError reading');
    // The drops alone would take four minutes.
    expect(performance.now() - started).toBeLessThan(15_000);
    for (const drip of drips) clearInterval(drip);
  });

  it('half a gzip, and bytes that are none', async () => {
    const whole = gzipSync(Buffer.from('{"a":"'.padEnd(500, 'x')));
    for (const [bytes, failure] of [
      [whole.subarray(0, whole.length - 12), 'TruncatedBodyError'],
      [Buffer.from('{"a":1}'), 'NotHttpError'],
    ] as const) {
      const server = keep(
        await httpServer((response) => {
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
        }),
      );
      expect(await failureOf(transportTo(server.baseUrl))).toBe(failure);
    }
  });

  it.each(['zstd', 'gzip, gzip, gzip'])('an encoding that was not offered: %s', async (encoding) => {
    const server = keep(
      await httpServer((response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end('x');
      }),
    );
    const failure = transportTo(server.baseUrl).send(GET);
    await expect(failure).rejects.toMatchObject({ name: 'NotHttpError', code: 'ENCODING' });
  });
});

describe('large bodies', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

  it('100 MB are not waited for where they are announced', async () => {
    expect(await failureOf(await said(`${head}content-length: 104857600\r\n\r\n{`, 'wait'))).toBe('BodyTooLargeError');
  });

  it('100 MB are cut off where they are not', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536, 0x20);
    const server = keep(
      await httpServer((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const pour = () => {
          while (sent < 104_857_600 && !response.destroyed) {
            sent += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', pour);
          }
        };
        pour();
      }),
    );
    expect(await failureOf(transportTo(server.baseUrl))).toBe('BodyTooLargeError');
    expect(sent).toBeLessThan(30_000_000);
  });

  it('a small bomb does not become one', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 0x20), { level: 9 });
    expect(bomb.length).toBeLessThan(300_000);
    const server = keep(
      await httpServer((response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      }),
    );
    const transport = transportTo(server.baseUrl);
    const before = process.memoryUsage().arrayBuffers;
    expect(await failureOf(transport)).toBe('BodyTooLargeError');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
  });

  it('2 MiB are read', async () => {
    const body = `"${'x'.repeat(2 * 1024 * 1024 - 2)}"`;
    const server = keep(await httpServer((response) => sendJson(response, body)));
    expect((await transportTo(server.baseUrl).send(GET)).body.length).toBe(2 * 1024 * 1024);
  });
});

describe('connections', () => {
  it('are kept, and no more of them than there may be requests in flight', async () => {
    const ports = new Set<number | undefined>();
    const server = keep(
      await httpServer((response) => {
        ports.add(response.socket?.remotePort);
        setTimeout(() => sendJson(response, '{}'), 5);
      }),
    );
    const transport = transportTo(server.baseUrl, { concurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => transport.send(GET)));
    expect(ports.size).toBe(3);
  });

  it('that die are not used to send a request a second time', async () => {
    const server = keep(
      await rawServer((socket, count) => {
        if (count === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        else socket.resetAndDestroy();
      }),
    );
    const transport = transportTo(server.baseUrl, { concurrency: 1 });
    await transport.send(GET);
    expect(await failureOf(transport)).toBe('ConnectionLostError');
    expect(server.count()).toBe(2);
  });

  it('come from the configured address', async () => {
    const server = keep(
      await httpServer((response) => sendJson(response, JSON.stringify(response.socket?.remoteAddress))),
    );
    const transport = transportTo(server.baseUrl, { localAddress: '127.0.0.7' });
    expect((await transport.send(GET)).body.toString()).toBe('"127.0.0.7"');
  });

  it('end with the client', async () => {
    const server = keep(await httpServer(() => undefined));
    const transport = transportTo(server.baseUrl);
    const pending = failureOf(transport);
    await transport.close();
    expect(await pending).toBe('ConnectionLostError');
  });
});

describe('TLS', () => {
  it('a self-signed certificate', async () => {
    const asked: string[] = [];
    const server = createHttpsServer(selfSigned(), (request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    });
    const port = await listenLocally(server);
    keep({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    expect(await failureOf(transportTo(`https://127.0.0.1:${port}/api`))).toBe('TlsError');
    expect(asked).toEqual([]);
  });

  it('offers HTTP/1.1 alone: over HTTP/2 a refused stream would be sent again without a slot', async () => {
    const hello = Promise.withResolvers<string>();
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => {
        hello.resolve(bytes.toString('latin1'));
        socket.destroy();
      });
    });
    const port = await listenLocally(server);
    keep({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    await failureOf(transportTo(`https://127.0.0.1:${port}/api`));
    // Extension 16 lists the protocols, each behind its length: one of nine bytes. The random bytes around it may spell anything.
    expect(await hello.promise).toContain('\0\x10\0\x0b\0\x09\x08http/1.1');
  });

  it('a server without TLS', async () => {
    const server = keep(await httpServer((response) => sendJson(response, '{}')));
    expect(await failureOf(transportTo(`https://127.0.0.1:${server.port}/api`))).toBe('TlsError');
  });
});

it('a request that was given up while it waited for a connection never leaves', async () => {
  let answer = () => {};
  const server = keep(
    await httpServer((response, _request, count) => {
      if (count > 1) return sendJson(response, '{}');
      answer = () => sendJson(response, '{}');
    }),
  );
  const transport = transportTo(server.baseUrl, { timeoutMs: 300, concurrency: 1 });
  const first = transport.send(GET).catch(() => undefined);
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const second = transport.send(GET).catch((error: unknown) => error);
  // The only connection is busy until the deadlines of both are over: no turn of the event loop lies between them, however slow the machine.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  expect(await second).toMatchObject({ name: 'DeadlineError' });
  await first;
  answer();
  // The transport is usable still. The second would have gone before the third: there is one connection.
  expect((await transport.send(GET)).status).toBe(200);
  expect(server.requests).toHaveLength(2);
});
