/** Which breaks a message names, and what finding them costs. */
import { expect, it } from 'vitest';
import type { BreakEventType } from '../../src/domain/break.ts';
import type { Tally } from '../../src/ports/settled.ts';
import type { PastBreakEvent } from '../../src/ports/store/breaks.ts';
import type { BreakStore, CurrentBreak } from '../../src/ports/store/store.ts';
import { emptyTally } from '../../src/reconcile/tally.ts';
import { freshBreaks } from '../../src/runner/notify-breaks.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { aRun } from './support/ledger.ts';

const RUN = aRun('nightly', '2026-11-20', 'complete');
const TODAY = { firstSeenDate: '2026-11-20', lastSeenDate: '2026-11-20' };

/** Event types by break id; all of this run, unless the id begins with `other`. */
async function found(breaks: readonly CurrentBreak[], fresh: number, type: BreakEventType = 'opened', stormCap = 200) {
  const [asked, listed]: [string[], number[]] = [[], []];
  const rules: Tally['rules'] = new Map([['FEE_APPLIED_DIFFERS', { severity: 'high', open: breaks.length, fresh }]]);
  const store = {
    list: async ({ rule, states = [], limit = 0, offset = 0 }: Parameters<BreakStore['list']>[0]) => {
      listed.push(offset);
      return breaks.filter((each) => each.rule === rule && states.includes(each.state)).slice(offset, offset + limit);
    },
    events: async (breakId: string) => {
      asked.push(breakId);
      const earlier = { type: 'opened', runId: 'nightly-2026-11-01-r1' } as PastBreakEvent;
      return [
        earlier,
        { type, runId: breakId.startsWith('other') ? 'recheck-2026-11-20-r1' : RUN.runId } as PastBreakEvent,
      ];
    },
  };
  const byRule = await freshBreaks(RUN, { ...emptyTally(), rules }, store, stormCap);
  const named = [...byRule.values()].flat();
  const [ids, again] = [named.map(({ recordId }) => recordId), named.map(({ reopened }) => reopened)];
  return { rules: [...byRule.keys()], ids, again, asked, listed };
}

const aBreak = (breakId: string, over: Partial<CurrentBreak> = {}) =>
  aCurrentBreak({ breakId, recordId: breakId, ...TODAY, ...over });

it('a standing break costs no query of its own', async () => {
  const standing = [
    aBreak('older', { firstSeenDate: '2026-11-19' }),
    aBreak('gone', { state: 'reopened', lastSeenDate: '2026-11-19', firstSeenDate: '2026-11-01' }),
  ];
  expect(await found([...standing, aBreak('new')], 1)).toMatchObject({ ids: ['new'], asked: ['new'] });
});

it('a break that was seen before is named where this run reopened it', async () => {
  const again = aBreak('again', { state: 'reopened', firstSeenDate: '2026-11-01' });
  expect(await found([again, aBreak('new')], 2, 'reopened')).toMatchObject({
    ids: ['again', 'new'],
    again: [true, false],
  });
  expect((await found([again], 1, 'acknowledged')).ids).toEqual([]);
});

it('a break that was decided at once is not named', async () => {
  expect((await found([aBreak('waived', { state: 'waived' })], 1)).ids).toEqual([]);
});

it('a rule of which none is found is left out, so that its number alone is reported', async () => {
  expect(await found([aBreak('other')], 1)).toMatchObject({ rules: [], asked: ['other'] });
});

it('as many as a run found are looked for, and no more', async () => {
  expect((await found([aBreak('a'), aBreak('b'), aBreak('c')], 2)).asked).toEqual(['a', 'b']);
  expect(await found([aBreak('a')], 0)).toMatchObject({ rules: [], listed: [] });
});

it('up to the storm cap they are named, beyond it not even listed', async () => {
  expect((await found([aBreak('a'), aBreak('b')], 2, 'opened', 2)).ids).toEqual(['a', 'b']);
  expect((await found([aBreak('a'), aBreak('b')], 2, 'opened', 1)).listed).toEqual([]);
});

it('they are looked for in pages of 500, and in 20 of them at most', async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => aBreak(`other${i}`, { firstSeenDate: '2026-11-01' }));
  expect((await found([...many(500), aBreak('last')], 1)).ids).toEqual(['last']);
  expect((await found(many(499), 1)).listed).toEqual([0]);
  expect((await found(many(10_001), 1)).listed).toEqual(Array.from({ length: 20 }, (_, page) => page * 500));
});
