import { expect, it, vi } from 'vitest';
import {
  closed,
  conflicting,
  refusalLines,
  refusalOf,
  unauthorized,
  untracked,
} from '../../../src/intake/server/refusals.ts';

const told = (error: unknown) => {
  const refused = refusalOf(error);
  return refused === null ? null : [refused.statusCode, refused.result];
};

it.each([
  [{ statusCode: 400 }, [400, 'malformed']],
  [{ statusCode: 404 }, [404, 'malformed']],
  [{ statusCode: 499 }, [499, 'malformed']],
  [{ statusCode: 429 }, [429, 'limited']],
  [{ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }, [413, 'too-large']],
  [{ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }, [415, 'unsupported']],
  [{ code: 'FST_ERR_CTP_EMPTY_JSON_BODY', statusCode: 400 }, [400, 'malformed']],
  [{ code: 'constructor', statusCode: 418 }, [418, 'malformed']],
  // Failures of the server: the sender should repeat the request.
  [{ statusCode: 500 }, null],
  [{ statusCode: 399 }, null],
  [{ statusCode: '400' }, null],
  [new Error('x'), null],
  ['x', null],
  [null, null],
  [undefined, null],
])('%j is refused as %j', (error, expected) => {
  expect(told(error)).toEqual(expected);
});

it.each([
  [closed(), 404, 'closed'],
  [conflicting(), 409, 'conflict'],
  [untracked(), 422, 'untracked'],
])('%s is itself', (error, status, result) => {
  expect(told(error)).toEqual([status, result]);
});

it('a flood of refusals leaves a line for the first, and one a minute with counts', () => {
  vi.useFakeTimers();
  try {
    const told: string[] = [];
    const lines = refusalLines({ warn: (line) => told.push(line) });
    const refuse = (times: number) => {
      for (let n = 0; n < times; n++) lines.count('purchase', unauthorized());
    };
    refuse(5000);
    expect(told).toEqual(['refused: 1 purchase unauthorized (401)']);
    lines.count('event', closed());
    vi.advanceTimersByTime(59_999);
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(told.splice(0)).toContain('refused: 4999 purchase unauthorized (401), 1 event closed (404)');
    vi.advanceTimersByTime(600_000);
    expect(told).toEqual([]);
    refuse(3);
    lines.end();
    expect(told).toEqual(['refused: 1 purchase unauthorized (401)', 'refused: 2 purchase unauthorized (401)']);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
