import { describe, expect, it } from 'vitest';
import { TlsError } from '../../src/ports/service-errors.ts';
import type { Content } from '../../src/service/answer.ts';
import {
  BodyTooLargeError,
  ConnectionLostError,
  ConnectionRefusedError,
  DeadlineError,
  DnsError,
  TruncatedBodyError,
} from '../../src/service/errors.ts';
import { type Attempt, retryBudget, retryReasonOf } from '../../src/service/retry.ts';

const JSON_BODY: Content = { type: 'json', text: '{}', value: {} };
const PAGE: Content = { type: 'foreign', isPage: true };

function answered(status: number, content: Content = JSON_BODY): Attempt {
  return { type: 'answer', answer: { status, retryAfterMs: null, bytes: Buffer.from(''), content } };
}

describe('failures that are retried', () => {
  it.each([500, 502, 503, 504, 520])('%i: it may pass', (status) => {
    expect(retryReasonOf(answered(status, PAGE))).toBe('transient');
  });

  it.each([200, 201, 301, 302, 400, 401, 403, 404, 410, 422, 501, 505])('%i: it stands', (status) => {
    expect(retryReasonOf(answered(status))).toBeNull();
  });

  it('429 is the limiter’s to wait out', () => {
    expect(retryReasonOf(answered(429, PAGE))).toBe('limited');
  });

  it('a proxy’s answer, where the Service’s would have been believed', () => {
    expect(retryReasonOf(answered(200, PAGE))).toBe('foreign');
    expect(retryReasonOf(answered(404, PAGE))).toBe('foreign');
    expect(retryReasonOf(answered(410, { type: 'truncated' }))).toBe('foreign');
    expect(retryReasonOf(answered(403, PAGE))).toBeNull();
    expect(retryReasonOf(answered(200, { type: 'truncated' }))).toBe('transient');
    expect(retryReasonOf(answered(200, { type: 'unreadable', text: '', detail: '' }))).toBeNull();
  });

  it.each([
    [new DnsError('EAI_AGAIN', null), 'transient'],
    [new ConnectionRefusedError('ECONNREFUSED', null), 'transient'],
    [new ConnectionLostError('ECONNRESET', null), 'transient'],
    [new TruncatedBodyError(null), 'transient'],
    [new DeadlineError('waiting', 20_000), 'transient'],
    [new BodyTooLargeError(1), null],
    [new TlsError('CERT_HAS_EXPIRED', null), null],
  ])('%s', (failure, trouble) => {
    expect(retryReasonOf({ type: 'failure', failure })).toBe(trouble);
  });
});

describe('how often, and after how long', () => {
  const budget = (random: number, timeoutMs = 20_000, retries = 3) =>
    retryBudget({ retries, timeoutMs, random: () => random });
  const pauses = (each: ReturnType<typeof retryBudget>, times: number) =>
    Array.from({ length: times }, () => each('transient'));

  it('three times, at a random moment of a doubling pause', () => {
    expect(pauses(budget(0.5), 5)).toEqual([250, 500, 1000, null, null]);
    expect(pauses(budget(0), 4)).toEqual([0, 0, 0, null]);
  });

  it('pauses together never outlast the deadline', () => {
    expect(pauses(budget(1, 900), 4)).toEqual([300, 300, 300, null]);
    expect(pauses(budget(1, 900, 0), 1)).toEqual([null]);
  });

  it('once for a foreign answer, out of the same budget', () => {
    const both = budget(0.5);
    expect(both('foreign')).toBe(250);
    expect(both('foreign')).toBeNull();
    expect(pauses(both, 3)).toEqual([500, 1000, null]);
    expect(budget(1, 900, 0)('foreign')).toBeNull();
  });

  it('a 429 costs no retry, and is not tried for ever', () => {
    const limited = budget(0.5);
    expect(Array.from({ length: 6 }, () => limited('limited'))).toEqual([0, 0, 0, 0, 0, null]);
    expect(pauses(limited, 4)).toEqual([250, 500, 1000, null]);
  });
});
