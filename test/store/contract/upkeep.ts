import { expect, it } from 'vitest';
import type { Break } from '../../../src/domain/break.ts';
import type { ObservedItem, Store } from '../../../src/ports/store/store.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { aStatement } from '../../support/a-run.ts';
import { aPurchase, at, dec, someAssetTerms, someGlobalTerms } from '../../support/builders.ts';
import { stage } from '../support/break-nights.ts';
import type { OpenedStore } from '../support/engines.ts';
import { bodyOf, complete, keyOf, plan, settle, track, unreachable, verified } from '../support/scenario.ts';

const NOTHING = { bodies: 0, sealedBodies: 0, deliveries: 0, snapshots: 0, contents: 0, captures: 0 };

/** A statement of a month that rests on the last look at the record. */
async function closeMonth(store: Store, recordKey: number, recordId: string): Promise<void> {
  const basis = await store.periods.basis(0);
  const [look] = await store.periods.looks(basis, [{ kind: 'purchase', recordId }]);
  const { key } = await store.periods.begin(aStatement({ at: 1, basis }));
  const found = { lookRun: basis.runs[0] ?? 0, contentKey: look?.last?.contentKey ?? null };
  await store.periods.add(key, [
    {
      recordKey,
      kind: 'purchase',
      recordId,
      verdict: 'matched',
      present: true,
      verifiedRun: null,
      changes: [],
      ...found,
    },
  ]);
}

