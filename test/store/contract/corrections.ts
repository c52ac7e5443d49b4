import { beforeEach, describe, expect, it } from 'vitest';
import { UnknownRecordError } from '../../../src/ports/store/errors.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { at } from '../../support/builders.ts';
import { aLine, allItems, plan } from '../support/scenario.ts';

const MONDAY = at('2026-11-02 09:00');
const TUESDAY = at('2026-11-03 09:00');
const BY_ANN = { actor: 'Ann', reason: 'asked the host', at: TUESDAY } as const;

/** What people decide about tracked records. */
export function correctionsContract(use: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = use();
    await store.tracked.add([aLine({ id: 'a', token: 'the-first-token' })], 'import', MONDAY);
  });
  const add = async (token: string) => (await store.tracked.add([aLine({ id: 'a', token })], 'import', TUESDAY))[0];
  const conflictOf = async (id: string) => (await store.tracked.find(id)).map(({ facts }) => facts.conflict);
  const tokenOf = async () => (await allItems(store, await plan(store)))[0]?.token;

  describe('another token', () => {
    const corrected = (token: string) =>
      store.tracked.correct('purchase', 'a', { type: 'set-token', token, ...BY_ANN });

    it('is used from now on, and a file that still has the old one says nothing new', async () => {
      expect(await corrected('a-second-token')).toBe('changed');
      expect(await tokenOf()).toBe('a-second-token');
      expect(await add('the-first-token')).toEqual({ outcome: 'unchanged' });
      expect(await conflictOf('a')).toEqual([null]);
      expect(await corrected('a-second-token')).toBe('unchanged');
      expect(await store.tracked.corrections('purchase', 'a')).toEqual([{ type: 'set-token', ...BY_ANN }]);
      expect(await store.tracked.corrections('sale', 'a')).toEqual([]);
      expect((await add('a-third-token'))?.outcome).toBe('conflict');
    });

    it('ends a conflict, also where the stored one is the right one', async () => {
      await add('a-second-token');
      expect(await conflictOf('a')).toEqual([expect.stringContaining('2 different view tokens')]);
      expect(await corrected('the-first-token')).toBe('changed');
      expect(await conflictOf('a')).toEqual([null]);
      expect(await add('a-second-token')).toEqual({ outcome: 'unchanged' });
      expect(await tokenOf()).toBe('the-first-token');
    });

    it('replaces the stored one from a file where a person wants that', async () => {
      const line = aLine({ id: 'a', token: 'a-second-token', hostReference: 'order-9' });
      const { actor, reason } = BY_ANN;
      const outcomes = await store.tracked.add([line, line], 'import', TUESDAY, { actor, reason });
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['updated', 'unchanged']);
      expect(await tokenOf()).toBe('a-second-token');
      expect((await store.tracked.find('a'))[0]?.facts.hostReference).toBe('order-9');
      expect(await store.tracked.corrections('purchase', 'a')).toEqual([{ type: 'set-token', ...BY_ANN }]);
    });
  });

  describe('a record that is taken out of the population', () => {
    const decide = (type: 'retract' | 'restore', kind: 'purchase' | 'sale' = 'purchase') =>
      store.tracked.correct(kind, 'a', { type, ...BY_ANN });

    it('is not in a run until it is put back', async () => {
      expect(await decide('retract')).toBe('changed');
      expect(await decide('retract')).toBe('unchanged');
      expect((await store.tracked.find('a'))[0]?.retractedAt).toBe(TUESDAY);
      expect(await tokenOf()).toBeUndefined();
      expect((await store.tracked.stored(['a'], null)).unknown).toEqual(['a']);
      expect(await decide('restore')).toBe('changed');
      expect((await store.tracked.find('a'))[0]?.retractedAt).toBeNull();
      expect(await tokenOf()).toBe('the-first-token');
      expect((await store.tracked.corrections('purchase', 'a')).map(({ type }) => type)).toEqual([
        'retract',
        'restore',
      ]);
    });

    it('does not contradict the other kind of its id, until it is put back', async () => {
      await store.tracked.add([aLine({ id: 'a', kind: 'sale' })], 'webhook', TUESDAY);
      const both = [expect.stringContaining('came in as a purchase'), expect.stringContaining('came in as a sale')];
      expect(await conflictOf('a')).toEqual(both);
      await decide('retract', 'sale');
      expect(await conflictOf('a')).toEqual([null, null]);
      await decide('restore', 'sale');
      expect(await conflictOf('a')).toEqual(both);
    });

    it('must be known', async () => {
      await expect(decide('retract', 'sale')).rejects.toThrow(UnknownRecordError);
    });
  });
}
