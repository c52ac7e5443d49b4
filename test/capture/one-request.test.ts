import { describe, expect, it } from 'vitest';
import { isAboutOneRequest } from '../../src/capture/one-request.ts';

const named = (name: string) => Object.assign(new Error('…'), { name });

describe('an error of the client', () => {
  it.each([
    'AnswerDriftError',
    'BodyTooLargeError',
    'ConnectionLostError',
    'ConnectionRefusedError',
    'DeadlineError',
    'DnsError',
    'InvalidRequestError',
    'NotHttpError',
    'NotJsonError',
    'RedirectedError',
    'RequestRejectedError',
    'ServerFailureError',
    'TruncatedBodyError',
    'UnreadableAnswerError',
  ])('%s speaks of one request, and the job goes on', (name) => {
    expect(isAboutOneRequest(named(name))).toBe(true);
  });

  it.each(['TlsError', 'CircuitOpenError', 'RequestBudgetError', 'AbortError', 'LeaseLostError', 'Error'])(
    '%s speaks of all of them',
    (name) => {
      expect(isAboutOneRequest(named(name))).toBe(false);
    },
  );

  it('is an error: what else may be thrown stops the job', () => {
    expect(isAboutOneRequest({ name: 'DeadlineError' })).toBe(false);
    expect(isAboutOneRequest(undefined)).toBe(false);
  });
});
