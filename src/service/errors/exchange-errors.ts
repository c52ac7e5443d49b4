/**
 * Why an exchange brought no answer: one class per cause. None carries the URL, which has the view token in its query,
 * nor anything that the other side sent.
 */

/** Base of everything that can go wrong between booking a slot and having a whole answer. */
export abstract class ExchangeError extends Error {
  /** The system's or the library's code for it (`ECONNRESET`), or null. */
  readonly code: string | null;
  constructor(message: string, code: string | null, cause?: unknown) {
    super(code === null ? message : `${message} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The name of the Service's host could not be resolved. */
export class DnsError extends ExchangeError {
  override readonly name = 'DnsError';
  constructor(code: string, cause: unknown) {
    super('the host of service.url cannot be resolved; check its spelling and the name servers', code, cause);
  }
}

/** Nobody accepts connections there, or a firewall says so. Counted by the limiter's circuit. */
export class ConnectionRefusedError extends ExchangeError {
  override readonly name = 'ConnectionRefusedError';
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
  constructor(code: string | null, cause: unknown) {
    super('the connection to the Service broke off; check the network', code, cause);
  }
}

/** The answer began and did not end: fewer bytes came than were announced. */
export class TruncatedBodyError extends ExchangeError {
  override readonly name = 'TruncatedBodyError';
  constructor(code: string | null, cause?: unknown) {
    super('the Service’s answer ended too early', code, cause);
  }
}

/** Connecting, waiting and reading together took longer than `service.timeout`. */
export class DeadlineError extends ExchangeError {
  override readonly name = 'DeadlineError';
  readonly phase: 'connecting' | 'waiting' | 'reading';
  constructor(phase: DeadlineError['phase'], allowedMs: number) {
    super(
      `the Service was given ${allowedMs} ms and ran out of them ${phase}; raise service.timeout if this is usual`,
      null,
    );
    this.phase = phase;
  }
}

/** The certificate or the encryption is not what it must be. Stops the run: tokens are sent to nobody unproven. */
export class TlsError extends ExchangeError {
  override readonly name = 'TlsError';
  constructor(code: string, cause: unknown) {
    super(
      'the Service’s TLS certificate could not be verified, so nothing was sent; check service.url, the clock of this machine and any proxy between',
      code,
      cause,
    );
  }
}

/** The body is larger than any record or list of the Service can be. */
export class BodyTooLargeError extends ExchangeError {
  override readonly name = 'BodyTooLargeError';
  constructor(limitBytes: number) {
    super(`the Service’s answer is larger than ${limitBytes} bytes and was not read to its end`, null);
  }
}

/** The bytes are no HTTP, or not in a content encoding that was offered. */
export class NotHttpError extends ExchangeError {
  override readonly name = 'NotHttpError';
  constructor(code: string | null) {
    super('the answer is not the HTTP that was asked for; check service.url and any proxy between', code);
  }
}
