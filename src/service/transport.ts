/**
 * axios over undici. axios merges what every request has in common; it touches no body, header or address
 * (docs/decisions/0012-what-axios-is-used-for.md).
 */

import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { Axios, type AxiosAdapter } from 'axios';
import { Agent, type Dispatcher } from 'undici';
import { codeOf } from '../domain/errors.ts';
import type { ExchangeError } from '../ports/service-errors.ts';
import { BodyTooLargeError, NotHttpError, TruncatedBodyError } from './errors.ts';
import { type ExchangeLimits, exchange, exchangeFailure, type RawAnswer } from './exchange.ts';
import type { ServerTime } from './server-time.ts';
import { tunnelAgent } from './tunnel.ts';

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
  /** The address of a proxy that every connection is a tunnel through. */
  proxy?: string | undefined;
  /** Receives the `Date` and `Age` of every answer. */
  serverTime?: ServerTime | undefined;
}

/** Sends requests within the limits; never follows a redirect. */
export interface Transport {
  /** @throws ExchangeError where there is no whole answer. Every status is an answer. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** The largest assets response seen is a tenth of this. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/**
 * A slot of the limiter is safe only for a few seconds (its guard): a request that cannot leave by then must not leave
 * later, so connecting gets no more time than this.
 */
const CONNECT_TIMEOUT_MS = 4_000;

const GET_HEADERS = { Accept: 'application/json', 'Accept-Encoding': 'gzip, br, deflate', 'User-Agent': 'tieout' };
const POST_HEADERS = { ...GET_HEADERS, 'Content-Type': 'application/json' };

export function createTransport(options: TransportOptions): Transport {
  const connectTimeoutMs = Math.min(options.timeoutMs, CONNECT_TIMEOUT_MS);
  const connections = {
    connections: options.concurrency,
    pipelining: 1,
    // HTTP/2 sends a request again by itself when a stream is refused: a request that no slot was booked for.
    allowH2: false,
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
  };
  const agent =
    options.proxy === undefined
      ? new Agent({ ...connections, connect: { timeout: connectTimeoutMs, rejectUnauthorized: true } })
      : tunnelAgent(options.proxy, connectTimeoutMs, connections);
  // Not `axios.create`: its defaults transform bodies, and merging them took a third of the time of a request.
  const http = new Axios({
    adapter: adapterOver(agent, new URL(options.baseUrl).origin, connectTimeoutMs),
    timeout: options.timeoutMs,
    maxContentLength: MAX_BODY_BYTES,
  });
  return {
    send: (request) => send(http, request, options.serverTime),
    close: () => agent.destroy(),
  };
}

async function send(
  http: Axios,
  { method, path, body }: HttpRequest,
  serverTime: ServerTime | undefined,
): Promise<HttpAnswer> {
  try {
    const { data: answer } = await http.request<RawAnswer>({ method, url: path, data: body });
    const { status, headers } = answer;
    serverTime?.note(text(headers.date), text(headers.age));
    const contentType = text(headers['content-type']);
    return {
      status,
      contentType: contentType?.split(';')[0]?.trim().toLowerCase() ?? null,
      retryAfterMs: retryAfterMs(text(headers['retry-after']), text(headers.date)),
      body: answer.body,
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
      headers: config.method === 'post' ? POST_HEADERS : GET_HEADERS,
      body: config.data ?? null,
    };
    const answer = await exchange(dispatcher, request, limits);
    const { status, headers } = answer;
    const encoding = text(headers['content-encoding']);
    const body = encoding === null ? answer.body : await decodeContent(answer.body, encoding, limits.maxBytes);
    const data: RawAnswer = { status, headers, body };
    // axios copies headers several times, each with a search for every name: it is given none.
    return { data, status, statusText: '', headers: {}, config };
  };
}

/** A header that came more than once counts as its first. */
function text(header: unknown): string | null {
  const first: unknown = Array.isArray(header) ? header[0] : header;
  return typeof first === 'string' ? first : null;
}

/**
 * The `Retry-After` header; the Service was never seen to send one. Milliseconds to wait: from seconds, or from a date, which is compared with the answer's own `Date`: both were read
 * from the server's clock, ours may differ. Null where nothing can be understood.
 */
export function retryAfterMs(retryAfter: string | null, date: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number.parseInt(retryAfter, 10) * 1000;
  // `Date.parse` takes nearly any number for a year: only what begins with the name of a day is a date of HTTP.
  if (date === null || !/^[A-Z][a-z]{2}/.test(retryAfter)) return null;
  const wait = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** A body never has more than two; a long list is an attack on memory and time. */
const MAX_LAYERS = 2;

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  'raw deflate': promisify(inflateRaw),
} as const;

/**
 * The body without its encodings. zlib stops as soon as `maxBytes` would be passed, so memory never grows beyond it.
 * @throws BodyTooLargeError, TruncatedBodyError, NotHttpError (an encoding that was not offered, or corrupt bytes)
 */
async function decodeContent(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const layers = encoding.split(',').map((layer) => layer.trim().toLowerCase());
  const applied = layers.filter((layer) => layer !== '' && layer !== 'identity');
  if (applied.length > MAX_LAYERS) throw new NotHttpError('ENCODING');
  let decoded = body;
  for (const layer of applied.reverse()) decoded = await decodeLayer(decoded, layer, maxBytes);
  return decoded;
}

async function decodeLayer(body: Buffer, layer: string, maxBytes: number): Promise<Buffer> {
  const decode = decoderOf(layer, body);
  if (decode === null) throw new NotHttpError('ENCODING');
  // An answer without a body may still name the encoding that it would have had.
  if (body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    throw decodingError(error, maxBytes);
  }
}

/** `deflate` is zlib by the standard and raw by some servers; the first byte distinguishes them. */
function decoderOf(layer: string, body: Buffer) {
  if (layer === 'deflate') return ((body[0] ?? 0) & 0x0f) === 8 ? decoders.deflate : decoders['raw deflate'];
  return layer === 'gzip' || layer === 'x-gzip' || layer === 'br' ? decoders[layer] : null;
}

function decodingError(error: unknown, maxBytes: number): ExchangeError {
  const code = codeOf(error);
  if (code === 'ERR_BUFFER_TOO_LARGE') return new BodyTooLargeError(maxBytes);
  if (code === 'Z_BUF_ERROR') return new TruncatedBodyError(code);
  return new NotHttpError(code);
}
