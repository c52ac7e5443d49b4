/** A database that moves: everything in it, closed seals included, or nothing. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CopyTargetNotEmptyError, copyDatabase } from '../../src/store/copy.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openEngine, openStore } from '../../src/store/open.ts';
import { TABLE_NAMES } from '../../src/store/schema/tables.ts';
import { migrate } from '../../src/store/schema/upgrade.ts';
import { createSealer, MissingKeyError, WrongKeyError } from '../../src/store/sealing.ts';
import { aPurchase } from '../support/builders.ts';
import { onServer } from './postgres/database.ts';
import { ENGINES, SEALER, testKey } from './support/engines.ts';
import { fill as fillAll } from './support/filled.ts';
import { allCases, complete, keyOf, plan, track, unreachable, verified } from './support/scenario.ts';

/** One night of three records: one read, with a NUL in a field of its body; one not reached; one put off. */
async function fill(url: string): Promise<void> {
  const { store } = await openStore({ url, sealer: SEALER });
  await track(store, 'read', 'Unreached', 'later');
  const night = await plan(store);
  const state = aPurchase({ recordId: 'read', receiverAddress: 'a\u0000b\u001ac' });
  await store.items.save(night.run.runId, night.fence, [
    verified(await keyOf(store, 'read'), state, '2026-11-20'),
    unreachable(await keyOf(store, 'Unreached'), '2026-11-20'),
  ]);
  await store.bookings.withBookings('office', 'boot', async (bookings) => {
    await bookings.book(12.625);
  });
  await complete(store, night);
  await store.close();
}

/** Each engine on either side; two servers do nothing that one of them does not do beside a file. */
const PAIRS = ENGINES.flatMap((from) => ENGINES.map((to) => ({ from, to, name: `${from.name} → ${to.name}` }))).filter(
  ({ from, to }) => from.name === 'SQLite' || to.name === 'SQLite',
);

describe.each(PAIRS)('a copy, $name', ({ from, to }) => {
  let source: { url: string } & AsyncDisposable;
  let target: { url: string } & AsyncDisposable;
  let opened: Engine[];

  // A copy only reads it.
  beforeAll(async () => {
    source = await from.place();
    await fill(source.url);
  });
  afterAll(() => source[Symbol.asyncDispose]());
  beforeEach(async () => {
    opened = [];
    target = await to.place();
  });
  afterEach(async () => {
    for (const engine of opened) await engine.close();
    await target[Symbol.asyncDispose]();
  });

  async function open(url: string): Promise<Engine> {
    const engine = await openEngine(url, { create: true });
    opened.push(engine);
    return engine;
  }

  it('has every row, and shows the same cases of the night', async () => {
    const tables = await copyDatabase(await open(source.url), await open(target.url), { sealer: SEALER });
    const rows = Object.fromEntries(tables.map((table) => [table.table, table.rows]));
    expect(rows).toMatchObject({ tracked_records: 3, contents: 1, bodies: 1, snapshots: 1, runs: 1, run_items: 3 });
    expect(rows).toMatchObject({ bookings: 1, leases: 1, sealing_keys: 1, breaks: 0 });
    const [one, other] = [
      await openStore({ url: source.url, sealer: SEALER }),
      await openStore({ url: target.url, sealer: SEALER }),
    ];
    const run = await one.store.runs.get('nightly-2026-11-20-r1');
    if (run === null) throw new Error('the run of the night is gone');
    expect(await other.store.runs.get(run.runId)).toEqual(run);
    const cases = await allCases(other.store, run);
    expect(cases).toEqual(await allCases(one.store, run));
    expect(cases.map((each) => [each.recordId, each.observation.outcome])).toEqual([
      ['Unreached', 'unreachable'],
      ['later', 'deferred'],
      ['read', 'verified'],
    ]);
    const body = cases[2]?.observation;
    expect(body?.outcome === 'verified' && body.snapshot.state.receiverAddress).toBe('a\u0000b\u001ac');
    expect(await other.store.tracked.token('purchase', 'later')).toBe('token-of-later');
    await one.store.close();
    await other.store.close();
  });

  it('goes on with keys above the copied ones', async () => {
    await copyDatabase(await open(source.url), await open(target.url), { sealer: SEALER });
    const { store } = await openStore({ url: target.url, sealer: SEALER });
    await track(store, 'new');
    expect(await keyOf(store, 'new')).toBe(Math.max(await keyOf(store, 'read'), await keyOf(store, 'later')) + 1);
    await store.close();
  });

  if (to.name === 'PostgreSQL') {
    it('leaves the planner with the statistics of every table that has rows', async () => {
      const copied = await copyDatabase(await open(source.url), await open(target.url), { sealer: SEALER });
      const known = await onServer<{ relname: string }>(target.url, 'select relname from pg_class where reltuples > 0');
      const names = known.map(({ relname }) => relname);
      expect(names).toEqual(expect.arrayContaining(copied.filter(({ rows }) => rows > 0).map(({ table }) => table)));
    });
  }

  it('is refused where the target has any row, and leaves the target unchanged', async () => {
    const there = await openStore({ url: target.url, sealer: SEALER });
    await track(there.store, 'other');
    const copying = copyDatabase(await open(source.url), await open(target.url), { sealer: SEALER });
    await expect(copying).rejects.toThrow(CopyTargetNotEmptyError);
    expect(await there.store.tracked.count()).toBe(1);
    await there.store.close();
  });

  it('is refused without the key that the tokens are sealed with', async () => {
    const [one, other] = [await open(source.url), await open(target.url)];
    await expect(copyDatabase(one, other, { sealer: null })).rejects.toThrow(MissingKeyError);
    const stranger = createSealer([testKey('z')]);
    await expect(copyDatabase(one, other, { sealer: stranger })).rejects.toThrow(WrongKeyError);
  });

  it('that breaks off leaves an empty database', async () => {
    const [one, other] = [await open(source.url), await open(target.url)];
    const copying = copyDatabase(one, other, {
      sealer: SEALER,
      onTable: ({ table }) => {
        if (table === 'runs') throw new Error('the cable was pulled');
      },
    });
    await expect(copying).rejects.toThrow('the cable was pulled');
    const { store } = await openStore({ url: target.url, sealer: SEALER });
    expect(await store.tracked.count()).toBe(0);
    await store.close();
    // And it can be tried again.
    expect(await copyDatabase(one, other, { sealer: SEALER })).not.toEqual([]);
  });
});

