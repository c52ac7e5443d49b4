/** A server that receives webhooks on loopback, and gives the configured answers. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listenLocally } from '../../support/listen-locally.ts';
import { asObject, type Json } from '../a-sandbox.ts';

export interface Received {
  /** Path and query as they came. */
  url: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Json;
}

export interface Receiver {
  origin: string;
  received: Received[];
  /** Answers of the next requests, in turn; then 200. */
  answers: number[];
  /** Resolves once so many have come. */
  count(n: number): Promise<readonly Received[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function aReceiver(answers: readonly number[] = []): Promise<Receiver> {
  const received: Received[] = [];
  const left = [...answers];
  let arrived = () => {};
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      received.push({ url: request.url ?? '', headers: request.headers, text, body: asObject(JSON.parse(text)) });
      response.writeHead(left.shift() ?? 200, { location: '/elsewhere' }).end();
      arrived();
    });
  });
  const port = await listenLocally(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    answers: left,
    async count(n) {
      while (received.length < n) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return received;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits until it is so; a test that waits in vain runs into its own time limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
