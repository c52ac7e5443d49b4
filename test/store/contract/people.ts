import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store/store.ts';
import { aBreak, aBreakEvent } from '../../support/a-break.ts';
import { aPurchase, at, dec } from '../../support/builders.ts';
import { nightWith } from '../support/break-nights.ts';
import { aLine, complete, keyOf, plan, verified } from '../support/scenario.ts';

const NOW = at('2026-11-22 09:00');
const ANN = { name: 'Ann', account: 'local:Ann' } as const;

/** What people add to breaks, and what they read of several at once. */
export function peopleContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  describe('notes', () => {
    const first = { at: NOW, ...ANN, text: 'asked the Service', mentions: ['Bo "B" Berg', 'Cy'] };
    const second = { ...first, at: NOW + 1, text: 'an answer', mentions: [] };

    it('are those of one break, oldest first', async () => {
      await store.workList.addNote({ breakId: 'aa', ...first });
      await store.workList.addNote({ breakId: 'bb', ...first });
      await store.workList.addNote({ breakId: 'aa', ...second });
      expect(await store.workList.notes('aa')).toEqual([first, second]);
      expect(await store.workList.notes('cc')).toEqual([]);
    });

    it('that a browser sends twice are kept once, and may be repeated later', async () => {
      const sent = [0, 1, 60_000].map((later) => ({ breakId: 'aa', ...first, at: NOW + later }));
      await Promise.all(sent.map((note) => store.workList.addNote(note)));
      for (const other of [{ account: 'local:Bo' }, { breakId: 'bb' }, { at: NOW + 300_000 }, { at: NOW - 300_000 }])
        await store.workList.addNote({ breakId: 'aa', ...first, ...other });
      expect((await store.workList.notes('aa')).map(({ at, account }) => [at - NOW, account])).toEqual([
        [0, 'local:Ann'],
        [0, 'local:Bo'],
        [300_000, 'local:Ann'],
        // Under a clock that was set back.
        [-300_000, 'local:Ann'],
      ]);
    });

    it('are found by a whole name that they mention, newest first', async () => {
      await store.workList.addNote({ breakId: 'aa', ...first });
      await store.workList.addNote({ breakId: 'bb', ...second, mentions: ['Cy'] });
      await store.workList.addNote({ breakId: 'cc', ...second });
      const of = async (name: string, limit = 10) =>
        (await store.workList.mentionsOf(name, limit)).map(({ breakId }) => breakId);
      expect(await of('Cy')).toEqual(['bb', 'aa']);
      expect(await of('Cy', 1)).toEqual(['bb']);
      expect(await of('Bo "B" Berg')).toEqual(['aa']);
      expect(await of('C')).toEqual([]);
    });
  });

  describe('a request for a waiver', () => {
    const request = {
      breakId: 'aa',
      askedBy: 'Ann',
      askedAccount: 'local:Ann',
      askedAt: NOW,
      reason: 'agreed',
      until: '2026-12-31',
      events: 3,
    };

    it('waits until a person decides, and is decided once', async () => {
      // Pressed twice.
      await Promise.all([request, { ...request, askedAt: NOW + 1 }].map((each) => store.workList.askWaiver(each)));
      await store.workList.askWaiver({ ...request, breakId: 'bb', until: null });
      const [asked] = await store.workList.waiverRequests('aa');
      expect(asked).toEqual({ ...request, key: asked?.key, outcome: null });
      const key = asked?.key ?? 0;
      // The break cannot be waived: then nothing is decided.
      const events = [{ ...aBreakEvent({}, { type: 'waived' }), expectedEvents: 3 }];
      await expect(store.workList.decideWaiver(key, 'Bo', NOW + 1, 'approved', events)).rejects.toThrow();
      expect(await store.workList.decideWaiver(key, 'Bo', NOW + 1, 'refused')).toBe(true);
      expect(await store.workList.decideWaiver(key, 'Cy', NOW + 2, 'approved')).toBe(false);
      expect(await store.workList.waiverRequests('aa')).toEqual([{ ...request, key, outcome: 'refused' }]);
      expect(await store.workList.waiverRequests('bb')).toMatchObject([{ until: null, outcome: null }]);
    });
  });

  describe('a saved view', () => {
    const view = { owner: 'Ann', name: 'large', query: 'min=1000', shared: false };

    it('is its owner’s alone until it is shared, and is saved over by its name', async () => {
      await store.workList.saveView(view);
      await store.workList.saveView({ ...view, name: 'cards', shared: true });
      await store.workList.saveView({ ...view, owner: 'Bo', query: 'min=5' });
      expect(await store.workList.views('Bo')).toEqual([
        { ...view, name: 'cards', shared: true },
        { ...view, owner: 'Bo', query: 'min=5' },
      ]);
      await store.workList.saveView({ ...view, query: 'min=2000' });
      expect((await store.workList.views('Ann')).map(({ query }) => query)).toEqual(['min=1000', 'min=2000']);
      await store.workList.forgetView('Ann', 'large');
      expect((await store.workList.views('Ann')).map(({ name }) => name)).toEqual(['cards']);
      expect((await store.workList.views('Bo')).map(({ name }) => name)).toEqual(['cards', 'large']);
    });
  });

  describe('breaks', () => {
    beforeEach(async () => {
      const lines = ['a', 'b'].map((id) => aLine({ id, token: `token-of-${id}`, createdAt: at('2026-11-01 09:00') }));
      await store.tracked.add(lines, 'import', NOW);
      const night = await plan(store);
      for (const recordId of ['a', 'b']) {
        const state = aPurchase({ recordId, createdAt: at('2026-11-01 10:00') });
        const item = verified(await keyOf(store, recordId), state, '2026-11-20');
        await store.items.save(night.run.runId, night.fence, [item]);
      }
      await complete(store, night);
    });

    it('of one record are read in report order, of its own kind only', async () => {
      await nightWith(
        store,
        aBreakEvent({ recordId: 'a', rule: 'STATUS_STUCK', field: 'status' }),
        aBreakEvent({ recordId: 'a' }),
        aBreakEvent({ recordId: 'b' }),
      );
      const rules = (await store.workList.ofRecord('purchase', 'a')).map(({ rule }) => rule);
      expect(rules).toEqual(['FEE_APPLIED_DIFFERS', 'STATUS_STUCK']);
      expect(await store.workList.ofRecord('sale', 'a')).toEqual([]);
      const sameId = aBreak({ recordId: 'b' }).breakId;
      expect((await store.workList.byIds([sameId, 'unknown'])).map(({ breakId }) => breakId)).toEqual([sameId]);
    });

    it('that are open and differ in the currency of their record have their possible causes', async () => {
      const state = aPurchase({ recordId: 'a' });
      const currency = state.fiatCurrency;
      await nightWith(
        store,
        aBreakEvent({ recordId: 'a', currency }),
        aBreakEvent({ recordId: 'a', rule: 'AMOUNT_DIFFERS', currency: 'XXX' }),
        aBreakEvent({ recordId: 'a', rule: 'STATUS_STUCK', difference: null, currency }),
        aBreakEvent({ recordId: 'a', rule: 'FEE_OUT_OF_BOUNDS', unit: 'days', currency }),
        aBreakEvent({ recordId: 'b', currency, state: 'waived' }),
      );
      const { breakId } = aBreak({ recordId: 'a' });
      const causes = await store.workList.causes('', 10);
      expect(causes).toEqual([
        {
          breakId,
          kind: 'purchase',
          recordId: 'a',
          rule: 'FEE_APPLIED_DIFFERS',
          field: 'applied_fee',
          difference: '1.5',
          moneyAtStake: expect.any(String),
          currency,
          paymentMethod: state.paymentMethod,
          fiatValue: expect.any(String),
          appliedFee: expect.any(String),
          // What the host says goes before what the body says.
          createdAt: at('2026-11-01 09:00'),
        },
      ]);
      expect([dec(causes[0]?.fiatValue ?? ''), dec(causes[0]?.appliedFee ?? '')]).toEqual([
        state.fiatValue,
        state.appliedFee,
      ]);
      expect(await store.workList.causes(breakId, 10)).toEqual([]);
    });
  });
}
