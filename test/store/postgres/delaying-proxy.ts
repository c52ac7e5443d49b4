/** A way to a server that takes its time: delays what comes back, and counts how often a client waited for it. */
import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '../../support/listen-locally.ts';

export interface DelayingProxy extends AsyncDisposable {
  /** The same database through the proxy. */
  url: string;
  /** How often a client has sent something after an answer had come: round trips, however much each carried. */
  roundTrips(): number;
}

/** @param delayMs of each answer; those of statements that were sent together come together. */
export async function delayingProxy(target: string, delayMs: number): Promise<DelayingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let trips = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isAnswered = true;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (isAnswered) trips++;
      isAnswered = false;
      upstream.write(chunk);
    });
    let held: Buffer[] = [];
    upstream.on('data', (chunk: Buffer) => {
      held.push(chunk);
      if (held.length > 1) return;
      setTimeout(() => {
        isAnswered = true;
        client.write(Buffer.concat(held));
        held = [];
      }, delayMs);
    });
  });
  const own = new URL(target);
  own.host = `127.0.0.1:${await listenLocally(server)}`;
  return {
    url: own.href,
    roundTrips: () => trips,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
