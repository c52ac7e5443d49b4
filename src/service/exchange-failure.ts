/** Errors of Node and undici in our own words. Theirs go no further: some hold the bytes received, or the request. */

import { errors } from 'undici';
import { ExchangeError, TlsError } from '../ports/service-errors.ts';
import {
  ConnectionLostError,
  ConnectionRefusedError,
  DeadlineError,
  DnsError,
  NotHttpError,
  TruncatedBodyError,
} from './errors/exchange-errors.ts';

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

/** @param error what undici reported; our own errors pass through. */
export function exchangeFailure(error: unknown, { answered, connectTimeoutMs }: Progress): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const code = codeOf(error);
  const cause = systemError(error);
  if (answered) return new TruncatedBodyError(code, cause);
  // Its message and its `data` quote what came, so it is not kept as a cause.
  if (error instanceof errors.HTTPParserError) return new NotHttpError(code);
  if (code === null) return new ConnectionLostError(null, cause);
  if (CERTIFICATE.test(code)) return new TlsError(code, cause);
  if (DNS.has(code)) return new DnsError(code, cause);
  if (code === 'ECONNREFUSED') return new ConnectionRefusedError(code, cause);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new DeadlineError('connecting', connectTimeoutMs);
  return new ConnectionLostError(code, cause);
}

/** A connection tried at several addresses fails with one error for all of them; the first speaks for them. */
function codeOf(error: unknown): string | null {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Only errors of the operating system are kept as a cause: they hold addresses and numbers, never content. */
function systemError(error: unknown): Error | undefined {
  if (error instanceof AggregateError) return systemError(error.errors[0]);
  return error instanceof Error && 'syscall' in error ? error : undefined;
}
