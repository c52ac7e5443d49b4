/**
 * No connection hangs for ever. A server that vanished behind a network that says nothing would be waited for by the
 * driver until TCP gives up, which is a quarter of an hour at best, and never where something in between still
 * acknowledges. So silence is bounded in three places: connecting, waiting for an answer, and saying goodbye.
 */
import { Socket } from 'node:net';
import type pg from 'pg';

const CONNECT_MS = 10_000;
/** A vanished machine is asked after by the kernel too, for statements that may take their time. */
const KEEP_ALIVE_MS = 10_000;
/** Nothing of ours depends on the goodbye: what was committed stays, what was not is rolled back. */
const GOODBYE_MS = 3_000;

export interface BoundedConnections {
  /** For the options of a pool. */
  settings: Pick<
    pg.PoolConfig,
    'connectionTimeoutMillis' | 'query_timeout' | 'keepAlive' | 'keepAliveInitialDelayMillis' | 'stream'
  >;
  /** Ends what was opened with these settings; cuts the connections that do not answer the goodbye. */
  end(close: () => Promise<void>): Promise<void>;
}

/** @param answerMs how long a statement may take, waiting for locks included; `query_timeout` in the URL overrules it. */
export function boundConnections(answerMs: number): BoundedConnections {
  const open = new Set<Socket>();
  const stream = (): Socket => {
    const socket = new Socket();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    return socket;
  };
  return {
    settings: {
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: answerMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream,
    },
    end: async (close) => {
      const cut = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, GOODBYE_MS);
      try {
        await close();
      } finally {
        clearTimeout(cut);
      }
    },
  };
}