/** The state that every engine reports. */
export function upkeepContract(use: () => OpenedStore): void {
  it('reports the state of an up-to-date database', async () => {
    const { store, upkeep } = use();
    await track(store, 'a', 'b');
    const status = await upkeep.status();
    expect(status).toMatchObject({ engine: store.engine, pending: [], integrity: 'ok' });
    expect(status.applied.length).toBeGreaterThan(0);
    expect(status.counts).toMatchObject({ tracked_records: 2, runs: 0 });
    expect(status.sealingKeys).toHaveLength(1);
  });

  it('has nothing to migrate in an up-to-date database', async () => {
    expect(await use().upkeep.migrate()).toEqual({ applied: [], isUnsealed: false });
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
    expect(await upkeep.prune(before, true)).toEqual({ ...NOTHING, bodies: 1 });
    expect(await store.items.evidence(bodyOf(old).sha256)).not.toBeNull();
    expect(await upkeep.prune(before, false)).toEqual({ ...NOTHING, bodies: 1 });
    expect(await upkeep.prune(before, false)).toEqual(NOTHING);
    expect(await store.items.evidence(bodyOf(old).sha256)).toBeNull();
    expect(await store.items.evidence(bodyOf(fresh).sha256)).toBe(bodyOf(fresh).evidence);
    // The figures stay: a replay needs no text.
    const known = await store.tracked.latest({ kind: null, createdFrom: null, createdTo: null }, null, 10);
    expect(known.map(({ recordId, state }) => [recordId, state?.fiatValue.toString()])).toEqual([
      ['new', fresh.fiatValue.toString()],
      ['old', old.fiatValue.toString()],
    ]);
  });

  it('forgets captures of reference data that no run is judged by, and those of a run while it has its items', async () => {
    const { store, upkeep } = use();
    const days = ['2026-06-01', '2026-07-01', '2026-10-26', '2026-11-01', '2026-12-01', '2026-12-02'];
    const { capturedAt: _, ...global } = someGlobalTerms();
    const save = async (day: string) => {
      const { capturedAt: _, ...asset } = someAssetTerms({ price: `${1000 + Number(day.slice(5, 7)) * 10}` });
      const what = { type: 'assets', direction: 'onramp', currency: 'EUR', global, assets: [asset] } as const;
      await store.reference.save({ ...what, body: day, sha256: day, at: at(`${day} 10:00`) });
    };
    for (const day of days) await save(day);
    await track(store, 'a');
    const night = await plan(store);
    const state = aPurchase({ recordId: 'a' });
    const recordKey = await keyOf(store, 'a');
    await store.items.save(night.run.runId, night.fence, [verified(recordKey, state, '2026-11-20')]);
    // Under way: a record may turn out to be of any time.
    expect(await upkeep.prune(EVERYTHING, false)).toMatchObject({ captures: 0 });
    await complete(store, night);
    const asset = { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null };
    const wanted = { direction: 'onramp', currency: 'EUR', asset, at: state.createdAt } as const;
    const priceThen = async () =>
      (await store.reference.asOf([wanted], Number.MAX_SAFE_INTEGER))[0]?.asset?.price?.toString();
    const then = await priceThen();
    // Only the first is neither around the record, nor the last one before its time, nor the newest.
    expect(await upkeep.prune(EVERYTHING, true)).toMatchObject({ captures: 1 });
    expect(await upkeep.prune(EVERYTHING, false)).toMatchObject({ captures: 1 });
    expect(await upkeep.prune(EVERYTHING, false)).toMatchObject({ captures: 0 });
    expect(then).toBe('1110');
    expect(await priceThen()).toBe(then);
  });

  /** A night that has verified these records and begins to judge them. */
  async function judging(store: Store, ids: readonly string[]) {
    await track(store, ...ids);
    const night = await plan(store);
    const states = ids.map((recordId) => aPurchase({ recordId }));
    for (const state of states)
      await store.items.save(night.run.runId, night.fence, [
        verified(await keyOf(store, state.recordId), state, '2026-11-20'),
      ]);
    await store.runs.startJudging(night.run.runId, night.fence, 'late');
    return { night, states };
  }

  /** Everything is older than this. */
  const EVERYTHING = { snapshots: at('2027-01-01 00:00'), events: at('2027-01-01 00:00') };

  it('keeps the evidence of a break for as long as the break is not resolved', async () => {
    const { store, upkeep } = use();
    const ids = ['opened', 'acknowledged', 'waived', 'resolved', 'without'];
    const { night, states } = await judging(store, ids);
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

  it('keeps the evidence of a resolved break for as long as its claim is under way, and that of a closed month', async () => {
    const { store, upkeep } = use();
    const ids = ['claimed', 'paid', 'closed', 'without'];
    const { night, states } = await judging(store, ids);
    const events = ['claimed', 'paid'].map((recordId) =>
      aBreakEvent({ recordId, state: 'resolved', evidenceSha256: bodyOf(aPurchase({ recordId })).sha256 }),
    );
    await stage(store, night, ...events);
    await settle(store, night);
    const [claimed, paid] = events.map(({ after }) => after.breakId);
    for (const [claimId, breakId, state] of [
      ['claim-1', claimed, 'accepted'],
      ['claim-2', paid, 'recovered'],
    ] as const) {
      const claim = { claimId, title: 'fees', state, reference: null, openedAt: 1, openedBy: 'Ann', remindOn: null };
      const item = { breakId: breakId ?? '', currency: 'EUR', claimed: dec('1'), recovered: dec('0') };
      const event = { at: 1, state, name: 'Ann', account: 'os:x', proof: 'stated', reason: 'fees' } as const;
      await store.claims.open({ ...claim, events: 1 }, [item], event, []);
    }
    await closeMonth(store, await keyOf(store, 'closed'), 'closed');
    expect(await upkeep.prune(EVERYTHING, false)).toEqual({ ...NOTHING, bodies: 2 });
    const kept = [];
    for (const state of states)
      if ((await store.items.evidence(bodyOf(state).sha256)) !== null) kept.push(state.recordId);
    expect(kept).toEqual(['claimed', 'closed']);
  });

  it('forgets snapshots that nothing refers to, with their figures, and keeps the first, the terminal and the last one', async () => {
    const { store, upkeep } = use();
    await track(store, 'a');
    const recordKey = await keyOf(store, 'a');
    const lastSnapshot = async () => (await store.tracked.find('a'))[0]?.projection.lastSnapshot ?? null;
    const statuses = ['INITIALIZED', 'PAYMENT_STARTED', 'RELEASED', 'PAYMENT_IN_PROGRESS', 'RELEASED'];
    let first: number | 'this' | null = 'this';
    let terminal: number | 'this' | null = null;
    for (const [n, status] of statuses.entries()) {
      const state = aPurchase({ recordId: 'a', status, fiatValue: `${100 + n}` });
      if (n === 2) terminal = 'this';
      const { projection } = verified(recordKey, state, '2026-11-10').observed;
      const moved = { ...projection, firstSnapshot: first, terminalSnapshot: terminal };
      const basis = await lastSnapshot();
      await store.deliveries.save([
        {
          recordKey,
          origin: 'webhook',
          eventType: `${n}`,
          at: at(`2026-11-1${n} 10:00`),
          body: bodyOf(state),
          read: { state, basis, statusChange: null, projection: moved },
        },
      ]);
      if (n === 0) first = await lastSnapshot();
      if (n === 2) terminal = await lastSnapshot();
    }
    const night = await plan(store);
    await store.items.save(night.run.runId, night.fence, [unreachable(recordKey, '2026-11-20')]);
    const known = async () =>
      (await store.history.sightings('purchase', 'a')).map(({ at: seen, status }) => [seen, status]);
    expect(await known()).toHaveLength(5);
    expect(await upkeep.prune({ snapshots: at('2026-11-14 00:00'), events: null }, false)).toMatchObject({
      snapshots: 0,
      contents: 0,
    });
    expect(await upkeep.prune(EVERYTHING, false)).toMatchObject({ deliveries: 5, snapshots: 2, contents: 2 });
    expect(await known()).toEqual([
      [at('2026-11-10 10:00'), 'INITIALIZED'],
      [at('2026-11-12 10:00'), 'RELEASED'],
      [at('2026-11-14 10:00'), 'RELEASED'],
    ]);
    expect(await upkeep.prune(EVERYTHING, false)).toEqual(NOTHING);
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
    expect(await upkeep.prune(before, false)).toEqual({ ...NOTHING, sealedBodies: 1 });
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
    expect(await use().upkeep.prune({ snapshots: null, events: null }, false)).toEqual(NOTHING);
  });
}
