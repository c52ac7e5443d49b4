/** Rows deleted while other processes write, and after an archive: cases that the contract's tests cannot produce. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Store } from '../../src/ports/store/store.ts';
import { archivableRuns, archiveLines, forgetItems } from '../../src/store/archive.ts';
import { restoreArchive } from '../../src/store/archive-file.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openEngine, openStore } from '../../src/store/open.ts';
import { prune } from '../../src/store/prune.ts';
import { aPurchase, at, someAssetTerms, someGlobalTerms } from '../support/builders.ts';
import { SEALER, temporaryFolder } from './support/engines.ts';
import { bodyOf, complete, keyOf, type Night, plan, track, verified } from './support/scenario.ts';

/** The engine, with something that another process does before the n-th write. */
function interrupted(engine: Engine, n: number, meanwhile: () => Promise<void>): Engine {
  let writes = 0;
  const write: Engine['write'] = async (work) => {
    writes++;
    if (writes === n) await meanwhile();
    return engine.write(work);
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

it('an old text that came again while it was about to be forgotten stays', async () => {
  using folder = temporaryFolder();
  const url = `sqlite:${join(folder.path, 'tieout.db')}`;
  const { store } = await openStore({ url, sealer: SEALER });
  const engine = await openEngine(url, { create: false });
  engine.sealer = SEALER;
  try {
    await track(store, 'again', 'gone');
    const [again, gone] = [aPurchase({ recordId: 'again' }), aPurchase({ recordId: 'gone' })];
    const save = async (state: typeof again, date: string) => {
      const night = await plan(store, { date, selection: { type: 'all', kind: null } });
      await store.items.save(night.run.runId, night.fence, [verified(await keyOf(store, state.recordId), state, date)]);
    };
    await save(again, '2026-11-20');
    await save(gone, '2026-11-20');
    // The first write reads the newest snapshot, the second one deletes the found rows in between.
    const pruning = prune(interrupted(engine, 2, () => save(again, '2026-11-21')));
    const forgotten = await pruning({ snapshots: at('2026-11-21 00:00'), events: null }, false);
    expect(forgotten.bodies).toBe(1);
    expect(await store.items.evidence(bodyOf(again).sha256)).toBe(bodyOf(again).evidence);
    expect(await store.items.evidence(bodyOf(gone).sha256)).toBeNull();
  } finally {
    await engine.close();
    await store.close();
  }
});

async function capture(store: Store, day: string): Promise<void> {
  const { capturedAt: _global, ...global } = someGlobalTerms();
  const { capturedAt: _asset, ...asset } = someAssetTerms({ price: `1${day.slice(-2)}` });
  const list = { type: 'assets', direction: 'onramp', currency: 'EUR', global, assets: [asset] } as const;
  await store.reference.save({ ...list, body: day, sha256: day, at: at(`${day} 10:00`) });
}

it('what an archive has left is forgotten: looks of archived runs, and not what a run here still reads', async () => {
  using folder = temporaryFolder();
  const [url, elsewhere] = ['tieout.db', 'archive.db'].map((name) => `sqlite:${join(folder.path, name)}`) as [
    string,
    string,
  ];
  const { store } = await openStore({ url, sealer: SEALER });
  const engine = await openEngine(url, { create: false });
  engine.sealer = SEALER;
  const archive = await openEngine(elsewhere, { create: true });
  try {
    await track(store, 'a');
    const recordKey = await keyOf(store, 'a');
    const nights: Night[] = [];
    let first: number | 'this' = 'this';
    for (const [n, status] of ['INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_EXECUTED', 'RELEASING'].entries()) {
      const date = `2026-11-1${n}`;
      const night = await plan(store, { date, selection: { type: 'all', kind: null } });
      const state = aPurchase({ recordId: 'a', status });
      await store.items.save(night.run.runId, night.fence, [
        verified(recordKey, state, date, { projection: { firstSnapshot: first } }),
      ]);
      first = (await store.tracked.find('a'))[0]?.projection.firstSnapshot ?? 'this';
      await complete(store, night);
      nights.push(night);
    }
    const statuses = async () => (await store.history.sightings('purchase', 'a')).map(({ status }) => status);
    const everything = { snapshots: at('2027-01-01 00:00'), events: null };
    const pruning = () => prune(engine)(everything, false);
    for (const day of ['2026-11-02', '2026-11-03', '2026-12-01']) await capture(store, day);
    expect(await pruning()).toMatchObject({ bodies: 4, snapshots: 0, contents: 0, captures: 0 });

    const runs = await archivableRuns(engine, '2026-11-12');
    expect(runs.map(({ runId }) => runId)).toEqual(nights.slice(0, 2).map(({ run }) => run.runId));
    const lines: string[] = [];
    for await (const line of archiveLines(engine, runs)) lines.push(line);
    await forgetItems(engine, runs, 1);
    // The second night alone had its look; the third and the fourth night are here, and all read the first look.
    expect(await pruning()).toMatchObject({ snapshots: 1, contents: 1 });
    expect(await statuses()).toEqual(['INITIALIZED', 'PAYMENT_EXECUTED', 'RELEASING']);
    await restoreArchive(archive, Readable.from(lines));
    const archived = await archive.db.selectFrom('contents').select('status').orderBy('content_key').execute();
    expect(archived.map(({ status }) => status)).toEqual([
      'INITIALIZED',
      'PAYMENT_STARTED',
      'PAYMENT_EXECUTED',
      'RELEASING',
    ]);
    expect(await pruning()).toMatchObject({ snapshots: 0, contents: 0, captures: 0 });
    // No run here is judged by the terms of that time any more.
    await forgetItems(engine, await archivableRuns(engine, '2027-01-01'), 1);
    expect(await pruning()).toMatchObject({ captures: 2 });
    expect(await store.reference.latest()).toMatchObject([{ type: 'assets', at: at('2026-12-01 10:00') }]);
  } finally {
    await archive.close();
    await engine.close();
    await store.close();
  }
});
