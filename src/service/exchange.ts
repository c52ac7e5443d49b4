/**
 * One request and its whole answer over undici, under one deadline. The axios adapter is built on this, because the
 * adapters of axios follow redirects with the secret in the query, accept 200 MB of gzip, and have a timeout that a
 * dripping body resets with every byte.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { codeOf } from '../domain/errors.ts';
import { ExchangeError, TlsError } from '../ports/service-errors.ts';
import {
  BodyTooLargeError,
  ConnectionLostError,
  ConnectionRefusedError,
  DeadlineError,
  DnsError,
  NotHttpError,
  TruncatedBodyError,
} from './errors.ts';

/** What an answer may cost before it is dropped. */
export interface ExchangeLimits {
  /** Connecting, waiting for the head and reading the body, together. */
  deadlineMs: number;
  connectTimeoutMs: number;
  /** Bytes as they come over the wire. */
  maxBytes: number;
}

/** Bytes as received, decompressed up to the limit. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** As `exchange` returns it, still in its content encoding. */
  body: Buffer;
}

const MOST_ANNOUNCEMENTS = 100;
/** Two lengths, or a length beside chunks. */
const LENGTHS_DIFFER = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** @throws ExchangeError */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(
      // undici's own timers are off: they restart with every byte, and tick twice a second only.
      { ...request, headersTimeout: 0, bodyTimeout: 0 },
      handlerOf(limits, resolve, reject),
    );
  });
}

function handlerOf(
  { deadlineMs, connectTimeoutMs, maxBytes }: ExchangeLimits,
  resolve: (answer: RawAnswer) => void,
  reject: (error: ExchangeError) => void,
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | null = null;
  let failure: ExchangeError | null = null;
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let announcements = 0;
  /** `size` bytes of it are taken. Pieces are copied: kept as they came, each takes 300 bytes, and a piece may have one. */
  let body = Buffer.alloc(0);
  let size = 0;
  const take = (piece: Buffer) => {
    if (size + piece.length > body.length) {
      const larger = Buffer.allocUnsafe(Math.max(size + piece.length, 2 * body.length));
      body.copy(larger, 0, 0, size);
      body = larger;
    }
    size += piece.copy(body, size);
  };
  /** The first failure counts; aborting brings a second one. */
  const fail = (error: ExchangeError) => {
    if (failure !== null) return;
    failure = error;
    body = Buffer.alloc(0);
    clearTimeout(deadline);
    reject(error);
  };
  const giveUp = (error: ExchangeError) => {
    fail(error);
    if (failure !== null) controller?.abort(failure);
  };
  const deadline = setTimeout(() => {
    const phase = controller === null ? 'connecting' : status === 0 ? 'waiting' : 'reading';
    giveUp(new DeadlineError(phase, deadlineMs));
  }, deadlineMs);
  return {
    onRequestStart(started) {
      controller = started;
      // Given up while it still waited for a connection: it must not leave after all, its slot may be stale.
      if (failure !== null) started.abort(failure);
    },

    onResponseStart(_controller, code, received) {
      // Heads below 200 announce another one; without an end they would take a core until the deadline.
      if (code < 200) {
        if (++announcements > MOST_ANNOUNCEMENTS) giveUp(new NotHttpError(null));
        return;
      }
      status = code;
      headers = received;
      if (Number(headers['content-length'] ?? 0) > maxBytes) giveUp(new BodyTooLargeError(maxBytes));
    },

    onResponseData(_controller, chunk) {
      if (failure !== null) return;
      if (size + chunk.length > maxBytes) giveUp(new BodyTooLargeError(maxBytes));
      else take(chunk);
    },

    onResponseEnd() {
      clearTimeout(deadline);
      resolve({ status, headers, body: body.subarray(0, size) });
    },

    onResponseError: (_controller, error) => fail(exchangeFailure(error, { answered: status !== 0, connectTimeoutMs })),
  };
}

/** How far an exchange had come when it failed. */
export interface Progress {
  /** Whether the head of the answer had arrived. */
  answered: boolean;
  connectTimeoutMs: number;
}

const DNS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME', 'ESERVFAIL', 'ENODATA']);

/** Certificates are refused by OpenSSL with names of their own, everything else of TLS with one of the prefixes. */
const CERTIFICATE =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|EPROTO$)/;

/**
 * Errors of Node and undici as errors of this room. The originals are not passed on: some hold the bytes received, or
 * the request.
 */
export function exchangeFailure(error: unknown, { answered, connectTimeoutMs }: Progress): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const code = codeOf(error);
  const cause = systemError(error);
  if (answered) return new TruncatedBodyError(code, cause);
  // Its message and its `data` quote what came, so it is not kept as a cause.
  if (error instanceof errors.HTTPParserError || code === LENGTHS_DIFFER) return new NotHttpError(code);
  if (code === null) return new ConnectionLostError(null, cause);
  if (CERTIFICATE.test(code)) return new TlsError(code, cause);
  if (DNS.has(code)) return new DnsError(code, cause);
  if (code === 'ECONNREFUSED') return new ConnectionRefusedError(code, cause);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new DeadlineError('connecting', connectTimeoutMs);
  return new ConnectionLostError(code, cause);
}

/** Only errors of the operating system are kept as a cause: they hold addresses and numbers, never content. */
function systemError(error: unknown): Error | undefined {
  if (error instanceof AggregateError) return systemError(error.errors[0]);
  return error instanceof Error && 'syscall' in error ? error : undefined;
}
