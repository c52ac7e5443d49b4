/** Real servers on a free port, for fakes at the wire: one over HTTP, and one that writes exactly the given bytes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { listenLocally } from '../support/listen-locally.ts';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface TestServer {
  /** Ends in `/api`, as the Service's base does. */
  baseUrl: string;
  port: number;
  requests: SeenRequest[];
  close(): Promise<void>;
}

type Answer = (response: ServerResponse, request: SeenRequest, count: number) => void | Promise<void>;

/** `answer` is called with every request and how many there have been, the first being 1. */
export async function httpServer(answer: Answer): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    // Tests have clocks of their own, which a run would hold against this one.
    response.sendDate = false;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen: SeenRequest = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(seen);
      void answer(response, seen, requests.length);
    });
  });
  const port = await listenLocally(server);
  return {
    ...addressOf(port),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A server of bytes: `talk` gets the socket once the request's head has arrived. */
export async function rawServer(
  talk: (socket: Socket, count: number) => void,
): Promise<Omit<TestServer, 'requests'> & { count: () => number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      if (bytes.includes('\r\n\r\n')) talk(socket, ++count);
    });
  });
  const port = await listenLocally(server);
  return {
    ...addressOf(port),
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function addressOf(port: number): { baseUrl: string; port: number } {
  return { baseUrl: `http://127.0.0.1:${port}/api`, port };
}

export function sendJson(
  response: ServerResponse,
  body: string,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(body);
}

export function sendHtml(response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end('<html><body>Bad gateway</body></html>');
}
