import { beforeEach, describe, expect, it } from 'vitest';
import type { BreakState } from '../../../src/domain/break.ts';
import type { DueClass } from '../../../src/domain/due.ts';
import type { Selection } from '../../../src/domain/run.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { aPurchase, at, dec } from '../../support/builders.ts';
import {
  acquire,
  aLine,
  allItems,
  begin,
  complete,
  keyOf,
  type Night,
  plan,
  settle,
  TRACKED_AT,
  track,
  verified,
} from '../support/scenario.ts';

interface Past {
  /** Business date on which it was last verified; never where absent. */
  verified?: string;
  /** Business date on which it was first seen ended. */
  ended?: string;
  /** A break: its state, and the date on which it was first seen. */
  break?: readonly [BreakState, string];
}

/** Which records a run looks at, and in which order. */
export function planContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  /** Gives records a past, in one audit that has nothing to do with the nights under test. */
  async function givePasts(pasts: Readonly<Record<string, Past>>): Promise<void> {
    const ids = Object.keys(pasts);
    await track(store, ...ids);
    const night = await plan(store, { job: 'past', date: '2026-01-01', selection: { type: 'all', kind: null } });
    const { run, fence } = night;
    for (const [id, past] of Object.entries(pasts)) {
      if (past.verified === undefined) continue;
      const state = aPurchase({ recordId: id, status: past.ended === undefined ? 'FIAT_RECEIVED' : 'RELEASED' });
      const projection = { terminalDate: past.ended ?? null };
      await store.items.save(run.runId, fence, [
        verified(await keyOf(store, id), state, past.verified, { projection }),
      ]);
    }
    await store.runs.startJudging(run.runId, fence, 'not part of this');
    for (const [id, past] of Object.entries(pasts)) {
      if (past.break === undefined) continue;
      const [state, firstSeenDate] = past.break;
      const event = aBreakEvent({ recordId: id, state, firstSeenDate });
      await store.breaks.stage(run.runId, fence, [{ ...event, recordKey: await keyOf(store, id) }]);
    }
    await settle(store, night);
  }

  async function dueOn(date: string): Promise<readonly (readonly [string, DueClass])[]> {
    return (await allItems(store, await plan(store, { date }))).map((item) => [item.id, item.dueClass]);
  }

  /** What each record has behind it on 20 November 2026, and in which class it is due. */
  const pasts: Readonly<Record<string, readonly [Past, DueClass | null]>> = {
    'never verified': [{}, 'never-verified'],
    'never verified, with an old break': [{ break: ['open', '2026-01-01'] }, 'never-verified'],
    'under way, verified last night': [{ verified: '2026-11-19' }, 'not-terminal'],
    'under way, verified for this very date': [{ verified: '2026-11-20' }, 'not-terminal'],
    'ended by a webhook, not verified since': [{ verified: '2026-11-19', ended: '2026-11-20' }, 'not-terminal'],
    'ended today': [{ verified: '2026-11-20', ended: '2026-11-20' }, null],
    'ended yesterday': [{ verified: '2026-11-19', ended: '2026-11-19' }, 'post-terminal'],
    'ended 2 days ago, seen the day after': [{ verified: '2026-11-19', ended: '2026-11-18' }, null],
    'ended 2 days ago, not seen the day after': [{ verified: '2026-11-18', ended: '2026-11-18' }, 'post-terminal'],
    'ended 6 days ago, seen the day after': [{ verified: '2026-11-15', ended: '2026-11-14' }, null],
    'ended 7 days ago, seen the day after': [{ verified: '2026-11-14', ended: '2026-11-13' }, 'post-terminal'],
    'ended 8 days ago, the 7th was missed': [{ verified: '2026-11-13', ended: '2026-11-12' }, 'post-terminal'],
    'ended 8 days ago, seen on the 7th': [{ verified: '2026-11-19', ended: '2026-11-12' }, null],
    'ended 29 days ago, seen on the 7th': [{ verified: '2026-10-29', ended: '2026-10-22' }, null],
    'ended 30 days ago, seen on the 7th': [{ verified: '2026-10-28', ended: '2026-10-21' }, 'post-terminal'],
    'ended 40 days ago, seen on the 30th': [{ verified: '2026-11-10', ended: '2026-10-11' }, null],
    'ended a year ago, never looked at since': [{ verified: '2025-11-20', ended: '2025-11-20' }, 'post-terminal'],
    'ended, a break of 1 day': [
      { verified: '2026-11-19', ended: '2026-10-01', break: ['open', '2026-11-19'] },
      'open-break',
    ],
    'ended, a break of 29 days': [
      { verified: '2026-11-19', ended: '2026-10-01', break: ['acknowledged', '2026-10-22'] },
      'open-break',
    ],
    'ended, a break of 30 days, seen last night': [
      { verified: '2026-11-19', ended: '2026-10-01', break: ['reopened', '2026-10-21'] },
      null,
    ],
    'ended, a break of 30 days, seen 6 days ago': [
      { verified: '2026-11-14', ended: '2026-10-01', break: ['open', '2026-10-21'] },
      null,
    ],
    'ended, a break of 30 days, seen 7 days ago': [
      { verified: '2026-11-13', ended: '2026-10-01', break: ['open', '2026-10-21'] },
      'open-break',
    ],
    'ended and broken is not clean': [
      { verified: '2026-11-19', ended: '2026-11-19', break: ['open', '2026-10-01'] },
      null,
    ],
    'under way, an old break seen last night': [
      { verified: '2026-11-19', break: ['open', '2026-10-01'] },
      'not-terminal',
    ],
    'ended, a waived break': [{ verified: '2026-11-19', ended: '2026-10-01', break: ['waived', '2026-11-19'] }, null],
    'ended, a resolved break': [
      { verified: '2026-11-19', ended: '2026-11-19', break: ['resolved', '2026-11-19'] },
      'post-terminal',
    ],
  };

  describe('due records', () => {
    it('are those that the policy names, each in its class', async () => {
      await givePasts(Object.fromEntries(Object.entries(pasts).map(([id, [past]]) => [id, past])));
      const due = new Map(await dueOn('2026-11-20'));
      expect(Object.keys(pasts).map((id) => [id, due.get(id) ?? null])).toEqual(
        Object.entries(pasts).map(([id, [, expected]]) => [id, expected]),
      );
    });

    it('has the day after 28 February in a leap year', async () => {
      await givePasts({ ended: { verified: '2028-02-28', ended: '2028-02-28' } });
      expect(await dueOn('2028-02-29')).toEqual([['ended', 'post-terminal']]);
    });

    it('is spent in order: never verified, broken, longest unverified, ended; then by age and by id', async () => {
      await givePasts({
        'ended long ago': { verified: '2026-09-01', ended: '2026-09-01' },
        'under way, fresh': { verified: '2026-11-19' },
        'under way, stale b': { verified: '2026-11-10' },
        'under way, stale a': { verified: '2026-11-10' },
        'broken, fresh': { verified: '2026-11-19', break: ['open', '2026-11-15'] },
        'broken, stale': { verified: '2026-11-15', break: ['open', '2026-11-15'] },
        'new b': {},
        'new a': {},
      });
      await store.tracked.add([aLine({ id: 'new, earlier' })], 'import', TRACKED_AT - 1);
      expect((await dueOn('2026-11-20')).map(([id]) => id)).toEqual([
        'new, earlier',
        'new a',
        'new b',
        'broken, stale',
        'broken, fresh',
        'under way, stale a',
        'under way, stale b',
        'under way, fresh',
        'ended long ago',
      ]);
    });

    it('can be previewed without a trace', async () => {
      await givePasts({
        new: {},
        'under way': { verified: '2026-11-19' },
        retired: { verified: '2026-11-19', ended: '2026-11-01' },
      });
      const { scope } = await begin(store);
      expect(await store.items.preview(scope)).toEqual({
        'never-verified': 1,
        'open-break': 0,
        'not-terminal': 1,
        'post-terminal': 0,
        requested: 0,
      });
      expect(await store.items.progress('nightly-2026-11-20-r1')).toEqual({ planned: 0, observed: 0 });
    });

    it('knows a policy of its own', async () => {
      await givePasts({ it: { verified: '2026-11-17', ended: '2026-11-17' } });
      const { run, fence, scope } = await begin(store);
      const policy = { postTerminalDays: [3], breakDailyDays: 30, breakEveryDays: 7, cardDays: 130 };
      expect(await store.items.plan(run.runId, fence, { ...scope, policy })).toBe(1);
    });

    it('is nothing at all in an empty database', async () => {
      expect(await dueOn('2026-11-20')).toEqual([]);
    });
  });

  describe('a second revision', () => {
    it('covers the records of the first revision, in any state, and all that are due', async () => {
      await givePasts({
        ended: { verified: '2026-11-19', ended: '2026-11-19' },
        retired: { verified: '2026-11-19', ended: '2026-11-01' },
      });
      const first = await plan(store);
      const state = aPurchase({ recordId: 'ended' });
      const projection = { terminalDate: '2026-11-19' };
      await store.items.save(first.run.runId, first.fence, [
        verified(await keyOf(store, 'ended'), state, '2026-11-20', { projection }),
      ]);
      await complete(store, first);
      await track(store, 'new');
      const preview = await store.items.preview(first.scope);
      expect([preview['never-verified'], preview.requested]).toEqual([1, 1]);
      expect(await dueOn('2026-11-20')).toEqual([
        ['new', 'never-verified'],
        ['ended', 'requested'],
      ]);
      // Another date has nothing to repeat.
      expect(await dueOn('2026-11-21')).toEqual([['new', 'never-verified']]);
    });
  });

  describe('requested records', () => {
    const select = async (
      selection: Selection,
      created?: { from: number | null; to: number | null },
    ): Promise<readonly string[]> => {
      const night = await begin(store, { job: 'audit', selection });
      const range = { createdFrom: created?.from ?? null, createdTo: created?.to ?? null };
      await store.items.plan(night.run.runId, night.fence, { ...night.scope, ...range });
      return (await allItems(store, night)).map((item) => `${item.kind} ${item.id} ${item.dueClass}`);
    };

    it('by id: those that are tracked, of one kind where it is named', async () => {
      await track(store, 'a', 'b', 'c');
      await store.tracked.add([aLine({ id: 'b', kind: 'sale' })], 'import', TRACKED_AT);
      expect(await select({ type: 'ids', ids: ['b', 'a', 'unknown'], kind: null })).toEqual([
        'purchase a requested',
        'purchase b requested',
        'sale b requested',
      ]);
      expect(await select({ type: 'ids', ids: ['b'], kind: 'sale' })).toEqual(['sale b requested']);
    });

    it('by the date that decides their month: given, else of the newest body, else of tracking; half-open', async () => {
      const noon = at('2026-11-10 12:00');
      await store.tracked.add(
        [
          aLine({ id: 'told at the start', createdAt: noon }),
          aLine({ id: 'told at the end', createdAt: noon + 1_000 }),
          aLine({ id: 'told otherwise', createdAt: noon - 1 }),
          aLine({ id: 'a body alone' }),
        ],
        'import',
        noon + 2_000,
      );
      await store.tracked.add([aLine({ id: 'only tracked then' })], 'import', noon + 500);
      const ids = ['told otherwise', 'a body alone'];
      const night = await plan(store, { job: 'past', selection: { type: 'ids', ids, kind: null } });
      for (const recordId of ids) {
        const state = aPurchase({ recordId, createdAt: noon + 999 });
        await store.items.save(night.run.runId, night.fence, [
          verified(await keyOf(store, recordId), state, '2026-11-19'),
        ]);
      }
      const selection = { type: 'created', from: '2026-11-10', to: '2026-11-11', kind: null } as const;
      const found = await select(selection, { from: noon, to: noon + 1_000 });
      expect(found).toEqual([
        'purchase only tracked then requested',
        'purchase told at the start requested',
        'purchase a body alone requested',
      ]);
    });

    it.each<[string, { from: number | null; to: number | null }, string[]]>([
      ['from a date on', { from: at('2026-11-10 00:00'), to: null }, ['b', 'c']],
      ['until a date', { from: null, to: at('2026-11-20 00:00') }, ['a', 'b']],
      ['of any date', { from: null, to: null }, ['a', 'b', 'c']],
    ])('%s', async (_, range, expected) => {
      const dates = { a: '2026-11-01 10:00', b: '2026-11-10 00:00', c: '2026-11-20 00:00' };
      const lines = Object.entries(dates).map(([id, date]) => aLine({ id, createdAt: at(date) }));
      await store.tracked.add(lines, 'import', at('2026-11-21 10:00'));
      const found = await select({ type: 'created', from: null, to: null, kind: null } as never, range);
      expect([...found].sort()).toEqual(expected.map((id) => `purchase ${id} requested`));
      expect(await select({ type: 'created', from: null, to: null, kind: 'sale' } as never, range)).toEqual([]);
    });

    it('of all records: every one, the longest unverified first', async () => {
      await givePasts({
        fresh: { verified: '2026-11-19', ended: '2026-11-19' },
        stale: { verified: '2026-11-01' },
        new: {},
      });
      expect(await select({ type: 'all', kind: null })).toEqual([
        'purchase new requested',
        'purchase stale requested',
        'purchase fresh requested',
      ]);
      expect(await select({ type: 'all', kind: 'sale' })).toEqual([]);
    });
  });

  describe('a plan', () => {
    it('is made once: what comes in later waits for the next run', async () => {
      await track(store, 'a');
      const { run, fence, scope } = await plan(store);
      await track(store, 'b');
      expect(await store.items.plan(run.runId, fence, scope)).toBe(1);
      expect(await store.items.progress(run.runId)).toEqual({ planned: 1, observed: 0 });
    });

    it('lists the records still to be fetched, page by page, with the token unsealed', async () => {
      await track(store, 'a', 'b', 'c');
      const night: Night = await plan(store);
      const { run, fence } = night;
      const [first, second] = await store.items.next(run.runId, 0, 2);
      expect([first?.id, first?.position, second?.id, second?.position]).toEqual(['a', 1, 'b', 2]);
      expect(first).toMatchObject({ kind: 'purchase', token: 'token-of-a', dueClass: 'never-verified' });
      await store.items.save(run.runId, fence, [
        verified(await keyOf(store, 'b'), aPurchase({ recordId: 'b' }), '2026-11-20'),
      ]);
      expect((await store.items.next(run.runId, 2, 10)).map((item) => item.id)).toEqual(['c']);
      // A resumed run reads from the beginning and finds only items without an observation.
      expect((await allItems(store, night)).map((item) => item.id)).toEqual(['a', 'c']);
    });

    it('freezes the facts that the application gave', async () => {
      await store.tracked.add([aLine({ id: 'a', hostReference: 'order-1' })], 'import', TRACKED_AT);
      const { run, fence } = await plan(store);
      const shown = { total: dec('104.76'), fee: null };
      await store.tracked.add([aLine({ id: 'a', expectedStatus: 'RELEASED', shown })], 'import', TRACKED_AT);
      const judged = await store.runs.startJudging(run.runId, fence, 'late');
      const [stored] = await store.items.cases(judged, null, 10);
      expect(stored?.tracked).toMatchObject({ hostReference: 'order-1', expectedStatus: null, shown: null });
      const later = await plan(store, { job: 'audit', selection: { type: 'all', kind: null } });
      const again = await store.runs.startJudging(later.run.runId, later.fence, 'late');
      expect((await store.items.cases(again, null, 10))[0]?.tracked).toMatchObject({ shown });
    });
  });

  it('two jobs plan side by side', async () => {
    await track(store, 'a');
    const night = await plan(store);
    const audit = await acquire(store, 'audit');
    expect(audit.name).toBe('audit');
    const other = await plan(store, { job: 'recheck' });
    expect(await allItems(store, night)).toHaveLength(1);
    expect(await allItems(store, other)).toHaveLength(1);
  });
}
