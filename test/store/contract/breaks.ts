import { beforeEach, describe, expect, it } from 'vitest';
import type { Break, BreakEvent } from '../../../src/domain/break.ts';
import { isoInstant } from '../../../src/domain/record.ts';
import { AmbiguousBreakIdError, BreakMovedOnError, UnknownBreakError } from '../../../src/ports/store/errors.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { aBreak, aBreakEvent } from '../../support/a-break.ts';
import { at, dec } from '../../support/builders.ts';
import { judging, nightWith, stage, standingOf } from '../support/break-nights.ts';
import { NO_VERDICTS, settle, track } from '../support/scenario.ts';

/** Breaks through runs and people's hands. */
export function breaksContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  function byPerson(type: BreakEvent['type'], expectedEvents: number, after: Partial<Break>) {
    return { ...aBreakEvent(after, { type, who: 'Ada', reason: 'looked into it' }), expectedEvents };
  }

  describe('the count of open breaks', () => {
    it('has every severity, and counts only breaks that are open now', async () => {
      expect(await store.breaks.openBySeverity()).toEqual({ info: 0, low: 0, medium: 0, high: 0, critical: 0 });
      await track(store, 'a', 'b', 'c', 'd');
      await nightWith(
        store,
        aBreakEvent({ recordId: 'a', severity: 'critical' }),
        aBreakEvent({ recordId: 'b', severity: 'critical', state: 'reopened' }),
        aBreakEvent({ recordId: 'c', severity: 'low', state: 'acknowledged' }),
        aBreakEvent({ recordId: 'd', severity: 'critical', state: 'resolved' }),
      );
      expect(await store.breaks.openBySeverity()).toEqual({ info: 0, low: 1, medium: 0, high: 0, critical: 2 });
      // Of another severity since: the latest counts.
      await nightWith(store, aBreakEvent({ recordId: 'a', severity: 'high' }, { type: 'seen' }));
      expect(await store.breaks.openBySeverity()).toEqual({ info: 0, low: 1, medium: 0, high: 1, critical: 1 });
    });
  });

  describe('the money at stake', () => {
    it('is added up by currency, of open breaks alone, to the last digit', async () => {
      await track(store, 'a', 'b', 'c', 'd', 'e', 'f');
      const staked = (recordId: string, amount: string | null, over: Partial<Break> = {}) =>
        aBreakEvent({ recordId, moneyAtStake: amount === null ? null : dec(amount), ...over });
      await nightWith(
        store,
        staked('a', '0.1'),
        staked('b', '0.200000000000000001', { state: 'acknowledged' }),
        staked('c', '-30', { recordCurrency: 'JPY', state: 'reopened' }),
        staked('d', '1000', { state: 'waived' }),
        staked('e', null),
        staked('f', '5', { lossBearer: 'host' }),
      );
      const sums = await store.breaks.openStake();
      expect(sums.map(({ currency, bearer, total }) => [currency, bearer, total.toString()])).toEqual([
        ['EUR', 'host', '5'],
        ['EUR', 'user', '0.300000000000000001'],
        ['JPY', 'user', '-30'],
      ]);
    });
  });

  describe('events of a run', () => {
    it('count when the run is settled, and not before', async () => {
      await track(store, 'a');
      const planned = await judging(store);
      const known = { recordId: 'a', quoteId: 'q-17' };
      await stage(store, planned, aBreakEvent(known));
      expect(await standingOf(store, 'a')).toEqual([]);
      expect(await store.breaks.list({ limit: 10, offset: 0 })).toEqual([]);
      await settle(store, planned);
      expect(await standingOf(store, 'a')).toEqual([aBreak(known)]);
      expect(await store.breaks.list({ limit: 10, offset: 0 })).toEqual([
        { ...aBreak(known), hostReference: null, events: 1 },
      ]);
    });

    it('of an interrupted judging are forgotten when it begins again', async () => {
      await track(store, 'a', 'b');
      const planned = await judging(store);
      await stage(store, planned, aBreakEvent({ recordId: 'a' }));
      await store.breaks.clearStaged(planned.run.runId, planned.fence);
      await stage(store, planned, aBreakEvent({ recordId: 'b' }));
      await settle(store, planned);
      expect(await standingOf(store, 'a')).toEqual([]);
      expect(await standingOf(store, 'b')).toHaveLength(1);
    });

    it('of a run that was given up never count', async () => {
      await track(store, 'a');
      const planned = await judging(store);
      await stage(store, planned, aBreakEvent({ recordId: 'a' }));
      await store.runs.finish(planned.run.runId, planned.fence, 'aborted', null);
      expect(await standingOf(store, 'a')).toEqual([]);
    });

    it('make up the life of a break, oldest first', async () => {
      await track(store, 'a');
      await nightWith(store, aBreakEvent({ recordId: 'a' }));
      await nightWith(
        store,
        aBreakEvent({ recordId: 'a', lastSeenDate: '2026-11-21', actual: '7.00' }, { type: 'seen' }),
      );
      const { breakId } = aBreak({ recordId: 'a' });
      const events = await store.breaks.events(breakId);
      expect(events.map((event) => [event.type, event.runId, event.who, event.after.actual])).toEqual([
        ['opened', 'nightly-2026-11-20-r1', 'tieout', '6.26'],
        ['seen', 'nightly-2026-11-20-r2', 'tieout', '7.00'],
      ]);
      expect(await store.breaks.get(breakId)).toMatchObject({ actual: '7.00', lastSeenDate: '2026-11-21', events: 2 });
    });

    it('are dated when they happened and say what date they are for; time never runs backwards', async () => {
      await track(store, 'a');
      const { breakId } = aBreak({ recordId: 'a' });
      const settledAt = async (finishedAt: number, ...events: BreakEvent[]) => {
        const planned = await judging(store);
        await stage(store, planned, ...events);
        await store.runs.settle(planned.run.runId, planned.fence, { verdicts: NO_VERDICTS, finishedAt });
      };
      const decidedAt = (when: number, events: number) =>
        store.breaks.append([
          { ...byPerson('acknowledged', events, { recordId: 'a', state: 'acknowledged' }), at: when },
        ]);
      await settledAt(at('2026-11-21 04:30'), aBreakEvent({ recordId: 'a' }));
      await decidedAt(at('2026-11-21 09:00'), 1);
      // Both clocks are set back by an hour from here on.
      await decidedAt(at('2026-11-21 08:05'), 2);
      await settledAt(at('2026-11-21 08:10'), aBreakEvent({ recordId: 'a' }, { type: 'seen' }));
      const events = await store.breaks.events(breakId);
      expect(events.map((event) => [event.type, isoInstant(event.at), event.businessDate])).toEqual([
        ['opened', '2026-11-21T04:30:00.000Z', '2026-11-20'],
        ['acknowledged', '2026-11-21T09:00:00.000Z', null],
        ['acknowledged', '2026-11-21T09:00:00.000Z', null],
        ['seen', '2026-11-21T09:00:00.000Z', '2026-11-20'],
      ]);
    });

    it('keep every figure and every waiver exactly', async () => {
      await track(store, 'a');
      const after = aBreak({
        recordId: 'a',
        state: 'waived',
        assignee: 'Ada',
        timesReopened: 2,
        difference: dec('-0.00000000000000001'),
        tolerance: null,
        waiver: { reason: 'agreed', author: 'Ada', until: '2026-12-31', difference: dec('1.5'), actual: null },
      });
      await nightWith(store, { ...aBreakEvent({ recordId: 'a' }), after });
      expect(await standingOf(store, 'a')).toEqual([after]);
    });
  });

  describe("a person's event", () => {
    beforeEach(async () => {
      await track(store, 'a');
      await nightWith(store, aBreakEvent({ recordId: 'a' }));
    });

    it('is applied at once', async () => {
      await store.breaks.append([
        byPerson('acknowledged', 1, { recordId: 'a', state: 'acknowledged', assignee: 'Ada' }),
      ]);
      const { breakId } = aBreak({ recordId: 'a' });
      expect(await store.breaks.get(breakId)).toMatchObject({ state: 'acknowledged', assignee: 'Ada', events: 2 });
      expect((await store.breaks.events(breakId)).at(-1)).toMatchObject({
        runId: null,
        who: 'Ada',
        reason: 'looked into it',
      });
    });

    it('is refused where the break has moved on since it was read', async () => {
      await store.breaks.append([byPerson('acknowledged', 1, { recordId: 'a', state: 'acknowledged' })]);
      const waive = byPerson('waived', 1, { recordId: 'a', state: 'waived' });
      await expect(store.breaks.append([waive])).rejects.toThrow(BreakMovedOnError);
      expect(await standingOf(store, 'a')).toMatchObject([{ state: 'acknowledged' }]);
    });

    it('is applied with all the others of its batch, or not at all', async () => {
      const good = byPerson('acknowledged', 1, { recordId: 'a', state: 'acknowledged' });
      const bad = byPerson('acknowledged', 1, { recordId: 'unheard of', state: 'acknowledged' });
      await expect(store.breaks.append([good, bad])).rejects.toThrow(UnknownBreakError);
      expect(await standingOf(store, 'a')).toMatchObject([{ state: 'open' }]);
    });
  });

  describe('a decision that was made while a run was judged', () => {
    const opened = { recordId: 'a' };
    const waiver = { reason: 'agreed', author: 'Ada', until: null, difference: dec('1.5'), actual: '6.26' };

    /** Judges with what stood before; a person decides; then the run is settled with what it found. */
    async function meanwhile(person: ReturnType<typeof byPerson>, found: BreakEvent): Promise<Break | undefined> {
      await track(store, 'a');
      await nightWith(store, aBreakEvent(opened));
      const planned = await judging(store);
      await stage(store, planned, found);
      await store.breaks.append([person]);
      await settle(store, planned);
      return (await standingOf(store, 'a'))[0];
    }

    it('is not undone by a run that saw the break again', async () => {
      const person = byPerson('waived', 1, { ...opened, state: 'waived', assignee: 'Ada', waiver });
      const seen = aBreakEvent({ ...opened, lastSeenDate: '2026-11-21', actual: '6.27' }, { type: 'seen' });
      expect(await meanwhile(person, seen)).toMatchObject({
        state: 'waived',
        assignee: 'Ada',
        waiver,
        lastSeenDate: '2026-11-21',
        actual: '6.27',
      });
      expect(await store.breaks.list({ states: ['waived'], limit: 10, offset: 0 })).toHaveLength(1);
      expect(await store.breaks.list({ states: ['open'], limit: 10, offset: 0 })).toEqual([]);
    });

    it('gives way where the record was verified without the finding', async () => {
      const person = byPerson('acknowledged', 1, { ...opened, state: 'acknowledged' });
      const gone = aBreakEvent({ ...opened, state: 'resolved' }, { type: 'resolved' });
      expect(await meanwhile(person, gone)).toMatchObject({ state: 'resolved' });
    });
  });

  describe('the work list', () => {
    beforeEach(async () => {
      await track(store, 'a', 'b', 'c');
      await nightWith(
        store,
        aBreakEvent({ recordId: 'c', rule: 'RESTATED', assignee: 'Ada' }),
        aBreakEvent({ recordId: 'a', state: 'resolved' }),
        aBreakEvent({ recordId: 'b', state: 'acknowledged' }),
        aBreakEvent({ recordId: 'a', rule: 'RESTATED' }),
      );
    });

    const listed = async (filter: Partial<Parameters<Store['breaks']['list']>[0]>) =>
      (await store.breaks.list({ limit: 10, offset: 0, ...filter })).map((each) => `${each.recordId} ${each.rule}`);

    it('is in report order, by pages', async () => {
      const all = ['a FEE_APPLIED_DIFFERS', 'a RESTATED', 'b FEE_APPLIED_DIFFERS', 'c RESTATED'];
      expect(await listed({})).toEqual(all);
      expect(await listed({ limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
    });

    it('is filtered by state, rule, record and assignee, and by all of them together', async () => {
      expect(await listed({ states: ['open', 'reopened'] })).toEqual(['a RESTATED', 'c RESTATED']);
      expect(await listed({ states: [] })).toEqual([]);
      expect(await listed({ rule: 'FEE_APPLIED_DIFFERS' })).toEqual(['a FEE_APPLIED_DIFFERS', 'b FEE_APPLIED_DIFFERS']);
      expect(await listed({ recordId: 'a', rule: 'RESTATED' })).toEqual(['a RESTATED']);
      expect(await listed({ kind: 'sale' })).toEqual([]);
      expect(await listed({ assignee: 'Ada' })).toEqual(['c RESTATED']);
    });

    it('knows a break by the beginning of its id, where that is enough', async () => {
      const { breakId } = aBreak({ recordId: 'b' });
      expect((await store.breaks.get(breakId))?.recordId).toBe('b');
      expect((await store.breaks.get(breakId.slice(0, 12)))?.recordId).toBe('b');
      expect(await store.breaks.get(breakId.slice(0, 5))).toBeNull();
      expect(await store.breaks.get('ffffff000000')).toBeNull();
      expect(await store.breaks.get('%%%%%%')).toBeNull();
    });
  });

  it('does not guess between two breaks whose ids begin alike', async () => {
    await track(store, 'a');
    const one = aBreak({ recordId: 'a', field: 'one' });
    const two = aBreak({ recordId: 'a', field: 'two' });
    await nightWith(
      store,
      { ...aBreakEvent(), after: { ...one, breakId: `abcdef${one.breakId.slice(6)}` } },
      { ...aBreakEvent(), after: { ...two, breakId: `abcdef${two.breakId.slice(6)}` } },
    );
    await expect(store.breaks.get('abcdef')).rejects.toThrow(AmbiguousBreakIdError);
  });

  it('settles a night without a single event', async () => {
    const planned = await judging(store);
    const { run, fence } = planned;
    const settled = await store.runs.settle(run.runId, fence, { verdicts: NO_VERDICTS, finishedAt: 1 });
    expect(settled.state).toBe('settled');
  });
}
