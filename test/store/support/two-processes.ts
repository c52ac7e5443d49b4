/** What processes that share a database must not lose; by store, in `processes.test.ts` and `processes.long.test.ts`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { start } from './child-process.ts';
import { SEALER, type TestEngine } from './engines.ts';
import { allCases, plan, track } from './scenario.ts';

export function shareDatabase(engine: TestEngine): void {
  describe(`two processes on one ${engine.name} database`, () => {
    let place: Awaited<ReturnType<TestEngine['place']>>;
    beforeEach(async () => {
      place = await engine.place();
    });
    afterEach(() => place[Symbol.asyncDispose]());

    it('lose none of each other’s bookings', async () => {
      const { store } = await openStore({ url: place.url, sealer: null });
      const children = [start('booker.ts', place.url, '60'), start('booker.ts', place.url, '60')];
      const own = async () => {
        for (let n = 0; n < 60; n++) {
          await store.bookings.withBookings('here', 'boot-1', async (bookings) => {
            await bookings.book(((await bookings.nthLatest(1)) ?? 0) + 1);
          });
        }
      };
      await Promise.all([own(), ...children.map((child) => child.output)]);
      const [latest, first, none] = await store.bookings.withBookings('here', 'boot-1', async (bookings) => [
        await bookings.nthLatest(1),
        await bookings.nthLatest(180),
        await bookings.nthLatest(181),
      ]);
      expect([latest, first, none]).toEqual([180, 1, null]);
      await store.close();
    });

    it('make a new database once, when they start at the same moment', async () => {
      const children = Array.from({ length: 3 }, () => start('opener.ts', place.url));
      const told = await Promise.all(children.map((child) => child.output));
      expect(told).toEqual(Array.from({ length: 3 }, () => '{"pending":[],"integrity":"ok"}'));
    });

    it('save the same items at once, in any order, and each item is stored once', async () => {
      const ids = Array.from({ length: 400 }, (_, n) => `record-${String(n).padStart(4, '0')}`);
      const { store, upkeep } = await openStore({ url: place.url, sealer: SEALER });
      await track(store, ...ids);
      const { run, fence } = await plan(store);
      // Two of them take the items of each other's batches, from both ends.
      const items = (await store.items.next(run.runId, 0, 1_000)).map(({ recordKey, id }) => ({ recordKey, id }));
      const orders = [items, items.toReversed(), items].map((order) => JSON.stringify(order));
      await Promise.all(
        orders.map((order) => start('saver.ts', place.url, run.runId, String(fence.token), order).output),
      );
      expect(await store.items.progress(run.runId)).toEqual({ planned: 400, observed: 400 });
      const { counts } = await upkeep.status();
      expect([counts.snapshots, counts.contents]).toEqual([400, 400]);
      // Each process has sent a request for each item that it had to save.
      expect((await store.runs.get(run.runId))?.requestsSent).toBe(1_200);
      const judged = await store.runs.startJudging(run.runId, fence, 'late');
      expect((await allCases(store, judged)).map((each) => each.recordId)).toEqual(ids);
      await store.close();
    });

    it('leave whole batches where one is killed while it saves, and the next one goes on from there', async () => {
      const ids = Array.from({ length: 800 }, (_, n) => `record-${String(n).padStart(4, '0')}`);
      const before = await openStore({ url: place.url, sealer: SEALER });
      await track(before.store, ...ids);
      const { run, fence } = await plan(before.store);
      await before.store.close();

      const saver = start('saver.ts', place.url, run.runId, String(fence.token));
      let batches = 0;
      saver.process.stdout?.on('data', (chunk) => {
        batches += String(chunk).trim().split('\n').length;
        if (batches >= 5) saver.process.kill('SIGKILL');
      });
      await expect(saver.output).rejects.toThrow();

      const { store, upkeep } = await openStore({ url: place.url, sealer: SEALER });
      const { observed } = await store.items.progress(run.runId);
      expect(observed % 50).toBe(0);
      expect(observed).toBeGreaterThanOrEqual(250);
      expect(observed).toBeLessThan(800);
      const status = await upkeep.status();
      expect(status.integrity).toBe('ok');
      expect([status.counts.snapshots, status.counts.contents]).toEqual([observed, observed]);
      await store.close();

      await start('saver.ts', place.url, run.runId, String(fence.token)).output;
      const after = await openStore({ url: place.url, sealer: SEALER });
      expect(await after.store.items.progress(run.runId)).toEqual({ planned: 800, observed: 800 });
      expect((await after.upkeep.status()).counts.snapshots).toBe(800);
      const judged = await after.store.runs.startJudging(run.runId, fence, 'late');
      expect((await allCases(after.store, judged)).map((each) => each.recordId)).toEqual(ids);
      await after.store.close();
    });
  });
}
