/**
 * Bounds how long a connection may be silent: while it connects, while it waits for an answer, and while it closes.
 * Without these bounds the driver waits for a vanished server until TCP gives up, after a quarter of an hour at best,
 * and for ever where a device in between still acknowledges packets.
 */
import { Socket } from 'node:net';

const CONNECT_MS = 10_000;
/** TCP keep-alive, which also finds a vanished machine while a long statement runs. */
const KEEP_ALIVE_MS = 10_000;
/**
 * How long closing may take. Cutting a connection loses nothing: commits are durable, open transactions are rolled
 * back.
 */
const CLOSE_MS = 3_000;

export type BoundedConnections = ReturnType<typeof boundConnections>;

/**
 * @param answerMs how long a statement may take, including waits for locks; `query_timeout` in the URL takes
 * precedence.
 */
export function boundConnections(answerMs: number) {
  const open = new Set<Socket>();
  const stream = (): Socket => {
    const socket = new Socket();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    return socket;
  };
  return {
    /** For the options of a pool. */
    settings: {
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: answerMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream,
    },
    /** Closes the connections opened with these settings; destroys the sockets that do not close in time. */
    end: async (close: () => Promise<void>) => {
      const cut = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, CLOSE_MS);
      try {
        await close();
      } finally {
        clearTimeout(cut);
      }
    },
  };
}
