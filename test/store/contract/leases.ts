import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../../src/ports/store/errors.ts';
import type { Fence, Store } from '../../../src/ports/store/store.ts';
import { keyOf, NO_VERDICTS, plan, track, unreachable } from '../support/scenario.ts';

const NOW = 1_000_000;
const TTL = 60_000;
/** Waited for: a server holds leases by its own clock. */
const SHORT = 100;

/** Leases, and the fence that every write of a run is checked against. */
export function leasesContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  async function take(holder: string, now: number, ttl = TTL): Promise<Fence> {
    const lease = await store.leases.acquire('nightly', holder, now, ttl);
    if (!('fence' in lease)) throw new Error(`held by ${lease.heldBy}`);
    return lease.fence;
  }

  describe('leases', () => {
    it('have one holder at a time', async () => {
      await take('one', NOW);
      expect(await store.leases.acquire('nightly', 'two', NOW + 1, TTL)).toMatchObject({ heldBy: 'one' });
      expect(await store.leases.acquire('audit', 'two', NOW + 1, TTL)).toHaveProperty('fence');
    });

    it('do not let the same holder in twice', async () => {
      await take('one', NOW);
      expect(await store.leases.acquire('nightly', 'one', NOW + 1, TTL)).toMatchObject({ heldBy: 'one' });
    });

    it('last as long as they are renewed', async () => {
      const fence = await take('one', NOW, SHORT);
      await store.leases.heartbeat(fence, NOW + SHORT - 1, TTL);
      await pause(SHORT);
      expect(await store.leases.acquire('nightly', 'two', NOW + SHORT, TTL)).toMatchObject({ heldBy: 'one' });
    });

    it('have an end by the clock that all holders share', async () => {
      const started = store.engine === 'sqlite' ? NOW : Date.now();
      const fence = await take('one', NOW);
      await store.leases.heartbeat(fence, NOW + 50_000, TTL);
      const held = await store.leases.acquire('nightly', 'two', NOW, TTL);
      if (!('until' in held)) throw new Error('it was given');
      // Of a server's clock only that it is not the caller's: 1970.
      if (store.engine === 'sqlite') expect(held.until).toBe(NOW + 110_000);
      else expect(Math.abs(held.until - started - TTL)).toBeLessThan(30_000);
    });

    it('of several machines do not pass on because a clock is ahead', async () => {
      if (store.engine === 'sqlite') return;
      await take('one', NOW);
      const aDecadeAhead = Date.now() + 3e11;
      expect(await store.leases.acquire('nightly', 'two', aDecadeAhead, TTL)).toMatchObject({ heldBy: 'one' });
    });

    it('pass on when they expire, with a higher token, and are then lost to the first holder', async () => {
      const first = await take('one', NOW, SHORT);
      await pause(SHORT);
      const second = await take('two', NOW + SHORT);
      expect(second.token).toBeGreaterThan(first.token);
      await expect(store.leases.heartbeat(first, NOW + SHORT, TTL)).rejects.toThrow(LeaseLostError);
      await store.leases.heartbeat(second, NOW + SHORT, TTL);
    });

    it('that expired, but were not taken over, can still be renewed', async () => {
      const fence = await take('one', NOW, SHORT);
      await pause(SHORT);
      await store.leases.heartbeat(fence, NOW + 2 * SHORT, TTL);
    });

    it('are free after a release, and no token is ever given twice', async () => {
      const first = await take('one', NOW);
      await store.leases.release(first);
      const second = await take('two', NOW + 1);
      expect(second.token).toBeGreaterThan(first.token);
      // A lost lease cannot be released: the second holder keeps it.
      await store.leases.release(first);
      await store.leases.heartbeat(second, NOW + 2, TTL);
    });

    it('of a dead holder can be ended, and only of that one', async () => {
      const fence = await take('one', NOW);
      await store.leases.evict('nightly', 'two');
      await store.leases.heartbeat(fence, NOW + 1, TTL);
      await store.leases.evict('nightly', 'one');
      await expect(store.leases.heartbeat(fence, NOW + 2, TTL)).rejects.toThrow(LeaseLostError);
      await take('two', NOW + 3);
    });
  });

  describe('a run whose lease was lost', () => {
    it('writes nothing more', async () => {
      await track(store, 'a');
      const { run, fence, scope } = await plan(store);
      const key = await keyOf(store, 'a');
      await store.leases.evict('nightly', 'a test');
      const id = run.runId;
      const writes: readonly (() => Promise<unknown>)[] = [
        () => store.runs.create(run, fence),
        () => store.runs.addRequests(id, fence, 1),
        () => store.runs.startJudging(id, fence, 'late'),
        () => store.runs.settle(id, fence, { verdicts: NO_VERDICTS, finishedAt: NOW }),
        () => store.runs.finish(id, fence, 'aborted', null),
        () => store.items.plan(id, fence, scope),
        () => store.items.save(id, fence, [unreachable(key, '2026-11-20')]),
        () => store.breaks.clearStaged(id, fence),
        () => store.breaks.stage(id, fence, []),
      ];
      for (const write of writes) await expect(write()).rejects.toThrow(LeaseLostError);
      expect(await store.runs.get(id)).toMatchObject({ state: 'fetching', requestsSent: 0 });
      expect(await store.items.progress(id)).toEqual({ planned: 1, observed: 0 });
      expect(await store.runs.list({ limit: 10 })).toHaveLength(1);
    });

    it('gets a remedy', async () => {
      const { run, fence } = await plan(store);
      await store.leases.evict('nightly', 'a test');
      await expect(store.runs.addRequests(run.runId, fence, 1)).rejects.toThrow(/--resume/);
    });
  });
}
