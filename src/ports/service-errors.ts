/**
 * Errors of the Service's client that callers tell apart: one class per cause. None carries the URL, which has the view token
 * in its query, nor anything that the other side sent. Errors that no caller handles stay with the code that throws them.
 */
import { EXIT, TieoutError } from '../domain/errors.ts';
import { type Instant, showInstant } from '../domain/record.ts';

/** Thrown to stop a run about which nothing can be judged. The CLI turns it into exit code 4. */
export class ServiceUnavailableError extends TieoutError {
  override readonly name = 'ServiceUnavailableError';
  override readonly exitCode = EXIT.unavailable;
}

/** The Service says no: 4xx, with the `code` of its error envelope where it has one. */
export class RequestRejectedError extends TieoutError {
  override readonly name = 'RequestRejectedError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  constructor(httpStatus: number, errorCode: string | null) {
    super(`the Service rejected the request: HTTP ${httpStatus}${errorCode === null ? '' : `, ${errorCode}`}`);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }
}

/** Base of everything that can go wrong between booking a slot and having a whole answer. */
export abstract class ExchangeError extends TieoutError {
  /** The system's or the library's code for it (`ECONNRESET`), or null. */
  readonly code: string | null;
  constructor(message: string, code: string | null, cause?: unknown) {
    super(code === null ? message : `${message} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The certificate or the encryption is not what it must be. Stops the run: tokens are sent to nobody unproven. */
export class TlsError extends ExchangeError {
  override readonly name = 'TlsError';
  override readonly exitCode = EXIT.unavailable;
  constructor(code: string, cause: unknown) {
    super(
      'the Service’s TLS certificate could not be verified, so nothing was sent; check service.url, the clock of this machine and any proxy between',
      code,
      cause,
    );
  }
}

/** Thrown by `acquire({ mayWait: false })` while the circuit is open: nothing may be sent before `until`. */
export class CircuitOpenError extends TieoutError {
  override readonly name = 'CircuitOpenError';
  override readonly exitCode = EXIT.unavailable;
  /** When the next attempt is allowed (wall clock). */
  readonly until: Instant;
  readonly reason: string;
  constructor(until: Instant, reason: string) {
    super(
      `no request is sent before ${showInstant(until)}: ${reason}. Sending anyway could block this address for longer; ` +
        'try again after that time, and lower service.rateLimits if it happens again',
    );
    this.until = until;
    this.reason = reason;
  }
}

/** Thrown to whoever asks for a slot beyond the budget; the run defers what is left. */
export class RequestBudgetError extends TieoutError {
  override readonly name = 'RequestBudgetError';
  override readonly exitCode = EXIT.unavailable;
}
