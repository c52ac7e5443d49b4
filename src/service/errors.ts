/**
 * Errors of the client that other rooms do not distinguish: one class per cause. None carries the URL, which has the
 * view token in its query, nor anything received.
 */

import { UnavailableError, UsageError } from '../domain/errors.ts';
import type { Drift } from '../domain/snapshot.ts';
import { ExchangeError } from '../ports/service-errors.ts';
import { counted } from '../text/counts.ts';
import { driftInWords } from './drift.ts';

/** The name of the Service's host could not be resolved. */
export class DnsError extends ExchangeError {
  constructor(code: string, cause: unknown) {
    const remedy = 'check its spelling and the name servers';
    super('the host of service.url cannot be resolved', { code, cause, remedy });
  }
}

/** The connection was refused: no process listens there, or a firewall refuses. Counted by the limiter's circuit. */
export class ConnectionRefusedError extends ExchangeError {
  constructor(code: string, cause: unknown) {
    const remedy = 'check service.url, or wait if this address is blocked';
    super('the connection to the Service was refused', { code, cause, remedy });
  }
}

/** The connection could not be made or broke off before an answer began. */
export class ConnectionLostError extends ExchangeError {
  constructor(code: string | null, cause: unknown) {
    super('the connection to the Service broke off', { code, cause, remedy: 'check the network' });
  }
}

/** No tunnel: the proxy could not be reached, or answered CONNECT with another status than 200. Never counted as a block by the Service. */
export class ProxyFailedError extends ExchangeError {
  constructor(code: string | null, cause: unknown) {
    const remedy = 'check service.proxy, its user and password, and whether it may reach the host of service.url';
    super('the proxy of service.proxy made no connection to the Service', { code, cause, remedy });
  }
}

/** The answer began and did not end: fewer bytes came than were announced. */
export class TruncatedBodyError extends ExchangeError {
  constructor(code: string | null, cause?: unknown) {
    super('the Service’s answer ended too early', { code, cause });
  }
}

/** Connecting, waiting and reading together took longer than `service.timeout`. */
export class DeadlineError extends ExchangeError {
  constructor(phase: 'connecting' | 'waiting' | 'reading', allowedMs: number) {
    const remedy = 'raise service.timeout if this is usual';
    super(`the Service did not answer within ${allowedMs} ms (${phase})`, { remedy });
  }
}

/** The body is larger than any record or list of the Service can be. */
export class BodyTooLargeError extends ExchangeError {
  constructor(limitBytes: number) {
    super(`the Service’s answer is larger than ${limitBytes} bytes and was not read to its end`);
  }
}

/** The bytes are not HTTP, or not in an offered content encoding. */
export class NotHttpError extends ExchangeError {
  constructor(code: string | null) {
    const remedy = 'check service.url and any proxy between';
    super('the answer is not valid HTTP', { code, remedy });
  }
}

/** A whole answer that a caller cannot use. Records have outcomes instead, see fetch-record.ts. */
abstract class AnswerError extends UnavailableError {
  override readonly aboutOneRequest = true;
}

/** The Service failed on every attempt: 5xx. */
export class ServerFailureError extends AnswerError {
  constructor(httpStatus: number, attempts: number) {
    const times = counted(attempts, 'time');
    super(`the Service failed ${times}, last with HTTP ${httpStatus}`, { remedy: 'try again later' });
  }
}

/**
 * An answer that is not from the Service: HTML from a proxy, another content type, no object where one is required.
 */
export class NotJsonError extends AnswerError {
  constructor(httpStatus: number) {
    const remedy = 'check that service.url ends in /api and names the Service';
    super(`the answer (HTTP ${httpStatus}) is not the Service’s JSON`, { remedy });
  }
}

/** A redirect. It is never followed: the query holds a secret. */
export class RedirectedError extends AnswerError {
  constructor(httpStatus: number) {
    const remedy = 'set service.url to the final address';
    super(`the Service answered with a redirect (HTTP ${httpStatus}), which is not followed`, { remedy });
  }
}

/** A body whose fields differ from the specification; `drift` lists all of them, the message the first five. */
export class AnswerDriftError extends AnswerError {
  readonly drift: readonly Drift[];
  constructor(what: string, drift: readonly Drift[]) {
    const first = drift.slice(0, 5).map(driftInWords).join('; ');
    super(`${what} has changed its shape: ${first}${drift.length > 5 ? '; …' : ''}`);
    this.drift = drift;
  }
}

/** A body that cannot be read in exactly one way: duplicate keys, numbers out of range, no JSON. */
export class UnreadableAnswerError extends AnswerError {
  constructor(detail: string) {
    super(`the Service’s answer cannot be used: ${detail}`);
  }
}

/** Quotes need the integration key (spec §5). Nothing was sent. */
export class HostApiKeyMissingError extends UsageError {
  constructor() {
    super('quotes need an integration key', { remedy: 'set TIEOUT_HOST_API_KEY or TIEOUT_HOST_API_KEY_FILE' });
  }
}

/** An endpoint that the requested version of the API does not have (spec §4, §9). Nothing was sent. */
export class UnknownEndpointError extends UsageError {
  constructor(name: string, api: string, available: readonly string[]) {
    super(`the API ${api} has no "${name}"`, { remedy: `ask ${available.join(' or ')}` });
  }
}

/** A request that the Service could only reject. Nothing was sent. */
export class InvalidRequestError extends UsageError {
  override readonly aboutOneRequest = true;
}
