/** Connections to the Service as tunnels through a proxy (CONNECT, RFC 9110 §9.3.6), for networks that have no other way out. */
import { type Agent, type buildConnector, errors, Pool, ProxyAgent } from 'undici';
import { codeOf } from '../domain/errors.ts';
import { TlsError } from '../ports/service-errors.ts';
import { ProxyFailedError } from './errors.ts';
import { exchangeFailure } from './exchange.ts';

/**
 * @param proxy its address, with its user and password if it wants them
 * @param connectTimeoutMs reaching the proxy, its answer and TLS with the Service, together
 */
export function tunnelAgent(proxy: string, connectTimeoutMs: number, options: Agent.Options): ProxyAgent {
  const { localAddress, ...rest } = options;
  const tls = { rejectUnauthorized: true, allowH2: false };
  return new ProxyAgent({
    ...rest,
    uri: proxy,
    // Without a tunnel, which is the default for addresses in plain http, the proxy would read the token in the query.
    proxyTunnel: true,
    proxyTls: tls,
    requestTls: tls,
    clientFactory: (origin, connection) => new Pool(origin, { ...connection, ...(localAddress && { localAddress }) }),
    factory: (origin, connection: Pool.Options) =>
      new Pool(origin, {
        ...connection,
        connect: within(connection.connect as buildConnector.connector, connectTimeoutMs),
      }),
  });
}

/** undici waits five minutes for a proxy's answer; by then the slot of the limiter is long over. */
function within(connect: buildConnector.connector, timeoutMs: number): buildConnector.connector {
  return (options, callback) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      callback(new ProxyFailedError('ETIMEDOUT', undefined), null);
    }, timeoutMs);
    // A client that is closed meanwhile does not wait for it.
    timer.unref();
    connect(options, (error, socket) => {
      clearTimeout(timer);
      if (isLate) socket?.destroy();
      else if (error === null) callback(null, socket);
      else callback(proxyFailure(error, timeoutMs), null);
    });
  };
}

/** The status that a proxy answers with stands in undici's message alone. */
const REFUSED = /^Proxy response \((\d{3})\)/;

function proxyFailure(error: Error, connectTimeoutMs: number): Error {
  const status = error instanceof errors.RequestAbortedError ? REFUSED.exec(error.message)?.[1] : undefined;
  if (status !== undefined) return new ProxyFailedError(`HTTP ${status}`, undefined);
  const failure = exchangeFailure(error, { answered: false, connectTimeoutMs });
  return failure instanceof TlsError ? failure : new ProxyFailedError(codeOf(error), failure.cause);
}
