/**
 * axios over undici. axios is the house's HTTP client and merges what every request has in common; everything that it
 * would do to a body or an address by itself is switched off.
 */
import axios, { type AxiosAdapter, type AxiosInstance, type AxiosResponse } from 'axios';
import { Agent, type Dispatcher } from 'undici';
import { ACCEPTED_ENCODINGS, decodeContent } from './content-decoding.ts';
import { type ExchangeLimits, exchange } from './exchange.ts';
import { exchangeFailure } from './exchange-failure.ts';
import { retryAfterMs } from './retry-after.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  /** Path and query, from the root of the host. */
  path: string;
  /** JSON text. */
  body?: string | undefined;
}

export interface HttpAnswer {
  status: number;
  /** `application/json`, in lower case and without parameters; null where the answer names none. */
  contentType: string | null;
  /** What a `Retry-After` header asks for; null without one. */
  retryAfterMs: number | null;
  /** The bytes received, without their content encoding. */
  body: Buffer;
}

export interface TransportOptions {
  /** Only its origin is used here; paths are built in urls.ts. */
  baseUrl: string;
  /** One deadline for the whole exchange. */
  timeoutMs: number;
  /** Requests in flight at once: as many connections are kept. */
  concurrency: number;
  /** The source address of every connection. */
  localAddress?: string | undefined;
}

export interface Transport {
  /** @throws ExchangeError where there is no whole answer. A status, whatever it is, is an answer. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** The largest assets response seen is a tenth of this. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/**
 * A slot of the limiter is safe only for a few seconds (its guard): a request that cannot leave by then must not leave
 * later, so connecting gets no more time than this.
 */
const CONNECT_TIMEOUT_MS = 4_000;

export function createTransport(options: TransportOptions): Transport {
  const connectTimeoutMs = Math.min(options.timeoutMs, CONNECT_TIMEOUT_MS);
  const agent = new Agent({
    connections: options.concurrency,
    pipelining: 1,
    // HTTP/2 sends a request again by itself when a stream is refused: a request that no slot was booked for.
    allowH2: false,
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
  });
  const http = axios.create({
    adapter: adapterOver(agent, new URL(options.baseUrl).origin, connectTimeoutMs),
    timeout: options.timeoutMs,
    maxContentLength: MAX_BODY_BYTES,
    maxRedirects: 0,
    proxy: false,
    // A body is evidence and a status is an answer: neither is axios's to judge.
    transformRequest: [],
    transformResponse: [],
    validateStatus: null,
    headers: {
      common: { Accept: 'application/json', 'Accept-Encoding': ACCEPTED_ENCODINGS, 'User-Agent': 'tieout' },
      post: { 'Content-Type': 'application/json' },
    },
  });
  return {
    send: (request) => send(http, request),
    close: () => agent.destroy(),
  };
}

async function send(http: AxiosInstance, { method, path, body }: HttpRequest): Promise<HttpAnswer> {
  try {
    const { status, headers, data } = await http.request<Buffer>({ method, url: path, data: body });
    const contentType = text(headers['content-type']);
    return {
      status,
      contentType: contentType?.split(';')[0]?.trim().toLowerCase() ?? null,
      retryAfterMs: retryAfterMs(text(headers['retry-after']), text(headers.date)),
      body: data,
    };
  } catch (error) {
    // Errors that axios makes itself hold the whole request, secret included: they are translated here and go no further.
    throw exchangeFailure(error, { answered: false, connectTimeoutMs: 0 });
  }
}

function adapterOver(dispatcher: Dispatcher, origin: string, connectTimeoutMs: number): AxiosAdapter {
  return async (config) => {
    const limits: ExchangeLimits = {
      deadlineMs: config.timeout ?? 0,
      connectTimeoutMs,
      maxBytes: config.maxContentLength ?? 0,
    };
    const request: Dispatcher.DispatchOptions = {
      origin,
      path: config.url ?? '/',
      method: (config.method ?? 'get').toUpperCase(),
      headers: config.headers.toJSON() as Record<string, string>,
      body: config.data ?? null,
    };
    const answer = await exchange(dispatcher, request, limits);
    const encoding = text(answer.headers['content-encoding']);
    const data = encoding === null ? answer.body : await decodeContent(answer.body, encoding, limits.maxBytes);
    return { data, status: answer.status, statusText: '', headers: answer.headers, config } as AxiosResponse<Buffer>;
  };
}

/** A header that came more than once counts as its first. */
function text(header: unknown): string | null {
  const first: unknown = Array.isArray(header) ? header[0] : header;
  return typeof first === 'string' ? first : null;
}
