import { describe, expect, test } from 'vitest';
import { BoundedCache } from '../../src/store/bounded-cache.ts';

describe('BoundedCache', () => {
  test('returns a stored value, and the newer of two', () => {
    const cache = new BoundedCache<string, number>(4);
    cache.set('a', 1);
    cache.set('a', 2);
    expect(cache.get('a')).toBe(2);
    expect(cache.get('b')).toBeUndefined();
  });

  test('keeps at least the younger half, and of the others no more than fit', () => {
    const cache = new BoundedCache<number, number>(10);
    for (let n = 0; n < 1000; n++) cache.set(n, n);
    expect([995, 996, 997, 998, 999].map((key) => cache.get(key))).toEqual([995, 996, 997, 998, 999]);
    expect(Array.from({ length: 990 }, (_, key) => cache.get(key)).every((value) => value === undefined)).toBe(true);
  });

  test('an entry that is read again outlives one that is not', () => {
    const cache = new BoundedCache<string, number>(4);
    cache.set('often', 1);
    cache.set('once', 2);
    for (const key of ['c', 'd', 'e', 'f', 'g', 'h']) {
      expect(cache.get('often')).toBe(1);
      cache.set(key, 0);
    }
    expect(cache.get('once')).toBeUndefined();
  });

  test('a limit of one still remembers the last', () => {
    const cache = new BoundedCache<string, number>(1);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('b')).toBe(2);
  });
});
