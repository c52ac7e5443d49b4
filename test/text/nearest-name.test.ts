import { describe, expect, it } from 'vitest';
import { nearestName, suggestion } from '../../src/text/nearest-name.ts';

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

  // A third of the letters may be wrong, and one always.
  it.each([
    ['a letter missing', 'sle', 'sale'],
    ['a letter too many', 'salle', 'sale'],
    ['another letter', 'sole', 'sale'],
    ['the first two swapped', 'asle', 'sale'],
    ['the middle two swapped', 'slae', 'sale'],
    ['the last two swapped', 'sael', 'sale'],
    ['half of a name of two letters', 'd', 'id'],
    ['two errors in a word of seven', 'timzoen', 'timezone'],
  ])('has %s: %s is meant as %s', (_, word, name) => {
    expect(nearestName(word, [name])).toBe(name);
  });

  it.each([
    ['two pairs swapped', 'asel', 'sale'],
    ['one letter lost and another gained', 'axle', 'sale'],
    ['one letter gained and another lost', 'xsle', 'sale'],
    ['another word of as many letters', 'gold', 'sale'],
    ['no letter at all', '', 'v'],
    ['only what costs nothing', '--', 'v'],
    ['longer than any name', 'service'.repeat(13), `${'service'.repeat(13)}s`],
  ])('has not %s: %s is not meant as %s', (_, word, name) => {
    expect(nearestName(word, [name])).toBeUndefined();
  });

  it('is the first of those that are equally near', () => {
    expect(nearestName('sals', ['salt', 'sale'])).toBe('salt');
  });

  it('is found among names that come one by one', () => {
    expect(nearestName('etheruem', new Set(['bitcoin', 'ethereum']))).toBe('ethereum');
  });
});

it('suggests the nearest name, or lists the allowed ones', () => {
  expect(suggestion('servce', NAMES)).toBe('did you mean service?');
  expect(suggestion('xyz', NAMES)).toBe('allowed: service, rateLimits, timezone');
  expect(suggestion('xyz', [])).toBe('there is none');
});
