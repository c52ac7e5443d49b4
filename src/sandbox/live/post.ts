/** One attempt to deliver a webhook over HTTP. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface PostAnswer {
  /** Null where no answer came. */
  status: number | null;
  /** Null for a 2xx. */
  problem: string | null;
}

/** A receiver that does not answer in this time has not taken the webhook. Real time: somebody is really waiting. */
const PATIENCE = 10_000;

/**
 * Never rejects: whatever goes wrong is the answer. Redirects are not followed: the receiver has not taken the body.
 * @param path path and query, sent as they are.
 */
export function post(
  url: URL,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<PostAnswer> {
  const { promise, resolve } = Promise.withResolvers<PostAnswer>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = send({
    method: 'POST',
    // Node wants an IPv6 address without the brackets of a URL.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : url.port,
    path,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
  });
  sent.on('error', (error: NodeJS.ErrnoException) => resolve({ status: null, problem: problemOf(error) }));
  sent.on('response', (response) => {
    const status = response.statusCode ?? 0;
    response.on('error', () => undefined);
    response.resume();
    resolve({ status, problem: status >= 200 && status < 300 ? null : `answered ${status}` });
  });
  sent.end(body);
  return promise;
}

function problemOf({ name, code }: NodeJS.ErrnoException): string {
  if (name === 'TimeoutError' || code === 'ABORT_ERR') return 'no answer in time';
  return code === 'ECONNREFUSED' ? 'nobody listens there' : `not delivered (${code ?? name})`;
}
