import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store/store.ts';
import { aPurchase, at } from '../../support/builders.ts';
import { allCases, bodyOf, complete, keyOf, plan, track, verified } from '../support/scenario.ts';

/** `printf '{"fiatValue":NaN}' | sha256sum` */
const NAN_SHA256 = '063bb2a62ba34abc405760af81538a8a05120a2e7314d156fef57e8ff70051b8';

/** Queries about one record: its case in a run, its statuses, its bodies. */
export function historyContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  const initialized = aPurchase({ recordId: 'b', status: 'INITIALIZED', finalTxHash: null });
  const released = aPurchase({ recordId: 'b' });
  const seen = (date: string) => at(`${date} 04:20`);

  describe('the story of a record', () => {
    it('has its case as the run judged it, the same that the page has', async () => {
      await track(store, 'a', 'b', 'c');
      const night = await plan(store);
      const items = [verified(await keyOf(store, 'b'), released, '2026-11-20')];
      await store.items.save(night.run.runId, night.fence, items);
      const judged = await store.runs.startJudging(night.run.runId, night.fence, 'the allowance was spent');
      const page = await allCases(store, judged);
      expect(await store.history.caseOf(judged, 'purchase', 'b')).toEqual(page[1]);
      expect(page[1]).toMatchObject({ recordId: 'b', observation: { outcome: 'verified' } });
      expect(await store.history.caseOf(judged, 'sale', 'b')).toBeNull();
      expect(await store.history.caseOf(judged, 'purchase', 'bb')).toBeNull();
    });

    it('has every status and every body, whichever run saw it', async () => {
      await track(store, 'a', 'b');
      const key = await keyOf(store, 'b');
      const first = await plan(store, { date: '2026-11-18', selection: { type: 'all', kind: null } });
      await store.items.save(first.run.runId, first.fence, [verified(key, initialized, '2026-11-18')]);
      await complete(store, first);
      const second = await plan(store, { date: '2026-11-19', selection: { type: 'all', kind: null } });
      const change = { from: 'INITIALIZED', fromSeenAt: seen('2026-11-18'), to: 'RELEASED', legal: true };
      const item = verified(key, released, '2026-11-19', { statusChange: change });
      await store.items.save(second.run.runId, second.fence, [item]);
      await complete(store, second);

      expect(await store.history.statusChanges('purchase', 'b')).toEqual([
        {
          kind: 'purchase',
          recordId: 'b',
          from: 'INITIALIZED',
          to: 'RELEASED',
          fromSeenAt: seen('2026-11-18'),
          toSeenAt: seen('2026-11-19'),
          learnedFrom: 'fetch',
          legal: true,
        },
      ]);
      expect(await store.history.statusChanges('purchase', 'a')).toEqual([]);
      const body = (state: typeof released, date: string) => ({
        sha256: bodyOf(state).sha256,
        at: seen(date),
        origin: 'fetch',
        httpStatus: 200,
        status: state.status,
        kept: 'text',
      });
      expect(await store.history.sightings('purchase', 'b')).toMatchObject([
        body(initialized, '2026-11-18'),
        body(released, '2026-11-19'),
      ]);
      expect(await store.history.sightings('sale', 'b')).toEqual([]);
    });

    it('knows when the methods of a time were captured, under the watermark', async () => {
      const save = (date: string, name: string) =>
        store.reference.save({
          type: 'methods',
          direction: 'onramp',
          methods: [{ name, currencies: ['EUR'], countries: [] }],
          body: `["${name}"]`,
          sha256: name,
          at: seen(date),
        });
      await save('2026-11-18', 'PIX');
      await save('2026-11-20', 'CARD_PAYMENT');
      const at = (date: string, watermark = 99) => store.history.methodsCapturedAt('onramp', seen(date), watermark);
      expect(await at('2026-11-17')).toBeNull();
      expect(await at('2026-11-19')).toBe(seen('2026-11-18'));
      expect(await at('2026-11-20')).toBe(seen('2026-11-20'));
      expect(await at('2026-11-20', 1)).toBe(seen('2026-11-18'));
      expect(await store.history.methodsCapturedAt('offramp', seen('2026-11-20'), 99)).toBeNull();
    });

    it('has bodies that could not be read, as sealed', async () => {
      await track(store, 'b');
      const night = await plan(store);
      const observed = {
        outcome: 'quarantined',
        reason: 'UNREADABLE_BODY',
        detail: 'not a number',
        drift: [],
        httpStatus: 200,
        body: { sha256: 'c0ffee', evidence: '{"fiatValue":NaN}' },
        at: seen('2026-11-20'),
      } as const;
      await store.items.save(night.run.runId, night.fence, [
        { recordKey: await keyOf(store, 'b'), attempts: 1, observed },
      ]);
      expect(await store.history.sightings('purchase', 'b')).toMatchObject([
        {
          sha256: 'c0ffee',
          at: seen('2026-11-20'),
          origin: 'fetch',
          httpStatus: null,
          status: null,
          kept: 'sealed',
          redactedSha256: NAN_SHA256,
        },
      ]);
      expect(await store.history.recordsWith('c0ffee')).toEqual([{ kind: 'purchase', recordId: 'b' }]);
      expect(await store.history.recordsWith(NAN_SHA256)).toEqual([{ kind: 'purchase', recordId: 'b' }]);
      expect(await store.history.recordsWith('ffffff')).toEqual([]);
    });
  });
}
