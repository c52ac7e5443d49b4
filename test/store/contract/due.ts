import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store/store.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { aPurchase, at } from '../../support/builders.ts';
import {
  aLine,
  allItems,
  keyOf,
  type Night,
  plan,
  settle,
  TRACKED_AT,
  track,
  unreachable,
  verified,
} from '../support/scenario.ts';

/** What earlier runs leave to the next: deferred records, breaks that came back, and records that answer 404. */
export function dueContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  const idsOf = async (night: Night) => (await allItems(store, night)).map((item) => item.id);

  /** Ends a night as one that did not get through. */
  async function fallShort(night: Night): Promise<void> {
    await settle(store, night);
    await store.runs.finish(night.run.runId, night.fence, 'incomplete', 'somewhere');
  }

  describe('records that a run deferred', () => {
    it('come before records that were fetched in vain, so that every record gets its turn', async () => {
      await track(store, 'a gone', 'b gone', 'c', 'd');
      const first = await plan(store, { date: '2026-11-20' });
      // An allowance of two: the first two are asked for, and nothing readable comes back.
      await store.items.save(first.run.runId, first.fence, [
        unreachable(await keyOf(store, 'a gone'), '2026-11-20'),
        unreachable(await keyOf(store, 'b gone'), '2026-11-20'),
      ]);
      await fallShort(first);
      const second = await plan(store, { date: '2026-11-21' });
      expect(await idsOf(second)).toEqual(['c', 'd', 'a gone', 'b gone']);
      // No run has deferred anything in between: oldest first again.
      await store.items.save(second.run.runId, second.fence, [
        unreachable(await keyOf(store, 'c'), '2026-11-21'),
        unreachable(await keyOf(store, 'd'), '2026-11-21'),
        unreachable(await keyOf(store, 'a gone'), '2026-11-21'),
        unreachable(await keyOf(store, 'b gone'), '2026-11-21'),
      ]);
      await fallShort(second);
      expect(await idsOf(await plan(store, { date: '2026-11-22' }))).toEqual(['a gone', 'b gone', 'c', 'd']);
    });

    it('keep their class: records never verified still come first', async () => {
      await track(store, 'under way');
      const past = await plan(store, { job: 'past', date: '2026-11-01', selection: { type: 'all', kind: null } });
      await store.items.save(past.run.runId, past.fence, [
        verified(
          await keyOf(store, 'under way'),
          aPurchase({ recordId: 'under way', status: 'FIAT_RECEIVED' }),
          '2026-11-01',
        ),
      ]);
      await settle(store, past);
      await fallShort(await plan(store, { date: '2026-11-20' }));
      await store.tracked.add([aLine({ id: 'new' })], 'import', TRACKED_AT);
      expect(await idsOf(await plan(store, { date: '2026-11-21' }))).toEqual(['new', 'under way']);
    });
  });

  /** A record verified for a date, with a break as it stands after its events. */
  async function broken(
    id: string,
    lastVerified: string | null,
    events: readonly Parameters<typeof aBreakEvent>[],
  ): Promise<void> {
    await track(store, id);
    for (const [index, event] of events.entries()) {
      const date = event[0]?.lastSeenDate ?? '2026-01-01';
      const night = await plan(store, { job: 'past', date, selection: { type: 'all', kind: null } });
      if (index === 0 && lastVerified !== null) {
        const state = aPurchase({ recordId: id });
        const projection = { terminalDate: '2026-01-01' };
        await store.items.save(night.run.runId, night.fence, [
          verified(await keyOf(store, id), state, lastVerified, { projection }),
        ]);
      }
      await store.runs.startJudging(night.run.runId, night.fence, 'not part of this');
      const made = aBreakEvent({ recordId: id, ...event[0] }, { runId: night.run.runId, ...event[1] });
      await store.breaks.stage(night.run.runId, night.fence, [{ ...made, recordKey: await keyOf(store, id) }]);
      await settle(store, night);
    }
  }

  describe('a break that came back', () => {
    const opened = { state: 'open', firstSeenDate: '2026-01-10', lastSeenDate: '2026-01-10' } as const;
    const resolved = { ...opened, state: 'resolved', lastSeenDate: '2026-01-12' } as const;
    const reopened = { ...opened, state: 'reopened', timesReopened: 1, lastSeenDate: '2026-03-01' } as const;

    it('is looked at every night again, for as long as a new one', async () => {
      await broken('it', '2026-03-30', [
        [opened, {}],
        [resolved, { type: 'resolved' }],
        [reopened, { type: 'reopened' }],
      ]);
      // 29 days after it came back, 78 after it was first seen; a day later it is weekly, and was seen 1 day ago.
      expect(await idsOf(await plan(store, { date: '2026-03-30' }))).toEqual(['it']);
      expect(await idsOf(await plan(store, { date: '2026-03-31' }))).toEqual([]);
      expect(await idsOf(await plan(store, { date: '2026-04-06' }))).toEqual(['it']);
    });

    it('counts from the day on which a person reopened it', async () => {
      await broken('it', '2026-03-30', [
        [opened, {}],
        [resolved, { type: 'resolved' }],
      ]);
      const [current] = await store.breaks.list({ limit: 1, offset: 0 });
      const event = aBreakEvent(
        { ...reopened, recordId: 'it', lastSeenDate: '2026-01-12' },
        { type: 'reopened', at: at('2026-03-01 09:00'), who: 'kim', reason: 'still there' },
      );
      await store.breaks.append([{ ...event, expectedEvents: current?.events ?? 0 }]);
      expect(await idsOf(await plan(store, { date: '2026-03-30' }))).toEqual(['it']);
      expect(await idsOf(await plan(store, { date: '2026-03-31' }))).toEqual([]);
    });
  });

  describe('a record that answers with nothing but a break', () => {
    const missing = { rule: 'RECORD_MISSING', field: 'record', firstSeenDate: '2026-01-10' } as const;

    it('is asked for weekly after 30 days, like any other break', async () => {
      await broken('once read', '2026-01-09', [[{ ...missing, lastSeenDate: '2026-03-10' }, {}]]);
      await broken('never read', null, [[{ ...missing, lastSeenDate: '2026-03-10' }, {}]]);
      expect(await idsOf(await plan(store, { date: '2026-03-16' }))).toEqual([]);
      expect(await idsOf(await plan(store, { date: '2026-03-17' }))).toEqual(['never read', 'once read']);
    });

    it('is known by its break where it is refused, until that is over', async () => {
      const denied = { rule: 'ACCESS_DENIED', field: 'record', firstSeenDate: '2026-02-08' } as const;
      await broken('denied', null, [[{ ...denied, lastSeenDate: '2026-02-08' }, {}]]);
      await broken('let in again', null, [
        [{ ...denied, lastSeenDate: '2026-02-08' }, {}],
        [{ ...denied, lastSeenDate: '2026-02-08', state: 'resolved' }, { type: 'resolved' }],
      ]);
      await broken('only missing', null, [[{ ...missing, lastSeenDate: '2026-02-08' }, {}]]);
      const items = await allItems(store, await plan(store, { date: '2026-02-08' }));
      expect(items.map((item) => [item.id, item.refusedBefore])).toEqual([
        ['denied', true],
        ['let in again', false],
        ['only missing', false],
      ]);
    });

    it('is asked for every night at first', async () => {
      await broken('never read', null, [[{ ...missing, lastSeenDate: '2026-02-08' }, {}]]);
      expect(await idsOf(await plan(store, { date: '2026-02-08' }))).toEqual(['never read']);
      expect(await idsOf(await plan(store, { date: '2026-02-09' }))).toEqual([]);
    });
  });
}
