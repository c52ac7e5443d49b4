/**
 * A proxy on loopback between Tieout and the Service that can change every answer, at the level of the socket where needed.
 * Everything else passes unchanged.
 */
import { createServer, type ServerResponse, request as send } from 'node:http';
import type { Socket } from 'node:net';
import { listenLocally } from '../../support/listen-locally.ts';

export interface RealAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** One request that came to the proxy. */
export interface Call {
  method: string;
  /** Without the query. */
  path: string;
  /** Of a purchase or sale; null for every other path. */
  recordId: string | null;
  /** Requests so far for this path, this one included. */
  count: number;
  response: ServerResponse;
  socket: Socket;
  /** The Service's answer. */
  real(): Promise<RealAnswer>;
  /** Forwards the Service's answer. */
  pass(): Promise<void>;
}

export type Meddling = (call: Call) => void | Promise<void>;

export interface FaultProxy {
  /** Ends in `/api`. */
  url: string;
  /** The handler of each call; the first one passes it. */
  meddle: Meddling;
  /** When each request came, in ms of performance.now(). */
  readonly arrivals: readonly number[];
  /** Requests for one record. */
  count(recordId: string): number;
  /** More than one request was for the same record: how many were too many. */
  repeated(): number;
  close(): Promise<void>;
}

const RECORD = /\/(?:purchase|sale)\/([^/]+)$/;

export const passing: Meddling = (call) => call.pass();

/** @param target the Service's base, `http://127.0.0.1:4010/api`. */
export async function startProxy(target: string): Promise<FaultProxy> {
  const upstream = new URL(target);
  const counts = new Map<string, number>();
  const arrivals: number[] = [];
  const server = createServer((request, response) => {
    // The clocks of a scene stand where it puts them.
    response.sendDate = false;
    const url = new URL(request.url ?? '/', upstream);
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      arrivals.push(performance.now());
      const recordId = RECORD.exec(url.pathname)?.[1] ?? null;
      const key = recordId ?? url.pathname;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const { method = 'GET' } = request;
      const real = () => ask(upstream, method, `${url.pathname}${url.search}`, Buffer.concat(body));
      const pass = async () => {
        const { status, headers, body: bytes } = await real();
        response.writeHead(status, headers).end(bytes);
      };
      const call = {
        method,
        path: url.pathname,
        recordId,
        count,
        response,
        socket: response.socket as Socket,
        real,
        pass,
      };
      // A subject that is killed leaves its answers unread; that is no fault of the proxy.
      Promise.resolve(proxy.meddle(call)).catch(() => response.destroy());
    });
  });
  const port = await listenLocally(server);
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}/api`,
    meddle: passing,
    arrivals,
    count: (recordId) => counts.get(recordId) ?? 0,
    repeated: () => [...counts.values()].reduce((sum, count) => sum + count - 1, 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

function ask(upstream: URL, method: string, path: string, body: Buffer): Promise<RealAnswer> {
  return new Promise((resolve, reject) => {
    const headers = body.length === 0 ? {} : { 'content-type': 'application/json', 'content-length': body.length };
    const outgoing = send({ host: upstream.hostname, port: upstream.port, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const type = incoming.headers['content-type'] ?? 'application/json';
        resolve({ status: incoming.statusCode ?? 0, headers: { 'content-type': type }, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