/** The engine, whose n-th statement in a transaction fails; `done` counts them. */
function failingAt(engine: Engine, n: number, done: { statements: number }): Engine {
  const counted = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name, of);
        if (typeof value !== 'function') return value;
        if (!names.includes(String(name))) return value.bind(of);
        return async (...args: unknown[]) => {
          if (done.statements++ === n) throw new Error('cut off');
          return value.apply(of, args);
        };
      },
    });
  const write: Engine['write'] = (work) =>
    engine.write((tx) => work(counted(tx, ['rows', 'insertMany', 'insertForKeys', 'updateMany', 'run'])));
  return new Proxy(counted(engine, ['continueKeys', 'analyze']), {
    get: (target, name) => (name === 'write' ? write : Reflect.get(target, name, target)),
  });
}

describe.each(PAIRS.filter(({ from, to }) => from !== to))('a copy that is cut off, $name', ({ from, to }) => {
  it('at any statement of either side leaves the target as empty as before, and is repeated', async () => {
    await using place = await from.place();
    await using target = await to.place();
    const { store } = await openStore({ url: place.url, sealer: SEALER });
    await fillAll(store);
    await store.close();
    const source = await openEngine(place.url, { create: false });
    const empty = await openEngine(target.url, { create: true });
    try {
      await migrate(empty);
      // A prime step in `npm test`; TIEOUT_EVERY=1 cuts at each.
      const step = Number(process.env.TIEOUT_EVERY ?? 29);
      let cuts = 0;
      for (const side of ['source', 'target'] as const) {
        for (let n = 0; ; n += step) {
          const done = { statements: 0 };
          const cut = failingAt(side === 'source' ? source : empty, n, done);
          const copying =
            side === 'source'
              ? copyDatabase(cut, empty, { sealer: SEALER })
              : copyDatabase(source, cut, { sealer: SEALER });
          const failed = await copying.then(
            () => null,
            (error: unknown) => error,
          );
          if (failed === null) break;
          cuts++;
          expect(String(failed)).toContain('cut off');
          for (const table of TABLE_NAMES)
            expect(await empty.db.selectFrom(table).selectAll().limit(1).execute(), table).toEqual([]);
        }
        // The last one was not cut off: it copied.
        const copied = await openStore({ url: target.url, sealer: SEALER });
        expect((await copied.upkeep.check()).problems).toEqual([]);
        await copied.store.close();
        await empty.write(async ({ db }) => {
          for (const table of [...TABLE_NAMES].reverse()) await db.deleteFrom(table).execute();
        });
      }
      if (process.env.TIEOUT_EVERY !== undefined) console.log(`${cuts} cuts`);
      expect(cuts).toBeGreaterThan(5);
    } finally {
      await source.close();
      await empty.close();
    }
  }, 600_000);
});
