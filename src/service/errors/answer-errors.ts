/** Answers that are of no use to who asked: one class per cause. Records have outcomes instead, see fetch-record.ts. */
import { EXIT, TieoutError } from '../../domain/errors.ts';
import type { Drift } from '../../domain/snapshot.ts';
import { driftInWords } from '../drift.ts';

/** The Service failed every time it was asked: 5xx. */
export class ServerFailureError extends TieoutError {
  override readonly name = 'ServerFailureError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  readonly httpStatus: number;
  constructor(httpStatus: number, attempts: number) {
    super(
      `the Service failed ${attempts} time${attempts === 1 ? '' : 's'}, last with HTTP ${httpStatus}; try again later`,
    );
    this.httpStatus = httpStatus;
  }
}

/** An answer that is not the Service's: HTML from a proxy, another content type, no object where one must be. */
export class NotJsonError extends TieoutError {
  override readonly name = 'NotJsonError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  readonly httpStatus: number;
  constructor(httpStatus: number) {
    super(
      `the answer (HTTP ${httpStatus}) is not the Service’s JSON; check that service.url ends in /api and names the Service`,
    );
    this.httpStatus = httpStatus;
  }
}

/** A redirect. It is never followed: the query holds a secret. */
export class RedirectedError extends TieoutError {
  override readonly name = 'RedirectedError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  readonly httpStatus: number;
  constructor(httpStatus: number) {
    super(
      `the Service answered with a redirect (HTTP ${httpStatus}), which is not followed; set service.url to the final address`,
    );
    this.httpStatus = httpStatus;
  }
}

/** A body that says other things than the specification: what exactly, is in `drift`. */
export class AnswerDriftError extends TieoutError {
  override readonly name = 'AnswerDriftError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  readonly drift: readonly Drift[];
  constructor(what: string, drift: readonly Drift[]) {
    super(
      `${what} has changed its shape: ${drift.slice(0, 5).map(driftInWords).join('; ')}${drift.length > 5 ? '; …' : ''}`,
    );
    this.drift = drift;
  }
}

/** A body that cannot be read in exactly one way: duplicate keys, numbers beyond any amount, no JSON. */
export class UnreadableAnswerError extends TieoutError {
  override readonly name = 'UnreadableAnswerError';
  override readonly exitCode = EXIT.unavailable;
  override readonly aboutOneRequest = true;
  constructor(detail: string) {
    super(`the Service’s answer cannot be used: ${detail}`);
  }
}
