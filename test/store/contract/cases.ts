import { beforeEach, describe, expect, it } from 'vitest';
import type { ObservedItem, Store } from '../../../src/ports/store/store.ts';
import { aPurchase, aQuote, aQuotedMethod, aSale, at } from '../../support/builders.ts';
import {
  aLine,
  allCases,
  allItems,
  bodyOf,
  complete,
  judgedAfterAllowance,
  keyOf,
  type Night,
  plan,
  saveAll,
  settle,
  TRACKED_AT,
  track,
  unreachable,
  verified,
} from '../support/scenario.ts';

const DATE = '2026-11-20';
const NEXT = '2026-11-21';

/** What the judge gets: cases with their history, their quote, and the changes of their status. */
export function casesContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  const save = (night: Night, ...items: ObservedItem[]) => saveAll(store, night, items);
  const judgedCases = (night: Night) => judgedAfterAllowance(store, night);

  describe('cases', () => {
    it('come in report order, bytewise, not in the order of fetching', async () => {
      await track(store, 'b', 'B', 'a-1', 'a', 'a1', '10', '9');
      await store.tracked.add([aLine({ id: '0', kind: 'sale' })], 'import', TRACKED_AT);
      const cases = await judgedCases(await plan(store));
      expect(cases.map((each) => `${each.kind} ${each.recordId}`)).toEqual([
        'purchase 10',
        'purchase 9',
        'purchase B',
        'purchase a',
        'purchase a-1',
        'purchase a1',
        'purchase b',
        'sale 0',
      ]);
    });

    it('of one run show nothing of another', async () => {
      await track(store, 'a');
      const first = await plan(store);
      await save(first, verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), DATE));
      const other = await plan(store, { job: 'audit', selection: { type: 'all', kind: null } });
      expect((await judgedCases(other)).map((each) => each.observation.outcome)).toEqual(['deferred']);
      expect((await judgedCases(first)).map((each) => each.observation.outcome)).toEqual(['verified']);
    });
  });

  describe('history', () => {
    const initialized = aPurchase({ recordId: 'a', status: 'INITIALIZED', finalTxHash: null });
    const released = aPurchase({ recordId: 'a' });
    const restated = aPurchase({ recordId: 'a', appliedFee: '5.00' });
    const seen = (date: string) => at(`${date} 04:20`);

    /** A night on which `a` has this body, with what follows from the nights before. */
    async function night(date: string, state: typeof released): Promise<Night> {
      const planned = await plan(store, { date, selection: { type: 'all', kind: null } });
      const [item] = await allItems(store, planned);
      const before = item?.projection;
      const ended = state.status === 'RELEASED';
      const same = before?.status === state.status;
      await save(
        planned,
        verified(item?.recordKey ?? 0, state, date, {
          basis: before?.lastSnapshot ?? null,
          projection: {
            statusSince: same ? (before?.statusSince ?? null) : seen(date),
            firstSnapshot: before?.firstSnapshot ?? 'this',
            terminalSnapshot: before?.terminalSnapshot ?? (ended ? 'this' : null),
            terminalDate: before?.terminalDate ?? (ended ? date : null),
          },
        }),
      );
      return planned;
    }

    it('is the state before this run, and stays the same for every replay', async () => {
      await track(store, 'a');
      const first = await night('2026-11-18', initialized);
      await complete(store, first);
      const second = await night('2026-11-19', released);
      await complete(store, second);
      const third = await night('2026-11-20', restated);

      const [one] = await judgedAgain(first);
      expect(one?.history).toEqual({
        first: null,
        firstTerminal: null,
        peak: null,
        statusSince: null,
        lastVerified: null,
      });
      const [two] = await judgedAgain(second);
      expect(two?.history).toEqual({
        first: snapshot(initialized, '2026-11-18'),
        firstTerminal: null,
        peak: { status: 'INITIALIZED', at: seen('2026-11-18') },
        // RELEASED is new tonight.
        statusSince: null,
        lastVerified: { at: seen('2026-11-18'), status: 'INITIALIZED' },
      });
      const [three] = await judgedCases(third);
      expect(three?.history).toEqual({
        first: snapshot(initialized, '2026-11-18'),
        firstTerminal: snapshot(released, '2026-11-19'),
        peak: { status: 'RELEASED', at: seen('2026-11-19') },
        statusSince: seen('2026-11-19'),
        lastVerified: { at: seen('2026-11-19'), status: 'RELEASED' },
      });
    });

    it('has the first body whose price was fixed, where that is neither the first nor the terminal one', async () => {
      await track(store, 'a');
      const received = { ...initialized, status: 'FIAT_RECEIVED' };
      await complete(store, await night('2026-11-18', initialized));
      await complete(store, await night('2026-11-19', received));
      await complete(store, await night('2026-11-20', { ...received, status: 'RELEASING' }));
      await complete(store, await night('2026-11-21', released));
      const [fixed, passed] = [
        await judgedCases(await night('2026-11-22', released)),
        snapshot(received, '2026-11-19'),
      ];
      expect(fixed[0]?.history).toMatchObject({
        firstExecuted: passed,
        firstTerminal: snapshot(released, '2026-11-21'),
      });
    });

    it('has the earlier body that was changed later than tonight’s, by its own word', async () => {
      await track(store, 'a');
      const changedAt = (time: string) => ({ ...initialized, updatedAt: at(`2026-11-17 ${time}`) });
      await complete(store, await night('2026-11-18', changedAt('10:00')));
      await complete(store, await night('2026-11-19', changedAt('12:00')));
      const older = await night('2026-11-20', changedAt('10:00'));
      const younger = { updatedAt: at('2026-11-17 12:00'), seenAt: seen('2026-11-19') };
      expect((await judgedCases(older))[0]?.history).toMatchObject({ younger });
      await complete(store, older);
      // By less than a minute another part of the Service may be behind.
      const again = await night('2026-11-21', changedAt('11:59'));
      expect((await judgedCases(again))[0]?.history.younger).toBeUndefined();
      await complete(store, again);
      // A date that was still to come dates no change.
      await complete(store, await night('2026-11-22', { ...initialized, updatedAt: at('2026-12-24 12:00') }));
      const last = await night('2026-11-23', changedAt('12:01'));
      expect((await judgedCases(last))[0]?.history.younger).toBeUndefined();
      await complete(store, last);
      // That of the creation does where an answer had another one before.
      const still = await night('2026-11-24', { ...initialized, updatedAt: initialized.createdAt });
      expect((await judgedCases(still))[0]?.history.younger).toBeDefined();
    });

    it('gives the time at which an unchanged body was first received, not tonight’s', async () => {
      await track(store, 'a');
      await complete(store, await night('2026-11-18', released));
      const again = await night('2026-11-19', released);
      const [stored] = await judgedCases(again);
      expect(stored?.history.first).toEqual(snapshot(released, '2026-11-18'));
      expect(stored?.history.firstTerminal).toEqual(snapshot(released, '2026-11-18'));
    });

    it('is there for a record that could not be read tonight, or was not asked for', async () => {
      await track(store, 'a');
      await complete(store, await night('2026-11-18', released));
      const failed = await plan(store, { date: '2026-11-19' });
      await save(failed, unreachable(await keyOf(store, 'a'), '2026-11-19'));
      const expected = {
        first: snapshot(released, '2026-11-18'),
        firstTerminal: snapshot(released, '2026-11-18'),
        peak: { status: 'RELEASED', at: seen('2026-11-18') },
        statusSince: seen('2026-11-18'),
        lastVerified: { at: seen('2026-11-18'), status: 'RELEASED' },
      };
      expect((await judgedCases(failed))[0]?.history).toEqual(expected);
      const deferred = await plan(store, { date: '2026-11-20', selection: { type: 'all', kind: null } });
      expect((await judgedCases(deferred))[0]?.history).toEqual(expected);
    });

    function snapshot(state: typeof released, date: string) {
      return { state, evidence: { sha256: bodyOf(state).sha256, receivedAt: seen(date), origin: 'fetch' } };
    }

    async function judgedAgain({ run }: Night) {
      const stored = await store.runs.get(run.runId);
      if (stored === null) throw new Error('the run is gone');
      return allCases(store, stored);
    }
  });

  describe('the linked quote', () => {
    const card = aQuotedMethod({ method: 'CARD_PAYMENT' });
    const pix = aQuotedMethod({ method: 'PIX', appliedFee: '1.00' });
    const quote = { quote: aQuote({ methods: [pix, card] }), request: '{}', response: '{}' };

    async function caseOf(state: ReturnType<typeof aPurchase>) {
      await store.tracked.add([aLine({ kind: state.kind, id: state.recordId, quoteId: 'q-17' })], 'import', TRACKED_AT);
      const night = await plan(store);
      await save(night, verified(await keyOf(store, state.recordId), state, DATE));
      return (await judgedCases(night))[0]?.linked;
    }

    it('comes with the method of the record alone, and its age', async () => {
      await store.quotes.add([quote], TRACKED_AT);
      expect(await caseOf(aPurchase({ paymentMethod: 'CARD_PAYMENT' }))).toEqual({
        quote: aQuote({ methods: [card] }),
        method: card,
        ageSeconds: 240,
      });
    });

    it('comes with all its methods where it does not offer the one of the record', async () => {
      await store.quotes.add([quote], TRACKED_AT);
      expect(await caseOf(aPurchase({ paymentMethod: 'APPLE_PAY', createdAt: null }))).toEqual({
        quote: aQuote({ methods: [pix, card] }),
        method: null,
        ageSeconds: null,
      });
    });

    it('comes with all its methods where the body names none', async () => {
      await store.quotes.add([quote], TRACKED_AT);
      const linked = await caseOf(aSale());
      expect(linked?.method).toBeNull();
      expect(linked?.quote.methods.map((each) => each.method)).toEqual(['PIX', 'CARD_PAYMENT']);
    });

    it('may come in after the plan, but not after the run was judged', async () => {
      await store.tracked.add(
        [aLine({ id: 'a', quoteId: 'q-17' }), aLine({ id: 'b', quoteId: 'q-18' })],
        'import',
        TRACKED_AT,
      );
      const night = await plan(store);
      await store.quotes.add([quote], TRACKED_AT);
      const judging = await store.runs.startJudging(night.run.runId, night.fence, 'late');
      await store.quotes.add([{ ...quote, quote: aQuote({ quoteId: 'q-18' }) }], TRACKED_AT);
      const cases = await allCases(store, judging);
      expect(cases.map((each) => each.linked?.quote.quoteId)).toEqual(['q-17', undefined]);
      // A record that was not verified has a quote, but no method to look at.
      expect(cases[0]?.linked).toMatchObject({ method: null, ageSeconds: null, quote: { methods: [] } });
    });
  });

  describe('status changes', () => {
    const change = { from: 'INITIALIZED', fromSeenAt: at('2026-11-18 04:20'), to: 'RELEASED', legal: true };
    const from = { kind: 'purchase', recordId: '' } as const;
    const to = { kind: 'sale', recordId: '~' } as const;

    it('are reported by the run that saw them, for a range of its records', async () => {
      await track(store, 'a', 'b', 'c');
      const night = await plan(store);
      for (const id of ['c', 'a', 'b']) {
        const state = aPurchase({ recordId: id });
        const statusChange = { ...change, legal: id !== 'b' };
        await save(night, verified(await keyOf(store, id), state, DATE, { statusChange }));
      }
      const { runId } = night.run;
      const told = await store.items.statusChanges(runId, from, to);
      expect(told.map((each) => [each.recordId, each.legal])).toEqual([
        ['a', true],
        ['b', false],
        ['c', true],
      ]);
      expect(told[0]).toEqual({
        kind: 'purchase',
        recordId: 'a',
        from: 'INITIALIZED',
        to: 'RELEASED',
        fromSeenAt: change.fromSeenAt,
        toSeenAt: at(`${DATE} 04:20`),
        learnedFrom: 'fetch',
        legal: true,
      });
      const b = { kind: 'purchase', recordId: 'b' } as const;
      expect((await store.items.statusChanges(runId, from, b)).map((each) => each.recordId)).toEqual(['a', 'b']);
      expect((await store.items.statusChanges(runId, b, b)).map((each) => each.recordId)).toEqual(['b']);
    });

    it('of a run that came to nothing are reported by the next one', async () => {
      await track(store, 'a');
      const night = await plan(store);
      await save(
        night,
        verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), DATE, { statusChange: change }),
      );
      await store.runs.finish(night.run.runId, night.fence, 'aborted', null);
      const next = await plan(store, { date: NEXT, selection: { type: 'all', kind: null } });
      await settle(store, next);
      expect(await store.items.statusChanges(night.run.runId, from, to)).toEqual([]);
      expect(await store.items.statusChanges(next.run.runId, from, to)).toHaveLength(1);
    });
  });
}
