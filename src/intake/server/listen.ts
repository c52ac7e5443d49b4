/** Binds a server to its address, and closes it. */

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { UsageError } from '../../domain/errors.ts';

export interface RunningServer {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Takes no new request, answers those under way, and resolves when the last one is answered. */
  close(): Promise<void>;
}

interface ListenOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Where in the settings `host` and `port` stand: for the message. */
  setting: string;
  /** Connections that may wait to be accepted. */
  backlog?: number;
  /** Connections at once; further ones are cut. */
  mostConnections?: number;
}

/** Thrown where the configured address cannot be listened on. Exit code 2. */
export class ListenError extends UsageError {
  constructor({ host, port, setting }: ListenOptions, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
    super(`cannot listen on ${host} port ${port} (${code})`, {
      remedy: `set ${setting}.host and ${setting}.port to a free address of this machine`,
      cause,
    });
  }
}

/** An idle one takes some 20 KB, and a file of the process: without a bound, strangers take all, and the database none. */
const MOST_CONNECTIONS = 8_192;

/** The address that was taken, `http://127.0.0.1:8080`. @throws ListenError; the server is closed then */
export async function listenOn(app: FastifyInstance, options: ListenOptions): Promise<string> {
  const { host, port, backlog, mostConnections = MOST_CONNECTIONS } = options;
  app.server.maxConnections = mostConnections;
  try {
    await app.listen({ host, port, ...(backlog === undefined ? {} : { backlog }) });
  } catch (error) {
    await app.close();
    throw new ListenError(options, error);
  }
  const taken = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken.port}`;
}

/** How long a stop waits for clients that do not read their answer. */
const PATIENCE_MS = 10_000;

/** A client that keeps its connection for the next request would hold up the stop: each is closed with its answer. */
export function closeAfterAnswers(app: FastifyInstance, patience = PATIENCE_MS): () => Promise<void> {
  let stopping = false;
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
  return async () => {
    stopping = true;
    const timer = setTimeout(() => app.server.closeAllConnections(), patience);
    await app.close();
    clearTimeout(timer);
  };
}
