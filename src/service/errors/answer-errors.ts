/** Answers that are of no use to who asked: one class per cause. Records have outcomes instead, see fetch-record.ts. */
import type { Drift } from '../../domain/snapshot.ts';
import { driftInWords } from '../drift.ts';

/** The Service says no: 4xx, with the `code` of its error envelope where it has one. */
export class RequestRejectedError extends Error {
  override readonly name = 'RequestRejectedError';
  readonly httpStatus: number;
  readonly errorCode: string | null;
  constructor(httpStatus: number, errorCode: string | null) {
    super(`the Service rejected the request: HTTP ${httpStatus}${errorCode === null ? '' : `, ${errorCode}`}`);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }
}

/** The Service failed every time it was asked: 5xx. */
export class ServerFailureError extends Error {
  override readonly name = 'ServerFailureError';
  readonly httpStatus: number;
  constructor(httpStatus: number, attempts: number) {
    super(
      `the Service failed ${attempts} time${attempts === 1 ? '' : 's'}, last with HTTP ${httpStatus}; try again later`,
    );
    this.httpStatus = httpStatus;
  }
}

/** An answer that is not the Service's: HTML from a proxy, another content type, no object where one must be. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
  readonly httpStatus: number;
  constructor(httpStatus: number) {
    super(
      `the answer (HTTP ${httpStatus}) is not the Service’s JSON; check that service.url ends in /api and names the Service`,
    );
    this.httpStatus = httpStatus;
  }
}

/** A redirect. It is never followed: the query holds a secret. */
export class RedirectedError extends Error {
  override readonly name = 'RedirectedError';
  readonly httpStatus: number;
  constructor(httpStatus: number) {
    super(
      `the Service answered with a redirect (HTTP ${httpStatus}), which is not followed; set service.url to the final address`,
    );
    this.httpStatus = httpStatus;
  }
}

/** A body that says other things than the specification: what exactly, is in `drift`. */
export class AnswerDriftError extends Error {
  override readonly name = 'AnswerDriftError';
  readonly drift: readonly Drift[];
  constructor(what: string, drift: readonly Drift[]) {
    super(
      `${what} has changed its shape: ${drift.slice(0, 5).map(driftInWords).join('; ')}${drift.length > 5 ? '; …' : ''}`,
    );
    this.drift = drift;
  }
}

/** A body that cannot be read in exactly one way: duplicate keys, numbers beyond any amount, no JSON. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
  constructor(detail: string) {
    super(`the Service’s answer cannot be used: ${detail}`);
  }
}
