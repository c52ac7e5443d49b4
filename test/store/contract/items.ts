import { beforeEach, describe, expect, it } from 'vitest';
import { ForeignItemError } from '../../../src/ports/store/errors.ts';
import type { ObservedItem, Store } from '../../../src/ports/store/store.ts';
import { aPurchase, at, someFacts } from '../../support/builders.ts';
import {
  bodyOf,
  judgedAfterAllowance,
  keyOf,
  type Night,
  plan,
  saveAll,
  settle,
  track,
  unreachable,
  verified,
} from '../support/scenario.ts';

const DATE = '2026-11-20';

/** Observations: saved in batches, and read back as cases. */
export function itemsContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  const save = (night: Night, ...items: ObservedItem[]) => saveAll(store, night, items);
  const judgedCases = (night: Night) => judgedAfterAllowance(store, night);

  describe('an observation', () => {
    it('comes back to the last digit, with its evidence', async () => {
      const state = aPurchase({
        recordId: 'a',
        fiatValue: '104.76000000000000123',
        baseFee: '-0.00000000000000001',
        appliedFee: '0',
        cryptoUnits: 123_456_789_012_345_678_901_234_567_890n,
        hostFeeCut: '0.1',
        exchangeRateEur: null,
        finalTxHash: null,
      });
      await track(store, 'a');
      const night = await plan(store);
      await save(night, verified(await keyOf(store, 'a'), state, DATE));
      const [stored] = await judgedCases(night);
      const { sha256, evidence } = bodyOf(state);
      expect(stored).toEqual({
        recordKey: await keyOf(store, 'a'),
        kind: 'purchase',
        dueClass: 'never-verified',
        recordId: 'a',
        tracked: someFacts(),
        observation: {
          outcome: 'verified',
          snapshot: { state, evidence: { sha256, receivedAt: at(`${DATE} 04:20`), origin: 'fetch' } },
        },
        attempts: 1,
        history: { first: null, firstTerminal: null, peak: null, statusSince: null, lastVerified: null },
        linked: null,
      });
      expect(await store.items.evidence(sha256)).toBe(evidence);
      expect(await store.items.evidence('ff')).toBeNull();
    });

    it('of an unreachable record keeps why', async () => {
      await track(store, 'a');
      const night = await plan(store);
      const observed = {
        outcome: 'unreachable',
        reason: 'RECORD_MISSING',
        httpStatus: 404,
        errorCode: 'PURCHASE_NOT_FOUND',
        at: at(`${DATE} 04:20`),
      } as const;
      await save(night, { recordKey: await keyOf(store, 'a'), attempts: 2, observed });
      expect(await judgedCases(night)).toMatchObject([{ observation: observed, attempts: 2 }]);
    });

    it('of an unreadable body keeps the reason, and the body sealed', async () => {
      await track(store, 'a');
      const night = await plan(store);
      const drift = [
        { field: 'baseServiceFee', problem: 'missing', found: 'nothing', expected: 'a number', hint: 'baseMakerFee' },
      ] as const;
      const reason = { reason: 'SCHEMA_DRIFT', detail: 'the body lacks baseServiceFee', drift } as const;
      const body = { sha256: 'c0ffee', evidence: '{"baseMakerFee":1}' };
      await save(night, {
        recordKey: await keyOf(store, 'a'),
        attempts: 1,
        observed: { outcome: 'quarantined', ...reason, httpStatus: 200, body, at: at(`${DATE} 04:20`) },
      });
      const [stored] = await judgedCases(night);
      expect(stored?.observation).toEqual({
        outcome: 'quarantined',
        ...reason,
        httpStatus: 200,
        sha256: 'c0ffee',
        at: at(`${DATE} 04:20`),
      });
      expect(await store.items.evidence('c0ffee')).toBeNull();
      expect(await store.items.quarantinedBody('purchase', 'a', 'c0ffee')).toBe('{"baseMakerFee":1}');
      expect(await store.items.quarantinedBody('sale', 'a', 'c0ffee')).toBeNull();
    });

    it('that was never made is deferred when the run is judged', async () => {
      await track(store, 'a');
      expect(await judgedCases(await plan(store))).toMatchObject([
        { observation: { outcome: 'deferred', reason: 'the allowance was spent' }, attempts: 0 },
      ]);
    });

    it('stands: a batch saved twice is saved once', async () => {
      await track(store, 'a', 'b');
      const night = await plan(store);
      const batch = [
        verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), DATE, {
          statusChange: { from: 'INITIALIZED', fromSeenAt: 1, to: 'RELEASED', legal: true },
        }),
        unreachable(await keyOf(store, 'b'), DATE),
      ];
      await save(night, ...batch);
      const [before] = await store.tracked.find('a');
      await save(night, ...batch, ...batch);
      await save(night, verified(await keyOf(store, 'b'), aPurchase({ recordId: 'b' }), DATE));
      expect(await store.items.progress(night.run.runId)).toEqual({ planned: 2, observed: 2 });
      expect((await store.tracked.find('a'))[0]).toEqual(before);
      const cases = await judgedCases(night);
      expect(cases.map((each) => each.observation.outcome)).toEqual(['verified', 'unreachable']);
      const place = { kind: 'purchase', recordId: 'a' } as const;
      expect(await store.items.statusChanges(night.run.runId, place, place)).toHaveLength(1);
    });

    it('updates the known facts of the record, with its snapshot in the place of `this`', async () => {
      await track(store, 'a');
      const night = await plan(store);
      await save(night, verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), DATE));
      const [record] = await store.tracked.find('a');
      const { firstSnapshot, terminalSnapshot, lastSnapshot, ...rest } = record?.projection ?? {};
      expect(rest).toEqual({
        status: 'RELEASED',
        statusSince: at(`${DATE} 04:20`),
        peakStatus: 'RELEASED',
        peakAt: at(`${DATE} 04:20`),
        terminalDate: DATE,
        lastVerifiedAt: at(`${DATE} 04:20`),
        lastVerifiedDate: DATE,
      });
      expect(firstSnapshot).toBeTypeOf('number');
      expect([terminalSnapshot, lastSnapshot]).toEqual([firstSnapshot, firstSnapshot]);
    });

    it('without a readable body moves nothing', async () => {
      await track(store, 'a');
      const [before] = await store.tracked.find('a');
      await save(await plan(store), unreachable(await keyOf(store, 'a'), DATE));
      expect(await store.tracked.find('a')).toEqual([before]);
    });

    it('is handed back where the record has moved on since it was asked for', async () => {
      await track(store, 'a', 'b');
      const night = await plan(store);
      const audit = await plan(store, { job: 'audit' });
      const key = await keyOf(store, 'a');
      await save(audit, verified(key, aPurchase({ recordId: 'a' }), DATE, { basis: null }));
      const late = [
        verified(key, aPurchase({ recordId: 'a' }), DATE, { basis: null }),
        unreachable(await keyOf(store, 'b'), DATE),
      ];
      const stale = await store.items.save(night.run.runId, night.fence, late);
      const [record] = await store.tracked.find('a');
      expect(stale).toEqual([{ recordKey: key, projection: record?.projection }]);
      expect(await store.items.progress(night.run.runId)).toEqual({ planned: 2, observed: 1 });
      const basis = record?.projection.lastSnapshot ?? null;
      await save(night, verified(key, aPurchase({ recordId: 'a' }), DATE, { basis }));
      expect(await store.items.progress(night.run.runId)).toEqual({ planned: 2, observed: 2 });
    });

    it('of a record that is not in the run, or of another record, is refused with its whole batch', async () => {
      await track(store, 'a');
      const night = await plan(store);
      await track(store, 'b');
      const { run, fence } = night;
      const a = verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), DATE);
      const b = verified(await keyOf(store, 'b'), aPurchase({ recordId: 'b' }), DATE);
      const swapped = verified(await keyOf(store, 'a'), aPurchase({ recordId: 'b' }), DATE);
      await expect(store.items.save(run.runId, fence, [a, b])).rejects.toThrow(ForeignItemError);
      await expect(store.items.save(run.runId, fence, [swapped])).rejects.toThrow(ForeignItemError);
      expect(await store.items.progress(run.runId)).toEqual({ planned: 1, observed: 0 });
    });
  });

  describe('items of a run', () => {
    const place = (recordId: string) => ({ kind: 'purchase', recordId }) as const;

    it('list verified records in report order, with the time of an earlier terminal status', async () => {
      await track(store, 'a', 'b', 'c');
      const before = await plan(store);
      const ended = aPurchase({ recordId: 'b', status: 'RELEASED', updatedAt: at('2026-11-01 10:20') });
      await save(before, verified(await keyOf(store, 'b'), ended, DATE));
      await settle(store, before);
      const night = await plan(store, { date: '2026-11-21', selection: { type: 'all', kind: null } });
      const { lastSnapshot } = (await store.tracked.find('b'))[0]?.projection ?? {};
      const projection = { firstSnapshot: lastSnapshot ?? null, terminalSnapshot: lastSnapshot ?? null };
      const again = { basis: lastSnapshot ?? null, projection };
      await save(night, verified(await keyOf(store, 'b'), ended, '2026-11-21', again));
      await save(night, verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), '2026-11-21'));
      await save(night, unreachable(await keyOf(store, 'c'), '2026-11-21'));
      const { runId } = night.run;
      const receivedAt = at('2026-11-21 04:20');
      const first = { state: aPurchase({ recordId: 'a' }), receivedAt, endedAt: null };
      const second = { state: ended, receivedAt, endedAt: ended.updatedAt };
      expect(await store.items.verified(runId, null, 10)).toEqual([first, second]);
      expect(await store.items.verified(runId, null, 1)).toEqual([first]);
      expect(await store.items.verified(runId, place('a'), 10)).toEqual([second]);
    });

    it('are cut into ranges by their positions in report order', async () => {
      await track(store, 'a', 'b', 'c');
      const { run, fence } = await plan(store);
      await store.runs.startJudging(run.runId, fence, '');
      expect(await store.items.positionAfter(run.runId, null, 2)).toEqual(place('b'));
      expect(await store.items.positionAfter(run.runId, place('a'), 2)).toEqual(place('c'));
      expect(await store.items.positionAfter(run.runId, place('b'), 2)).toBeNull();
    });
  });
}
