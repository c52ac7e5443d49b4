/** docs/decisions/0024-saves-side-by-side.md: several processes save at once, and other writers do not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store, Upkeep } from '../../../src/ports/store/store.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { openEngine, openStore } from '../../../src/store/open.ts';
import { aPurchase } from '../../support/builders.ts';
import { SEALER } from '../support/engines.ts';
import { keyOf, plan, track, verified } from '../support/scenario.ts';
import { EMPTY_ALL_TABLES, makeDatabase, makeEmptiable, onServer, type TestDatabase } from './database.ts';
import { isSwitchedOff } from './server.ts';

describe.skipIf(isSwitchedOff())('saves of several processes', () => {
  let database: TestDatabase;
  let first: { store: Store; upkeep: Upkeep };
  let second: { store: Store; upkeep: Upkeep };
  let engine: Engine;

  beforeAll(async () => {
    database = await makeDatabase();
    first = await openStore({ url: database.url, sealer: SEALER });
    second = await openStore({ url: database.url, sealer: SEALER });
    engine = await openEngine(database.url, { create: false });
    await makeEmptiable(database.url);
  });
  beforeEach(() => onServer(database.url, EMPTY_ALL_TABLES));
  afterAll(async () => {
    await engine.close();
    await first.store.close();
    await second.store.close();
    await database[Symbol.asyncDispose]();
  });

  it('store each item once where both save the same ones at the same moment, from either end', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `record-${String(n).padStart(3, '0')}`);
    await track(first.store, ...ids);
    const { run, fence } = await plan(first.store);
    const items = await first.store.items.next(run.runId, 0, 1_000);
    const batch = items.map(({ recordKey, id }) =>
      verified(recordKey, aPurchase({ recordId: id, fiatCurrency: id < 'record-150' ? 'EUR' : 'USD' }), '2026-11-20'),
    );
    const saves: Promise<unknown>[] = [];
    for (let at = 0; at < batch.length; at += 30) {
      saves.push(first.store.items.save(run.runId, fence, batch.slice(at, at + 60), 1));
      saves.push(second.store.items.save(run.runId, fence, batch.slice(at, at + 60).reverse(), 1));
    }
    await Promise.all(saves);
    expect(await first.store.items.progress(run.runId)).toEqual({ planned: 300, observed: 300 });
    const { counts } = await first.upkeep.status();
    expect([counts.snapshots, counts.contents]).toEqual([300, 300]);
    expect((await first.store.runs.get(run.runId))?.requestsSent).toBe(20);
  });

  it('run while another one is under way; a lease does not change hands meanwhile', async () => {
    await track(first.store, 'one', 'two');
    const { run, fence } = await plan(first.store, { date: '2026-11-21' });
    const done: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const under = engine.writeShared(async () => {
      await held;
      done.push('the first save');
    });
    // Its lock is asked for with the transaction and not waited for: the lease's may come to the server first.
    await until(async () => (await onServer(database.url, HELD)).length > 0);
    const key = await keyOf(first.store, 'one');
    const body = verified(key, aPurchase({ recordId: 'one' }), '2026-11-21');
    await second.store.items.save(run.runId, fence, [body]);
    done.push('the second save');
    const taken = first.store.leases.release(fence).then(() => done.push('the lease'));
    release();
    await Promise.all([under, taken]);
    expect(done).toEqual(['the second save', 'the first save', 'the lease']);
  });

  it('a process that stops in the middle of a transaction is ended by the server, and readiness reports it', async () => {
    expect(await first.store.isBlocked()).toBe(false);
    const began = performance.now();
    const { promise: continued, resolve: goOn } = Promise.withResolvers<void>();
    const stopped = engine.write(() => continued);
    stopped.catch(() => undefined);
    await until(async () => (await onServer(database.url, HELD)).length > 0);
    let blocked = false;
    const waiting = track(first.store, 'three').then(() => performance.now() - began);
    await until(async () => {
      blocked ||= await second.store.isBlocked();
      return blocked;
    });
    // The wait for the lock is 90 s, and a machine under load is slow: what counts is that it is nowhere near that.
    expect(await waiting).toBeLessThan(30_000);
    goOn();
    await expect(stopped).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    expect(await first.store.isBlocked()).toBe(false);
  });

  it('a statement that its process no longer waits for ends in the server as well', async () => {
    const hasty = await openEngine(`${database.url}?query_timeout=1000`, { create: false });
    const slept = hasty.rows({
      compile: () => ({ ...hasty.db.selectNoFrom([]).compile(), sql: 'select pg_sleep(60)' }),
    });
    await expect(slept).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    await until(async () => (await onServer(database.url, SLEEPING)).length === 0);
    await hasty.close();
  });
});

/** Other files of tests have their databases on the same server. */
const HELD = `select 1 from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())`;
const SLEEPING = `select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(60)'`;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
