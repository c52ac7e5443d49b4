/** What is forgotten while other processes write: the race that the contract's tests cannot bring about. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.ts';
import { openEngine, openStore } from '../../src/store/open.ts';
import { prune } from '../../src/store/prune.ts';
import { aPurchase, at } from '../support/builders.ts';
import { SEALER, temporaryFolder } from './support/engines.ts';
import { bodyOf, keyOf, plan, track, verified } from './support/scenario.ts';

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
  try {
    await track(store, 'again', 'gone');
    const [again, gone] = [aPurchase({ recordId: 'again' }), aPurchase({ recordId: 'gone' })];
    const save = async (state: typeof again, date: string) => {
      const night = await plan(store, { date, selection: { type: 'all', kind: null } });
      await store.items.save(night.run.runId, night.fence, [verified(await keyOf(store, state.recordId), state, date)]);
    };
    await save(again, '2026-11-20');
    await save(gone, '2026-11-20');
    // The first write reads the newest snapshot, the second one deletes what was found in between.
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
