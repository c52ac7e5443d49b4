/**
 * Errors of the Service's client that other rooms tell apart: one class per cause. None carries the URL, which has
 * the view token in its query, nor anything received. All others are in src/service/errors.ts.
 */
import { type ErrorOptions, EXIT, type ExitCode, TieoutError, UnavailableError, UsageError } from '../domain/errors.ts';
import { type Instant, showInstant } from '../domain/record.ts';

/** Thrown to stop a run about which nothing can be judged. The CLI turns it into exit code 4. */
export class ServiceUnavailableError extends UnavailableError {}

/**
 * Thrown where the answers of the Service contradict a setting: the setting is wrong, not the records. Ends the run
 * with exit code 2.
 */
export class RefutedSettingError extends UsageError {}

/** Thrown where bodies have another maker's name in their identifiers than the settings. */
export class IdentifierNameError extends RefutedSettingError {
  constructor(bodies: number, found: string) {
    super(
      `${bodies === 1 ? 'The body that came has' : `All of the first ${bodies} purchase bodies have`} base${found}Fee: the settings name another maker. Nothing was judged`,
      { remedy: `set service.identifierName to ${found}` },
    );
  }
}

/** The wall clock is more than a day off, so dates, waits and due records would be wrong. Nothing is written. */
export class WrongClockError extends ServiceUnavailableError {
  constructor(what: string, remedy: string) {
    super(what, { remedy });
  }
}

/**
 * The exit code of a command whose one request was answered with `httpStatus` (400 or above). A request that is wrong
 * in itself (parameters, key, token or id) is a usage error; other failures may be temporary.
 */
export function exitOfStatus(httpStatus: number): ExitCode {
  const isRequestWrong = httpStatus < 500 && ![408, 425, 429].includes(httpStatus);
  return isRequestWrong ? EXIT.usage : EXIT.unavailable;
}

/** The Service refuses the request: 4xx, with the `code` of its error envelope if there is one. */
export class RequestRejectedError extends TieoutError {
  override readonly exitCode: ExitCode;
  override readonly aboutOneRequest = true;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  constructor(httpStatus: number, errorCode: string | null) {
    super(`the Service rejected the request: HTTP ${httpStatus}${errorCode === null ? '' : `, ${errorCode}`}`);
    this.exitCode = exitOfStatus(httpStatus);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }
}

/** Base class of failures between booking a slot and a complete answer. */
export abstract class ExchangeError extends UnavailableError {
  override readonly aboutOneRequest: boolean = true;
  /** The system's or the library's code for it (`ECONNRESET`), or null. */
  readonly code: string | null;
  constructor(what: string, { code = null, ...options }: ErrorOptions & { code?: string | null } = {}) {
    super(code === null ? what : `${what} (${code})`, options);
    this.code = code;
  }
}

/** The certificate or the encryption is invalid. Stops the run: no token is sent to an unverified server. */
export class TlsError extends ExchangeError {
  override readonly aboutOneRequest = false;
  constructor(code: string, cause: unknown) {
    super('the Service’s TLS certificate could not be verified, so nothing was sent', {
      code,
      cause,
      remedy: 'check service.url, the clock of this machine and any proxy between',
    });
  }
}

/** Thrown by `acquire({ mayWait: false })` while the circuit is open: nothing may be sent before `until`. */
export class CircuitOpenError extends UnavailableError {
  constructor(until: Instant, reason: string) {
    super(
      `no request is sent before ${showInstant(until)}: ${reason}. Sending anyway could block this address for longer`,
      { remedy: 'try again after that time, and lower service.rateLimits if it happens again' },
    );
  }
}

/** Thrown for a slot beyond the run's budget of requests; the run defers the remaining records. */
export class RequestBudgetError extends UnavailableError {}
