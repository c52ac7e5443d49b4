import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store/store.ts';
import { aPurchase, at, dec, UNSEEN } from '../../support/builders.ts';
import { aLine, allItems, keyOf, plan, TRACKED_AT, track, verified } from '../support/scenario.ts';

/** What comes in about an id, and what becomes of it. */
export function trackedContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });
  const monday = at('2026-11-02 09:00');
  const tuesday = at('2026-11-03 09:00');

  describe('tracking', () => {
    it('adds new ids and does not change known ones', async () => {
      const lines = [aLine({ id: '322' }), aLine({ id: '323', token: 'another-token' })];
      expect(await store.tracked.add(lines, 'import', monday)).toEqual([{ outcome: 'added' }, { outcome: 'added' }]);
      expect(await store.tracked.add(lines, 'import', tuesday)).toEqual([
        { outcome: 'unchanged' },
        { outcome: 'unchanged' },
      ]);
      expect(await store.tracked.count()).toBe(2);
    });

    it('returns one outcome per line, in order, when an id is repeated within a batch', async () => {
      const outcomes = await store.tracked.add(
        [aLine({ id: '322' }), aLine({ id: '322', hostReference: 'order-9' }), aLine({ id: '322' })],
        'import',
        monday,
      );
      expect(outcomes.map((each) => each.outcome)).toEqual(['added', 'updated', 'unchanged']);
      expect((await store.tracked.find('322'))[0]?.facts.hostReference).toBe('order-9');
    });

    it('fills in missing facts and changes the expected status, and nothing else', async () => {
      await store.tracked.add([aLine({ expectedStatus: 'INITIALIZED' })], 'webhook', monday);
      const filled = aLine({ hostReference: 'order-9', quoteId: 'q-17', expectedStatus: 'RELEASED' });
      expect(await store.tracked.add([filled], 'import', tuesday)).toEqual([{ outcome: 'updated' }]);
      const later = aLine({ hostReference: 'order-10', quoteId: 'q-18', expectedStatus: 'RELEASED' });
      expect(await store.tracked.add([later], 'import', tuesday)).toEqual([{ outcome: 'unchanged' }]);
      const [record] = await store.tracked.find('sqs6a428mqjtzbv');
      expect(record).toMatchObject({ origin: 'webhook', trackedAt: monday });
      expect(record?.facts).toEqual({
        hostReference: 'order-9',
        quoteId: 'q-17',
        expectedStatus: 'RELEASED',
        conflict: null,
        webhookEvents: [],
        createdAt: null,
        shown: null,
      });
    });

    it('keeps the first amounts that were shown, and fills in the other one', async () => {
      const shown = (total: string | null, fee: string | null) =>
        aLine({ shown: { total: total === null ? null : dec(total), fee: fee === null ? null : dec(fee) } });
      await store.tracked.add([aLine()], 'webhook', monday);
      expect(await store.tracked.add([shown(null, '4.76')], 'import', tuesday)).toEqual([{ outcome: 'updated' }]);
      expect(await store.tracked.add([shown('104.76', '5.00')], 'import', tuesday)).toEqual([{ outcome: 'updated' }]);
      expect(await store.tracked.add([shown('99', '5.00')], 'import', tuesday)).toEqual([{ outcome: 'unchanged' }]);
      const [record] = await store.tracked.find('sqs6a428mqjtzbv');
      expect(record?.facts.shown).toEqual({ total: dec('104.76'), fee: dec('4.76') });
    });

    it('keeps the first token, records each other one once, and never names any', async () => {
      await store.tracked.add([aLine({ token: 'the-first-token' })], 'import', monday);
      const [once] = await store.tracked.add([aLine({ token: 'a-second-token' })], 'webhook', tuesday);
      expect(once).toEqual({
        outcome: 'conflict',
        detail:
          'purchase sqs6a428mqjtzbv came in with 2 different view tokens (first from import on 2026-11-02, last from webhook on 2026-11-03)',
      });
      expect(await store.tracked.add([aLine({ token: 'a-second-token' })], 'webhook', tuesday)).toEqual([once]);
      await store.tracked.add([aLine({ token: 'a-third-token' })], 'import', tuesday);
      const [record] = await store.tracked.find('sqs6a428mqjtzbv');
      expect(record?.facts.conflict).toBe(
        'came in with 3 different view tokens (first from import on 2026-11-02, last from import on 2026-11-03)',
      );
      const [item] = await allItems(store, await plan(store));
      expect(item?.token).toBe('the-first-token');
    });

    it('takes nothing else from a line whose token conflicts', async () => {
      await store.tracked.add([aLine()], 'import', monday);
      await store.tracked.add([aLine({ token: 'a-second-token', hostReference: 'order-9' })], 'import', tuesday);
      expect((await store.tracked.find('sqs6a428mqjtzbv'))[0]?.facts.hostReference).toBeNull();
    });

    it('tracks an id that comes in as both kinds twice, and marks both', async () => {
      await store.tracked.add([aLine({ id: '322', kind: 'sale' })], 'import', monday);
      const [outcome] = await store.tracked.add([aLine({ id: '322', kind: 'purchase' })], 'webhook', tuesday);
      expect(outcome?.outcome).toBe('conflict');
      const [purchase, sale] = await store.tracked.find('322');
      expect(purchase?.facts.conflict).toBe(
        'came in as a purchase (from webhook on 2026-11-03) and as a sale (from import on 2026-11-02)',
      );
      expect(sale?.facts.conflict).toBe(
        'came in as a sale (from import on 2026-11-02) and as a purchase (from webhook on 2026-11-03)',
      );
      // The record that was there first keeps its good name.
      const again = await store.tracked.add([aLine({ id: '322', kind: 'sale' })], 'import', tuesday);
      expect(again).toEqual([{ outcome: 'unchanged' }]);
    });

    it('marks two kinds of one id that come in together', async () => {
      const outcomes = await store.tracked.add(
        [aLine({ id: '322', kind: 'purchase' }), aLine({ id: '322', kind: 'sale' })],
        'import',
        monday,
      );
      expect(outcomes.map((each) => each.outcome)).toEqual(['added', 'conflict']);
      for (const record of await store.tracked.find('322')) expect(record.facts.conflict).toContain('came in as a');
    });

    it('finds ids bytewise but for UUIDs: no folding of case, no trimming', async () => {
      await store.tracked.add([aLine({ id: 'abc' }), aLine({ id: 'ABC' })], 'import', monday);
      expect(await store.tracked.count()).toBe(2);
      expect(await store.tracked.find('Abc')).toEqual([]);
    });

    it('takes a UUID in capitals and in small letters for one record, which is stored and asked for in small letters', async () => {
      const capitals = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';
      const small = capitals.toLowerCase();
      const add = async (id: string, more = {}) =>
        (await store.tracked.add([aLine({ id, ...more })], 'import', monday))[0];
      expect(await add(capitals)).toEqual({ outcome: 'added' });
      expect(await add(small)).toEqual({ outcome: 'unchanged' });
      expect((await add(capitals, { token: 'another-token' }))?.outcome).toBe('conflict');
      expect((await add(small, { kind: 'sale' }))?.outcome).toBe('conflict');
      expect(await store.tracked.count()).toBe(2);
      for (const id of [small, capitals])
        expect((await store.tracked.find(id)).map((record) => record.id)).toEqual([small, small]);
      expect(await store.tracked.stored([capitals, small], null)).toEqual({ ids: [small], unknown: [] });
      expect((await store.tracked.named(capitals)).map(({ kind }) => kind)).toEqual(['purchase', 'sale']);
    });

    it('returns the ids that are not tracked, as a kind where one is given', async () => {
      await store.tracked.add([aLine({ id: '1' }), aLine({ id: '2', kind: 'sale' })], 'import', monday);
      const stored = await store.tracked.stored(['3', '1', '2', '3', '4'], null);
      expect(stored).toEqual({ ids: ['1', '2'], unknown: ['3', '4'] });
      expect((await store.tracked.stored(['1', '2'], 'purchase')).unknown).toEqual(['2']);
    });

    it('knows the currencies that bodies and quotes were in', async () => {
      await store.tracked.add([aLine({ id: '1' })], 'import', monday);
      const { run, fence } = await plan(store);
      const state = aPurchase({ recordId: '1', fiatCurrency: 'PLN' });
      await store.items.save(run.runId, fence, [verified(await keyOf(store, '1'), state, '2026-11-20')]);
      expect(await store.tracked.currenciesInUse()).toEqual(['PLN']);
    });

    it('knows nothing yet of a record that was only tracked', async () => {
      await store.tracked.add([aLine({ id: '1' })], 'import', monday);
      expect((await store.tracked.find('1'))[0]?.projection).toEqual(UNSEEN);
    });
  });

  it('walks the known facts in report order, with bodies where there are any', async () => {
    const store = use();
    await track(store, 'b', 'a', 'c');
    const night = await plan(store);
    const state = aPurchase({ recordId: 'a', createdAt: TRACKED_AT - 1_000 });
    await store.items.save(night.run.runId, night.fence, [verified(await keyOf(store, 'a'), state, '2026-11-20')]);
    const all = { kind: null, createdFrom: null, createdTo: null };
    const first = await store.tracked.latest(all, null, 2);
    expect(first.map(({ recordId, state: known }) => [recordId, known !== null])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    const rest = await store.tracked.latest(all, { kind: 'purchase', recordId: 'b' }, 2);
    expect(rest.map(({ recordId }) => recordId)).toEqual(['c']);
    const before = { kind: null, createdFrom: TRACKED_AT - 1_000, createdTo: TRACKED_AT };
    expect((await store.tracked.latest(before, null, 10)).map(({ recordId }) => recordId)).toEqual(['a']);
    expect(await store.tracked.latest({ ...before, kind: 'sale' }, null, 10)).toEqual([]);
  });

  it('counts by the date that the application gave, where it differs from the Service’s', async () => {
    const store = use();
    const told = TRACKED_AT - 60_000;
    await store.tracked.add([aLine({ id: 'a', createdAt: told })], 'import', TRACKED_AT);
    const night = await plan(store);
    const state = aPurchase({ recordId: 'a', createdAt: TRACKED_AT - 1_000 });
    await store.items.save(night.run.runId, night.fence, [verified(await keyOf(store, 'a'), state, '2026-11-20')]);
    const counted = { kind: null, createdFrom: told, createdTo: told + 1 };
    expect(await store.tracked.latest(counted, null, 10)).toMatchObject([{ recordId: 'a', countedAt: told }]);
  });
}
