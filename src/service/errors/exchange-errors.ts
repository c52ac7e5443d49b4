/**
 * Why an exchange brought no answer: one class per cause. None carries the URL, which has the view token in its query,
 * nor anything that the other side sent.
 */

import { EXIT } from '../../domain/errors.ts';
import { ExchangeError } from '../../ports/service-errors.ts';

/** The name of the Service's host could not be resolved. */
export class DnsError extends ExchangeError {
  override readonly name = 'DnsError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  constructor(code: string, cause: unknown) {
    super('the host of service.url cannot be resolved; check its spelling and the name servers', code, cause);
  }
}

/** Nobody accepts connections there, or a firewall says so. Counted by the limiter's circuit. */
export class ConnectionRefusedError extends ExchangeError {
  override readonly name = 'ConnectionRefusedError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  constructor(code: string, cause: unknown) {
    super(
      'the connection to the Service was refused; check service.url, or wait if this address is blocked',
      code,
      cause,
    );
  }
}

/** The connection could not be made or broke off before an answer began. */
export class ConnectionLostError extends ExchangeError {
  override readonly name = 'ConnectionLostError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  constructor(code: string | null, cause: unknown) {
    super('the connection to the Service broke off; check the network', code, cause);
  }
}

/** The answer began and did not end: fewer bytes came than were announced. */
export class TruncatedBodyError extends ExchangeError {
  override readonly name = 'TruncatedBodyError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  constructor(code: string | null, cause?: unknown) {
    super('the Service’s answer ended too early', code, cause);
  }
}

/** Connecting, waiting and reading together took longer than `service.timeout`. */
export class DeadlineError extends ExchangeError {
  override readonly name = 'DeadlineError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  readonly phase: 'connecting' | 'waiting' | 'reading';
  constructor(phase: DeadlineError['phase'], allowedMs: number) {
    super(
      `the Service was given ${allowedMs} ms and ran out of them ${phase}; raise service.timeout if this is usual`,
      null,
    );
    this.phase = phase;
  }
}

/** The body is larger than any record or list of the Service can be. */
export class BodyTooLargeError extends ExchangeError {
  override readonly name = 'BodyTooLargeError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  constructor(limitBytes: number) {
    super(`the Service’s answer is larger than ${limitBytes} bytes and was not read to its end`, null);
  }
}

/** The bytes are no HTTP, or not in a content encoding that was offered. */
export class NotHttpError extends ExchangeError {
  override readonly name = 'NotHttpError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  constructor(code: string | null) {
    super('the answer is not the HTTP that was asked for; check service.url and any proxy between', code);
  }
}
