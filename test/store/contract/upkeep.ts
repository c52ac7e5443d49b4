import { expect, it } from 'vitest';
import { aPurchase, at } from '../../support/builders.ts';
import type { OpenedStore } from '../support/engines.ts';
import { bodyOf, keyOf, plan, track, verified } from '../support/scenario.ts';

/** What every engine tells of itself. */
export function upkeepContract(use: () => OpenedStore): void {
  it('tells the state of an up-to-date database', async () => {
    const { store, upkeep } = use();
    await track(store, 'a', 'b');
    const status = await upkeep.status();
    expect(status).toMatchObject({ engine: store.engine, pending: [], integrity: 'ok' });
    expect(status.applied.length).toBeGreaterThan(0);
    expect(status.counts).toMatchObject({ tracked_records: 2, runs: 0 });
    expect(status.sealingKeys).toHaveLength(1);
  });

  it('has nothing to migrate in an up-to-date database', async () => {
    expect(await use().upkeep.migrate()).toEqual([]);
  });

  it('forgets the text of old evidence, and nothing else', async () => {
    const { store, upkeep } = use();
    await track(store, 'old', 'new');
    const night = await plan(store);
    const [old, fresh] = [aPurchase({ recordId: 'old' }), aPurchase({ recordId: 'new' })];
    await store.items.save(night.run.runId, night.fence, [
      verified(await keyOf(store, 'old'), old, '2026-11-20'),
      verified(await keyOf(store, 'new'), fresh, '2026-11-21'),
    ]);
    const before = { snapshots: at('2026-11-21 00:00'), events: null };
    expect(await upkeep.prune(before, true)).toEqual({ bodies: 1, sealedBodies: 0, deliveries: 0 });
    expect(await store.items.evidence(bodyOf(old).sha256)).not.toBeNull();
    expect(await upkeep.prune(before, false)).toEqual({ bodies: 1, sealedBodies: 0, deliveries: 0 });
    expect(await upkeep.prune(before, false)).toEqual({ bodies: 0, sealedBodies: 0, deliveries: 0 });
    expect(await store.items.evidence(bodyOf(old).sha256)).toBeNull();
    expect(await store.items.evidence(bodyOf(fresh).sha256)).toBe(bodyOf(fresh).evidence);
    // The figures stay: a replay needs no text.
    const known = await store.tracked.latest({ kind: null, createdFrom: null, createdTo: null }, null, 10);
    expect(known.map(({ recordId, state }) => [recordId, state?.fiatValue.toString()])).toEqual([
      ['new', fresh.fiatValue.toString()],
      ['old', old.fiatValue.toString()],
    ]);
  });

  it('keeps for ever what has no retention', async () => {
    expect(await use().upkeep.prune({ snapshots: null, events: null }, false)).toEqual({
      bodies: 0,
      sealedBodies: 0,
      deliveries: 0,
    });
  });
}
