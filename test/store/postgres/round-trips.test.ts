/** How often a process waits for the server, which is what a save and a slot cost far from it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store/store.ts';
import { createLimiter } from '../../../src/service/pacing/limiter.ts';
import { openStore } from '../../../src/store/open.ts';
import { aPurchase } from '../../support/builders.ts';
import { SEALER } from '../support/engines.ts';
import { plan, track, verified } from '../support/scenario.ts';
import { makeDatabase, type TestDatabase } from './database.ts';
import { type DelayingProxy, delayingProxy } from './delaying-proxy.ts';
import { isSwitchedOff } from './server.ts';

const CLOCK = {
  domain: 'a boot',
  now: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

describe.skipIf(isSwitchedOff())('round trips to a server', () => {
  let database: TestDatabase;
  let proxy: DelayingProxy;
  let store: Store;

  beforeAll(async () => {
    database = await makeDatabase();
    // The schema is made without the way there and back, which is long for each of its statements.
    await (await openStore({ url: database.url, sealer: SEALER })).store.close();
    proxy = await delayingProxy(database.url, 40);
    store = (await openStore({ url: proxy.url, sealer: SEALER, monotonic: CLOCK })).store;
  });
  afterAll(async () => {
    await store.close();
    await proxy[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const countOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips();
    await work();
    return proxy.roundTrips() - before;
  };

  it('of a save are three: the known facts, the rows that the transaction depends on, the writes with their commit', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `record-${n}`);
    await track(store, ...ids);
    const { run, fence } = await plan(store);
    const items = await store.items.next(run.runId, 0, 60);
    const batch = items.map(({ recordKey, id }) =>
      verified(recordKey, aPurchase({ recordId: id }), '2026-11-20', {
        statusChange: { from: 'INITIALIZED', to: 'RELEASED', fromSeenAt: 0, legal: true },
      }),
    );
    // The first save reads the types of the columns, once in the life of a process.
    await store.items.save(run.runId, fence, batch.slice(0, 20));
    // It was nineteen, and five more for the count of requests.
    expect(await countOf(() => store.items.save(run.runId, fence, batch.slice(20, 40), 21))).toBeLessThanOrEqual(4);
    expect(await countOf(() => store.items.save(run.runId, fence, batch.slice(40), 20))).toBeLessThanOrEqual(4);
    expect((await store.runs.get(run.runId))?.requestsSent).toBe(41);
    expect((await store.items.progress(run.runId)).observed).toBe(60);
  });

  it('of a slot at the real limits are three', async () => {
    const limiter = createLimiter({
      limits: [
        { requests: 100, perMs: 60_000 },
        { requests: 1_000, perMs: 900_000 },
      ],
      guardMs: 5_000,
      egress: 'round trips',
      log: store.bookings,
      clock: CLOCK,
      wall: () => Date.now(),
    });
    await limiter.acquire({ pace: 'burst' });
    await limiter.acquire({ pace: 'burst' });
    // It was 25 and more: one for each rung.
    expect(await countOf(() => limiter.acquire({ pace: 'burst' }))).toBeLessThanOrEqual(4);
  });
});
