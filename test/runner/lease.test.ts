import { expect, it } from 'vitest';
import type { LeaseStore } from '../../src/ports/store/store.ts';
import { holdLease } from '../../src/runner/lease.ts';

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
