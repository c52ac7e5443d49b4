import { describe, expect, it } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/sandbox/contract.ts';
import { createSlidingLimiter } from '../../src/sandbox/limiter.ts';
import { aSandbox, get, post } from './a-sandbox.ts';

const MINUTE = 60_000;

describe('rate limits (spec §8.1, field facts)', () => {
  it('lets 100 requests through in any minute, and none more until the first is a minute old', () => {
    const limiter = createSlidingLimiter(DEFAULT_RATE_LIMITS);
    for (let i = 0; i < 100; i++) expect(limiter.admit('a', i * 10)).toBe(true);
    expect(limiter.admit('a', 1_000)).toBe(false);
    // The first left its window at 60,000; the rejected one counts as well and takes the second's place.
    expect(limiter.admit('a', MINUTE)).toBe(false);
    expect(limiter.admit('a', MINUTE + 1_000)).toBe(true);
    expect(limiter.rejected()).toBe(2);
    expect(limiter.whileBlocked()).toBe(0);
  });

  it('slides: a burst at the end of one minute and one at the start of the next are seen together', () => {
    const limiter = createSlidingLimiter([
      { requests: 100, perMs: MINUTE },
      { requests: 1000, perMs: 15 * MINUTE },
    ]);
    for (let i = 0; i < 60; i++) limiter.admit('a', MINUTE - 1);
    for (let i = 0; i < 40; i++) expect(limiter.admit('a', MINUTE + 1)).toBe(true);
    expect(limiter.admit('a', MINUTE + 1)).toBe(false);
    expect(limiter.limits()[0]).toEqual({ requests: 100, perMs: MINUTE, maxSeen: 101 });
  });

  it('blocks an address for an hour once the longest limit is passed, and only that address', () => {
    const limiter = createSlidingLimiter(DEFAULT_RATE_LIMITS);
    let at = 0;
    for (let i = 0; i < 1000; i++) {
      at = i * 610;
      expect(limiter.admit('a', at)).toBe(true);
    }
    expect(limiter.admit('a', at + 610)).toBe(false);
    expect(limiter.limits()[1]?.maxSeen).toBe(1001);
    const blockedAt = at + 610;
    expect(limiter.admit('a', blockedAt + 60 * MINUTE - 1)).toBe(false);
    expect(limiter.admit('b', blockedAt + 1)).toBe(true);
    expect(limiter.admit('a', blockedAt + 60 * MINUTE)).toBe(true);
    expect([limiter.rejected(), limiter.whileBlocked()]).toEqual([2, 1]);
  });

  it('counts a request that comes exactly one window later as outside', () => {
    const limiter = createSlidingLimiter([
      { requests: 1, perMs: MINUTE },
      { requests: 9, perMs: 15 * MINUTE },
    ]);
    expect(limiter.admit('a', 0)).toBe(true);
    expect(limiter.admit('a', MINUTE)).toBe(true);
    expect(limiter.admit('a', 2 * MINUTE - 1)).toBe(false);
    expect(limiter.limits()[0]?.maxSeen).toBe(2);
  });

  it("answers 429 in the framework's envelope, without any header that warns", async () => {
    const sandbox = await aSandbox({
      rateLimits: [
        { requests: 2, perMs: MINUTE },
        { requests: 5, perMs: 15 * MINUTE },
      ],
    });
    const ask = () => get(sandbox.url, '/host-api/countries');
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const { status, body, headers } = await ask();
    expect([status, body]).toEqual([
      429,
      { message: 'ThrottlerException: Too Many Requests', error: 'Too Many Requests', statusCode: 429 },
    ]);
    expect([...headers.keys()].filter((name) => /rate|retry/i.test(name))).toEqual([]);

    await post(sandbox.origin, '/sandbox/clock', { advanceMs: MINUTE });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    // The sixth within 15 minutes: blocked for an hour.
    await post(sandbox.origin, '/sandbox/clock', { advanceMs: MINUTE });
    expect((await ask()).status).toBe(429);
    await post(sandbox.origin, '/sandbox/clock', { advanceMs: 59 * MINUTE });
    expect((await ask()).status).toBe(429);
    await post(sandbox.origin, '/sandbox/clock', { advanceMs: MINUTE });
    expect((await ask()).status).toBe(200);

    expect((await get(sandbox.origin, '/sandbox/stats')).body).toEqual({
      requests: 8,
      byEndpoint: { 'GET /host-api/countries': 8 },
      limits: [
        { requests: 2, perMs: MINUTE, maxSeen: 3 },
        { requests: 5, perMs: 15 * MINUTE, maxSeen: 6 },
      ],
      rejected: 3,
      whileBlocked: 1,
      byHostApiKey: {},
    });
    await sandbox.close();
  });

  it('counts unknown paths and record reads by their pattern, and control requests not at all', async () => {
    const sandbox = await aSandbox();
    await get(sandbox.url, '/host-api/purchase/abc?secret=x');
    await get(sandbox.url, '/host-api/purchase/def?secret=x');
    await get(sandbox.url, '/nowhere');
    await get(sandbox.origin, '/sandbox/stats');
    expect(sandbox.stats()).toEqual({
      requests: 3,
      byEndpoint: { 'GET /host-api/purchase/:id': 2, 'GET (unknown path)': 1 },
      limits: [],
      rejected: 0,
      whileBlocked: 0,
      byHostApiKey: {},
    });
    await sandbox.close();
  });
});
