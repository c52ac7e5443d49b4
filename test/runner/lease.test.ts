import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LeaseLostError } from '../../src/ports/store/errors.ts';
import type { LeaseStore } from '../../src/ports/store/store.ts';
import { holdLease, LockHeldError } from '../../src/runner/lease.ts';

it('lets the work’s own error through where the lease cannot be released either', async () => {
  const away = async () => {
    throw new Error('the database is away');
  };
  const leases: LeaseStore = {
    acquire: async () => ({ fence: { name: 'nightly', token: 1 } }),
    heartbeat: away,
    release: away,
    evict: away,
  };
  const work = async () => {
    await using _lease = await holdLease({
      leases,
      name: 'nightly',
      holder: 'host pid 1 started 1',
      isDead: () => false,
      now: () => 0,
      ttlMs: 60_000,
    });
    throw new Error('what the work has to say');
  };
  await expect(work()).rejects.toThrow('what the work has to say');
});

/** One lease in memory, and the calls to it. */
function aLease(heldBy: string | null) {
  const calls: string[] = [];
  let holder = heldBy;
  let lost = false;
  const leases: LeaseStore = {
    acquire: async (_name, by) => {
      calls.push(`acquire by ${by}`);
      if (holder !== null) return { heldBy: holder, until: 4_000 };
      holder = by;
      return { fence: { name: 'nightly', token: 7 } };
    },
    heartbeat: async (fence, now, ttl) => {
      calls.push(`heartbeat ${fence.token} at ${now} for ${ttl}`);
      if (lost) throw new LeaseLostError('nightly');
    },
    release: async ({ token }) => void calls.push(`release ${token}`),
    evict: async (_name, dead) => {
      calls.push(`evict ${dead}`);
      if (holder === dead) holder = null;
    },
  };
  return {
    calls,
    lose: () => {
      lost = true;
    },
    hold: (isDead: (holder: string) => boolean) =>
      holdLease({ leases, name: 'nightly', holder: 'me', isDead, now: () => Date.now(), ttlMs: 1_000 }),
  };
}

describe('a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is renewed every quarter of its time, until it is released', async () => {
    const { calls, hold } = aLease(null);
    {
      await using lease = await hold(() => false);
      await vi.advanceTimersByTimeAsync(510);
      lease.check();
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calls).toEqual(['acquire by me', 'heartbeat 7 at 250 for 1000', 'heartbeat 7 at 500 for 1000', 'release 7']);
  });

  it('that is lost is reported by its check, and is not released', async () => {
    const { calls, lose, hold } = aLease(null);
    {
      await using lease = await hold(() => false);
      lose();
      lease.check();
      await vi.advanceTimersByTimeAsync(260);
      expect(() => lease.check()).toThrow(LeaseLostError);
    }
    expect(calls).not.toContain('release 7');
  });

  it('of a dead holder is taken over, and of no other', async () => {
    const dead = aLease('another');
    await using _taken = await dead.hold((holder) => holder === 'another');
    expect(dead.calls).toEqual(['acquire by me', 'evict another', 'acquire by me']);
    const alive = aLease('another');
    await expect(alive.hold(() => false)).rejects.toThrow(LockHeldError);
    expect(alive.calls).toEqual(['acquire by me']);
  });
});
