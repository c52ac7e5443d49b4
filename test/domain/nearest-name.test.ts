import { describe, expect, it } from 'vitest';
import { nearestName, suggestion } from '../../src/domain/nearest-name.ts';

const NAMES = ['service', 'rateLimits', 'timezone'];

describe('the nearest name', () => {
  it.each([
    ['servce', 'service'],
    ['sevrice', 'service'],
    ['rate-limits', 'rateLimits'],
    ['tiemzone', 'timezone'],
    ['xyz', undefined],
    ['', undefined],
  ])('of %j is %s', (word, expected) => {
    expect(nearestName(word, NAMES)).toBe(expected);
  });

  it('is found among names that come one by one', () => {
    expect(nearestName('etheruem', new Set(['bitcoin', 'ethereum']))).toBe('ethereum');
  });
});

it('suggests the near name, or tells what is allowed', () => {
  expect(suggestion('servce', NAMES)).toBe('did you mean service?');
  expect(suggestion('xyz', NAMES)).toBe('allowed: service, rateLimits, timezone');
  expect(suggestion('xyz', [])).toBe('nothing is allowed here');
});
