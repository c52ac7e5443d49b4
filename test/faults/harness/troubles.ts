/** What a network, a proxy or a broken Service can do to one answer, written to the socket byte by byte. */
import { gzipSync } from 'node:zlib';
import type { Call, Meddling } from './proxy.ts';

const MIB = 2 ** 20;
const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
/** 200 MiB of spaces in 200 KiB. */
const bomb = gzipSync(Buffer.alloc(200 * MIB, 0x20), { level: 9 });

const raw = (call: Call, text: string) => call.socket.write(text);

/** Writes pieces until all are written or the reader is gone. */
async function pour(call: Call, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (call.socket.destroyed) return;
    if (call.socket.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const go = () => {
        call.socket.off('drain', go).off('close', go);
        resolve();
      };
      call.socket.once('drain', go).once('close', go);
    });
  }
  call.socket.end();
}

function* megabytes(count: number): Generator<Buffer> {
  for (let n = 0; n < count; n++) yield Buffer.alloc(MIB, 0x20);
}

/** Reset after the head and some of the body. */
export const resetMidBody: Meddling = async (call) => {
  const { body } = await call.real();
  raw(call, `${JSON_HEAD}Content-Length: ${body.length}\r\n\r\n`);
  call.socket.write(body.subarray(0, body.length / 2), () => call.socket.resetAndDestroy());
};

/** Less than the head announced, and an orderly end. */
export const shorterThanAnnounced: Meddling = async (call) => {
  const { body } = await call.real();
  raw(call, `${JSON_HEAD}Content-Length: ${body.length}\r\n\r\n`);
  call.socket.end(body.subarray(0, body.length / 2));
};

/** Chunks that end before the last one. */
export const unfinishedChunks: Meddling = async (call) => {
  const { body } = await call.real();
  const half = body.subarray(0, Math.floor(body.length / 2));
  raw(call, `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n`);
  call.socket.write(half);
  call.socket.end('\r\n');
};

/** Whole chunks whose text is half a body: to HTTP all is well. */
export const halfTextInWholeChunks: Meddling = async (call) => {
  const { body } = await call.real();
  call.response.writeHead(200, { 'content-type': 'application/json' });
  call.response.write(body.subarray(0, body.length / 4));
  call.response.end(body.subarray(body.length / 4, body.length / 2));
};

/** A byte every 100 ms: a client that measures idle time only waits for ever. */
export const drip: Meddling = async (call) => {
  const { body } = await call.real();
  raw(call, `${JSON_HEAD}Content-Length: ${body.length}\r\n\r\n`);
  let sent = 0;
  const timer = setInterval(() => {
    if (call.socket.destroyed || sent >= body.length) clearInterval(timer);
    else call.socket.write(body.subarray(sent, ++sent));
  }, 100);
};

export const silence: Meddling = () => undefined;

const answering =
  (status: number, headers: Record<string, string>, body: string): Meddling =>
  (call) =>
    void call.response.writeHead(status, headers).end(body);

export const page = answering(
  200,
  { 'content-type': 'text/html' },
  '<!doctype html><title>Maintenance</title><h1>Back soon</h1>',
);

/** The right body under the wrong name. */
export const wrongType: Meddling = async (call) => {
  const { body } = await call.real();
  call.response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(body);
};

export const hugeAnnounced: Meddling = (call) => {
  raw(call, `${JSON_HEAD}Content-Length: ${100 * MIB}\r\n\r\n`);
  return pour(call, megabytes(100));
};

export const hugeChunked: Meddling = (call) => {
  raw(call, `${JSON_HEAD}Connection: close\r\n\r\n`);
  return pour(call, megabytes(100));
};

export const gzipBomb: Meddling = (call) => {
  raw(call, `${JSON_HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
  return pour(call, [bomb]);
};

/** Sends the asker, with its secret, somewhere else. */
export const redirectTo =
  (origin: string): Meddling =>
  (call) =>
    void call.response.writeHead(302, { location: `${origin}${call.response.req.url ?? ''}` }).end();

export const failing = (status: number): Meddling =>
  answering(status, { 'content-type': 'application/json' }, `{"statusCode":${status},"message":"unavailable"}`);

/** A fault the first times, and then the real answer. */
export const atFirst =
  (times: number, trouble: Meddling): Meddling =>
  (call) =>
    call.count <= times ? trouble(call) : call.pass();
