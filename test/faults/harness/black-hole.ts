/**
 * A proxy on loopback to a TCP server that can fall silent: sent bytes are acknowledged and dropped, new connections
 * are accepted and never answered, as by a firewall that dropped a connection from its table.
 */
import { connect, createServer, type Socket } from 'node:net';
import { listenLocally } from '../../support/listen-locally.ts';

export interface BlackHole extends AsyncDisposable {
  /** The URL with the proxy's port. */
  through(url: string): string;
  /** Forwards nothing from now on. */
  swallow(): void;
  /** Forwards new connections again; earlier ones stay silent for ever. */
  heal(): void;
}

/** @param target where the server is; its host and port are taken. */
export async function openBlackHole(target: string): Promise<BlackHole> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const kept = (socket: Socket): Socket => {
    sockets.add(socket);
    // A client that gives up may send a reset.
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    kept(near);
    if (isSilent) return void near.pause();
    const far = kept(connect({ host: hostname, port: Number(port), allowHalfOpen: true }));
    near.pipe(far);
    far.pipe(near);
  });
  const own = await listenLocally(server);
  return {
    through: (url) => {
      const copy = new URL(url);
      copy.port = String(own);
      return copy.href;
    },
    swallow: () => {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    heal: () => {
      isSilent = false;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
