import { expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store/store.ts';
import { aPurchase, at } from '../../support/builders.ts';
import type { OpenedStore } from '../support/engines.ts';
import { complete, keyOf, plan, track, verified } from '../support/scenario.ts';

const NOW = at('2026-11-21 09:00');

/** A run under a clock that was ahead, and what takes its dates back. */
export function wrongClockContract(use: () => OpenedStore): void {
  async function aNight(store: Store, date: string, id: string) {
    const night = await plan(store, { date });
    const item = verified(await keyOf(store, id), aPurchase({ recordId: id, status: 'RELEASED' }), date);
    await store.items.save(night.run.runId, night.fence, [item]);
    await complete(store, night);
    return night.run.runId;
  }
  const endsOf = async (store: Store, id: string) => {
    const [record] = await store.tracked.find(id);
    return [record?.projection.lastVerifiedDate, record?.projection.terminalDate];
  };

  it('finds nothing to heal where every date is over, or but minutes ahead', async () => {
    const { store, upkeep } = use();
    await track(store, 'a');
    await aNight(store, '2026-11-20', 'a');
    // The night of the 20th ends at 23:59 of its own clock.
    expect(await upkeep.healClock(at('2026-11-20 23:55'))).toMatchObject({ runs: [], records: 0 });
    expect(await endsOf(store, 'a')).toEqual(['2026-11-20', '2026-11-20']);
  });

  it('makes the records of a night in 2030 due again, and no longer lets it say what time it is', async () => {
    const { store, upkeep } = use();
    await track(store, 'a', 'b');
    const good = await aNight(store, '2026-11-20', 'a');
    const bad = await aNight(store, '2030-01-01', 'b');
    expect((await store.runs.newestInstant())?.runId).toBe(bad);
    expect(await upkeep.healClock(NOW)).toMatchObject({ runs: [bad], records: 1 });
    expect(await endsOf(store, 'a')).toEqual(['2026-11-20', '2026-11-20']);
    expect(await endsOf(store, 'b')).toEqual([null, '2026-11-21']);
    expect(await store.runs.newestInstant()).toEqual({ runId: good, at: at('2026-11-20 23:59') });
    expect(await upkeep.healClock(NOW)).toMatchObject({ runs: [], records: 0 });
    expect((await upkeep.check()).problems).toEqual([]);
  });

  it('does not take the time from an aborted run, whose records are due again under the seal of their days', async () => {
    const { store, upkeep } = use();
    await track(store, 'a');
    expect(await store.runs.newestInstant()).toBeNull();
    const night = await plan(store);
    expect(await store.runs.newestInstant()).toEqual({ runId: night.run.runId, at: at('2026-11-20 04:15') });
    const item = verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), '2026-11-20');
    await store.items.save(night.run.runId, night.fence, [item]);
    await store.runs.finish(night.run.runId, night.fence, 'aborted', null);
    expect(await store.runs.newestInstant()).toBeNull();
    expect((await upkeep.check()).problems).toEqual([]);
  });
}
