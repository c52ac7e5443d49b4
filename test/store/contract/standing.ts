import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store/store.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { EVER, judging, nightWith, stage, standingOf } from '../support/break-nights.ts';
import { aLine, keyOf, plan, settle, TRACKED_AT, track } from '../support/scenario.ts';

/** Breaks as they stood: what a run, and every replay of it, may see. */
export function standingContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  describe('a watermark', () => {
    it('shows breaks as they stood then', async () => {
      await track(store, 'a', 'b');
      await nightWith(store, aBreakEvent({ recordId: 'a' }));
      const second = await judging(store);
      const then = second.run.watermarks?.breakEvent ?? 0;
      await stage(store, second, aBreakEvent({ recordId: 'a', state: 'resolved' }, { type: 'resolved' }));
      await stage(store, second, aBreakEvent({ recordId: 'b' }));
      await settle(store, second);
      expect(await standingOf(store, 'a', then)).toMatchObject([{ state: 'open' }]);
      expect(await standingOf(store, 'b', then)).toEqual([]);
      expect(await standingOf(store, 'a')).toMatchObject([{ state: 'resolved' }]);
    });

    it('never shows events that were waiting then and were settled since', async () => {
      await track(store, 'a');
      const slow = await judging(store, 'audit');
      await stage(store, slow, aBreakEvent({ recordId: 'a' }));
      const quick = await judging(store, 'nightly');
      const then = quick.run.watermarks?.breakEvent ?? 0;
      await settle(store, slow);
      expect(await standingOf(store, 'a', then)).toEqual([]);
      expect(await standingOf(store, 'a')).toHaveLength(1);
    });

    it('is not moved by judging and settling again', async () => {
      await track(store, 'a');
      const planned = await judging(store);
      await stage(store, planned, aBreakEvent({ recordId: 'a' }));
      const settled = await settle(store, planned);
      expect(settled.watermarks).toEqual(planned.run.watermarks);
    });
  });

  describe('standing breaks', () => {
    it('are given by record, ordered by rule and field', async () => {
      await track(store, 'a', 'b');
      await nightWith(
        store,
        aBreakEvent({ recordId: 'a', rule: 'RESTATED', field: 'fiat_value' }),
        aBreakEvent({ recordId: 'a', rule: 'RESTATED', field: 'applied_fee' }),
        aBreakEvent({ recordId: 'a', rule: 'AMOUNT_DIFFERS' }),
      );
      expect((await standingOf(store, 'a')).map((each) => `${each.rule} ${each.field}`)).toEqual([
        'AMOUNT_DIFFERS applied_fee',
        'RESTATED applied_fee',
        'RESTATED fiat_value',
      ]);
      const keys = [await keyOf(store, 'a'), await keyOf(store, 'b')];
      expect([...(await store.breaks.standing(keys, EVER)).keys()]).toEqual([keys[0]]);
    });

    it('outside of a run are those of records that it did not look at, resolved ones left out', async () => {
      const lines = ['a', 'b', 'c', 'd', 'e'].map((id) => aLine({ id, hostReference: `order-${id}` }));
      await store.tracked.add(lines, 'import', TRACKED_AT);
      await nightWith(
        store,
        aBreakEvent({ recordId: 'b', rule: 'RESTATED' }),
        aBreakEvent({ recordId: 'b', rule: 'AMOUNT_DIFFERS' }),
        aBreakEvent({ recordId: 'c', state: 'resolved' }),
        aBreakEvent({ recordId: 'd', state: 'waived' }),
        aBreakEvent({ recordId: 'e' }),
      );
      const selection = { type: 'ids', ids: ['a', 'e'], kind: null } as const;
      const { run, fence } = await plan(store, { job: 'audit', selection });
      const { watermarks } = await store.runs.startJudging(run.runId, fence, 'late');
      const then = watermarks?.breakEvent ?? 0;
      const place = (recordId: string) => ({ kind: 'purchase', recordId }) as const;
      const outside = async (after: string | null, upTo: string | null, watermark = then) => {
        const [from, to] = [after === null ? null : place(after), upTo === null ? null : place(upTo)];
        const found = await store.breaks.standingOutside(run.runId, watermark, from, to);
        return found.map((each) => `${each.recordId} ${each.rule} ${each.hostReference}`);
      };
      const b = ['b AMOUNT_DIFFERS order-b', 'b RESTATED order-b'];
      const d = ['d FEE_APPLIED_DIFFERS order-d'];
      expect(await outside(null, null)).toEqual([...b, ...d]);
      expect(await outside(null, 'b')).toEqual(b);
      expect(await outside('b', 'd')).toEqual(d);
      expect(await outside('d', null)).toEqual([]);
      expect(await outside(null, null, 0)).toEqual([]);
    });

    it('outside of a run show the host reference as it was, so that a report can be rendered again', async () => {
      await track(store, 'a');
      await nightWith(store, aBreakEvent({ recordId: 'a' }));
      const { run } = await plan(store, { job: 'audit', selection: { type: 'ids', ids: ['none'], kind: null } });
      await store.tracked.add(
        [aLine({ id: 'a', token: 'token-of-a', hostReference: 'order-1' })],
        'import',
        TRACKED_AT,
      );
      const [then] = await store.breaks.standingOutside(run.runId, EVER, null, null);
      expect(then?.hostReference).toBeNull();
      const [now] = await store.breaks.list({ limit: 10, offset: 0 });
      expect(now?.hostReference).toBe('order-1');
    });
  });
}
