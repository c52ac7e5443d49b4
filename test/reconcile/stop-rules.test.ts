import { describe, expect, it } from 'vitest';
import { AnswerCount, ServiceUnavailableError } from '../../src/reconcile/stop-rules.ts';
import type { FetchResult } from '../../src/service/contract.ts';

type Unreachable = Extract<FetchResult, { outcome: 'unreachable' }>;
const unreachable = (reason: Unreachable['reason'], httpStatus: number | null): FetchResult => ({
  outcome: 'unreachable',
  reason,
  httpStatus,
  errorCode: null,
  attempts: 1,
  at: 0,
});
const denied = unreachable('ACCESS_DENIED', 403);
const missing = unreachable('RECORD_MISSING', 404);
const silent = unreachable('NETWORK', null);
const failing = unreachable('SERVER_ERROR', 500);
const readable = { outcome: 'verified' } as FetchResult;
const swapped: FetchResult = {
  outcome: 'quarantined',
  reason: 'RECORD_ID_MISMATCH',
  detail: 'another id',
  drift: [],
  body: null,
  attempts: 1,
  httpStatus: 200,
  at: 0,
};

const after = (...answers: FetchResult[]) => {
  const count = new AnswerCount();
  for (const answer of answers) count.note(answer);
  return count;
};
const times = (n: number, answer: FetchResult) => Array.from({ length: n }, () => answer);

describe('answers that are not about the records', () => {
  it('are most of them refused: a wrong token set', () => {
    expect(() => after(...times(20, denied)).check(false)).toThrow(/20 of 20 answers refused the view token/);
    expect(() => after(...times(11, denied), ...times(9, missing)).check(false)).toThrow(ServiceUnavailableError);
  });

  it('are ids swapped again and again', () => {
    expect(() => after(...times(20, swapped)).check(false)).toThrow(/another record's body/);
  });

  it('are no answers at all', () => {
    expect(() => after(...times(20, silent)).check(false)).toThrow(
      /no usable answer for any of 20 records \(network\)/,
    );
    expect(() => after(silent).check(true)).toThrow(ServiceUnavailableError);
    expect(() => after(...times(5, failing)).check(true)).toThrow(/server error, HTTP 500/);
  });

  it('are all of them missing, when the night is over and nobody spoke as the Service does: another system', () => {
    expect(() => after(...times(20, missing)).check(true)).toThrow(/All 20 answers were 404/);
    expect(() => after(...times(19, missing)).check(true)).not.toThrow();
    const inItsWords = { ...missing, errorCode: 'RECORD_NOT_FOUND' };
    expect(() => after(...times(500, inItsWords)).check(true)).not.toThrow();
    // Ids that were tracked wrongly may all be asked for first.
    expect(() => after(...times(500, missing)).check(false)).not.toThrow();
  });
});

describe('answers about the records', () => {
  it('are a third of them missing', () => {
    expect(() => after(...times(20, missing), ...times(40, readable)).check(true)).not.toThrow();
    expect(() => after(...times(200, missing), readable).check(true)).not.toThrow();
  });

  it('are half of them refused, and fewer', () => {
    expect(() => after(...times(10, denied), ...times(10, missing)).check(true)).not.toThrow();
  });

  it('are a handful, however they look: a majority of four proves nothing', () => {
    expect(() => after(...times(4, denied)).check(true)).not.toThrow();
    expect(() => after(...times(19, denied)).check(false)).not.toThrow();
  });

  it('are the failures of a quiet night, when few records are due', () => {
    expect(() => after(...times(4, failing)).check(true)).not.toThrow();
    expect(() => after(...times(3, failing), silent).check(true)).not.toThrow();
  });

  it('are silences beside other answers', () => {
    expect(() => after(missing, ...times(50, silent)).check(true)).not.toThrow();
  });
});

describe('a refusal that a break tells of already', () => {
  it('proves nothing about the address, however many there are', () => {
    const count = new AnswerCount();
    for (const answer of [...times(50, denied), ...times(50, swapped)]) count.note(answer, true);
    expect(() => count.check(true)).not.toThrow();
    expect(count.hopeless).toBe(false);
  });

  it('hides no outage: the others are counted as ever', () => {
    const count = new AnswerCount();
    for (const answer of times(30, denied)) count.note(answer, true);
    for (const answer of times(20, denied)) count.note(answer);
    expect(() => count.check(false)).toThrow(/20 of 20 answers refused the view token/);
  });

  it('counts where the record answers otherwise than it did', () => {
    const count = new AnswerCount();
    for (const answer of times(5, failing)) count.note(answer, true);
    expect(() => count.check(true)).toThrow(ServiceUnavailableError);
  });
});

it('five refusals before any success are hopeless; one success is hope', () => {
  expect(after(...times(5, denied)).hopeless).toBe(true);
  expect(after(...times(4, silent)).hopeless).toBe(false);
  expect(after(missing, ...times(9, denied)).hopeless).toBe(false);
});
