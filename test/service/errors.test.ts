import { describe, expect, it } from 'vitest';
import type { Drift } from '../../src/domain/snapshot.ts';
import { TlsError } from '../../src/ports/service-errors.ts';
import {
  AnswerDriftError,
  BodyTooLargeError,
  ConnectionLostError,
  ConnectionRefusedError,
  DeadlineError,
  DnsError,
  HostApiKeyMissingError,
  InvalidRequestError,
  NotHttpError,
  NotJsonError,
  RedirectedError,
  ServerFailureError,
  TruncatedBodyError,
  UnknownEndpointError,
  UnreadableAnswerError,
} from '../../src/service/errors.ts';

const missing = (field: string): Drift => ({
  field,
  problem: 'missing',
  found: 'nothing',
  expected: 'a number',
  hint: null,
});
const SIX = ['a', 'b', 'c', 'd', 'e', 'f'].map(missing);
const FIVE = ['a', 'b', 'c', 'd', 'e'].map((field) => `${field}: expected a number, found nothing`).join('; ');

describe('a failure of one request: what happened and how to mend it; the batch goes on, a command ends with 4', () => {
  it.each([
    [
      'the host of service.url cannot be resolved (ENOTFOUND); check its spelling and the name servers',
      () => new DnsError('ENOTFOUND', null),
    ],
    [
      'the connection to the Service was refused (ECONNREFUSED); check service.url, or wait if this address is blocked',
      () => new ConnectionRefusedError('ECONNREFUSED', null),
    ],
    [
      'the connection to the Service broke off (ECONNRESET); check the network',
      () => new ConnectionLostError('ECONNRESET', null),
    ],
    ['the connection to the Service broke off; check the network', () => new ConnectionLostError(null, null)],
    ['the Service’s answer ended too early (Z_BUF_ERROR)', () => new TruncatedBodyError('Z_BUF_ERROR')],
    [
      'the Service did not answer within 15000 ms (waiting); raise service.timeout if this is usual',
      () => new DeadlineError('waiting', 15_000),
    ],
    [
      'the Service’s answer is larger than 2097152 bytes and was not read to its end',
      () => new BodyTooLargeError(2_097_152),
    ],
    [
      'the answer is not valid HTTP (ENCODING); check service.url and any proxy between',
      () => new NotHttpError('ENCODING'),
    ],
    ['the Service failed 1 time, last with HTTP 503; try again later', () => new ServerFailureError(503, 1)],
    ['the Service failed 4 times, last with HTTP 500; try again later', () => new ServerFailureError(500, 4)],
    [
      'the answer (HTTP 200) is not the Service’s JSON; check that service.url ends in /api and names the Service',
      () => new NotJsonError(200),
    ],
    [
      'the Service answered with a redirect (HTTP 302), which is not followed; set service.url to the final address',
      () => new RedirectedError(302),
    ],
    [`the quote has changed its shape: ${FIVE}`, () => new AnswerDriftError('the quote', SIX.slice(0, 5))],
    [`the quote has changed its shape: ${FIVE}; …`, () => new AnswerDriftError('the quote', SIX)],
    ['the Service’s answer cannot be used: it is not UTF-8', () => new UnreadableAnswerError('it is not UTF-8')],
  ])('%s', (message, make) => {
    const error = make();
    expect([error.message, error.aboutOneRequest, error.exitCode]).toEqual([message, true, 4]);
  });
});

describe('a request that cannot be right: a command ends with 2', () => {
  it.each([
    [
      'quotes need an integration key; set TIEOUT_HOST_API_KEY or TIEOUT_HOST_API_KEY_FILE',
      () => new HostApiKeyMissingError(),
      false,
    ],
    [
      'the API v3 has no "countries"; ask v1 or v2',
      () => new UnknownEndpointError('countries', 'v3', ['v1', 'v2']),
      false,
    ],
    ['a quote needs a request body', () => new InvalidRequestError('a quote needs a request body'), true],
  ])('%s', (message, make, aboutOneRequest) => {
    const error = make();
    expect([error.message, error.aboutOneRequest, error.exitCode]).toEqual([message, aboutOneRequest, 2]);
  });
});

it('a certificate that cannot be verified stops the run, not the request alone', () => {
  const error = new TlsError('CERT_HAS_EXPIRED', null);
  expect(error.message).toBe(
    'the Service’s TLS certificate could not be verified, so nothing was sent (CERT_HAS_EXPIRED); check service.url, the clock of this machine and any proxy between',
  );
  expect([error.aboutOneRequest, error.exitCode]).toEqual([false, 4]);
});

it('all drifts are kept, also those that the sentence leaves out', () => {
  expect(new AnswerDriftError('the quote', SIX).drift).toBe(SIX);
});
