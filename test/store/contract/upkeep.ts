import { expect, it } from 'vitest';
import type { Break } from '../../../src/domain/break.ts';
import type { ObservedItem } from '../../../src/ports/store/store.ts';
import { aPurchase, at } from '../../support/builders.ts';
import { aBreakEvent } from '../support/break-events.ts';
import { stage } from '../support/break-nights.ts';
import type { OpenedStore } from '../support/engines.ts';
import { bodyOf, keyOf, plan, settle, track, verified } from '../support/scenario.ts';

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

  /** Everything is older than this. */
  const EVERYTHING = { snapshots: at('2027-01-01 00:00'), events: at('2027-01-01 00:00') };

  it('keeps the evidence of a break for as long as the break is not resolved', async () => {
    const { store, upkeep } = use();
    const ids = ['opened', 'acknowledged', 'waived', 'resolved', 'without'];
    await track(store, ...ids);
    const night = await plan(store);
    const states = ids.map((recordId) => aPurchase({ recordId }));
    for (const state of states)
      await store.items.save(night.run.runId, night.fence, [
        verified(await keyOf(store, state.recordId), state, '2026-11-20'),
      ]);
    await store.runs.startJudging(night.run.runId, night.fence, 'late');
    const breakOf = (recordId: string, state: Break['state']) =>
      aBreakEvent({ recordId, state, evidenceSha256: bodyOf(aPurchase({ recordId })).sha256 });
    await stage(
      store,
      night,
      breakOf('opened', 'open'),
      breakOf('acknowledged', 'acknowledged'),
      breakOf('waived', 'waived'),
      breakOf('resolved', 'resolved'),
    );
    await settle(store, night);
    expect(await upkeep.prune(EVERYTHING, true)).toMatchObject({ bodies: 2 });
    expect(await upkeep.prune(EVERYTHING, false)).toMatchObject({ bodies: 2 });
    const kept = [];
    for (const state of states)
      if ((await store.items.evidence(bodyOf(state).sha256)) !== null) kept.push(state.recordId);
    expect(kept).toEqual(['opened', 'acknowledged', 'waived']);
  });

  it('keeps a sealed body for as long as the break that it proves is not resolved', async () => {
    const { store, upkeep } = use();
    await track(store, 'proof', 'old', 'young');
    const night = await plan(store);
    const unread = async (recordId: string, date: string): Promise<ObservedItem> => ({
      recordKey: await keyOf(store, recordId),
      attempts: 1,
      observed: {
        outcome: 'quarantined',
        reason: 'SCHEMA_DRIFT',
        detail: 'the body lacks baseServiceFee',
        drift: [],
        httpStatus: 200,
        body: { sha256: `body of ${recordId}`, evidence: '{}' },
        at: at(`${date} 04:20`),
      },
    });
    await store.items.save(night.run.runId, night.fence, [
      await unread('proof', '2026-11-20'),
      await unread('old', '2026-11-20'),
      await unread('young', '2026-11-22'),
    ]);
    await store.runs.startJudging(night.run.runId, night.fence, 'late');
    await stage(store, night, aBreakEvent({ recordId: 'proof', evidenceSha256: 'body of proof' }));
    await settle(store, night);
    const before = { snapshots: at('2026-11-21 00:00'), events: null };
    expect(await upkeep.prune(before, false)).toEqual({ bodies: 0, sealedBodies: 1, deliveries: 0 });
    const kept = [];
    for (const id of ['proof', 'old', 'young'])
      if ((await store.items.quarantinedBody('purchase', id, `body of ${id}`)) !== null) kept.push(id);
    expect(kept).toEqual(['proof', 'young']);
  });

  it('keeps a delivery until its record was looked at, and until its own retention is over', async () => {
    const { store, upkeep } = use();
    await track(store, 'a', 'waiting');
    const deliver = async (recordId: string, type: string, date: string) =>
      store.deliveries.save([
        {
          recordKey: await keyOf(store, recordId),
          origin: 'webhook',
          eventType: type,
          at: at(`${date} 10:00`),
          body: { sha256: `${recordId} ${type}`, evidence: '{}' },
          read: null,
        },
      ]);
    await deliver('a', 'CREATED', '2026-11-18');
    await deliver('a', 'RELEASED', '2026-11-19');
    await deliver('waiting', 'CREATED', '2026-11-18');
    const night = await plan(store);
    await store.items.save(night.run.runId, night.fence, [
      verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), '2026-11-20'),
    ]);
    const deliveriesBefore = async (date: string) =>
      (await upkeep.prune({ snapshots: null, events: at(`${date} 00:00`) }, false)).deliveries;
    expect(await deliveriesBefore('2026-11-19')).toBe(1);
    expect(await deliveriesBefore('2026-11-20')).toBe(1);
    expect(await deliveriesBefore('2027-01-01')).toBe(0);
  });

  it('keeps for ever what has no retention', async () => {
    expect(await use().upkeep.prune({ snapshots: null, events: null }, false)).toEqual({
      bodies: 0,
      sealedBodies: 0,
      deliveries: 0,
    });
  });
}
