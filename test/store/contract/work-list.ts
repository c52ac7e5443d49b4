import { beforeEach, describe, expect, it } from 'vitest';
import { ClaimMovedOnError } from '../../../src/ports/store/errors.ts';
import type { QueueFilter, QueueSort, Store } from '../../../src/ports/store/store.ts';
import { at, dec } from '../../support/builders.ts';
import { aBreak, aBreakEvent } from '../support/break-events.ts';
import { nightWith } from '../support/break-nights.ts';
import { track } from '../support/scenario.ts';

const OPEN: QueueFilter = { states: ['open', 'acknowledged', 'reopened'] };
const NOW = at('2026-11-22 09:00');

/** The queue, and what people add to it. */
export function workListContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  const ids = async (filter: QueueFilter, sort: QueueSort = 'stake', more = {}) =>
    (await store.workList.page(filter, { sort, limit: 100, ...more })).map(({ recordId }) => recordId);

  describe('the queue', () => {
    beforeEach(async () => {
      await track(store, 'a', 'b', 'c', 'd', 'e', 'f');
      await nightWith(
        store,
        aBreakEvent({ recordId: 'a', moneyAtStake: dec('9.5'), firstSeenDate: '2026-11-03', severity: 'low' }),
        aBreakEvent({ recordId: 'b', moneyAtStake: dec('-10.25'), firstSeenDate: '2026-11-02', recordCurrency: 'JPY' }),
        aBreakEvent({
          recordId: 'c',
          moneyAtStake: null,
          currency: null,
          firstSeenDate: '2026-11-01',
          severity: 'critical',
        }),
        aBreakEvent({ recordId: 'd', moneyAtStake: dec('100000000000000000000.01'), explanation: '100% off_by one' }),
        aBreakEvent({ recordId: 'e', moneyAtStake: dec('500'), state: 'waived' }),
        aBreakEvent({ recordId: 'f', moneyAtStake: dec('0.75'), assignee: 'ann', severity: 'medium' }),
      );
    });

    it('has the most money first, exactly and without its sign; what has none is last', async () => {
      expect(await ids(OPEN)).toEqual(['d', 'b', 'a', 'f', 'c']);
      expect(await ids(OPEN, 'stake', { reversed: true })).toEqual(['c', 'f', 'a', 'b', 'd']);
    });

    it('has the oldest first, and the most severe first', async () => {
      expect((await ids(OPEN, 'age')).slice(0, 3)).toEqual(['c', 'b', 'a']);
      const bySeverity = await ids(OPEN, 'severity');
      expect([bySeverity[0], bySeverity.at(-1)]).toEqual(['c', 'a']);
    });

    it('goes on after a break, and back before one', async () => {
      const b = aBreak({ recordId: 'b' }).breakId;
      expect(await ids(OPEN, 'stake', { after: b, limit: 2 })).toEqual(['a', 'f']);
      expect(await ids(OPEN, 'stake', { after: b, backwards: true, limit: 2 })).toEqual(['d']);
    });

    it.each<[string, Partial<QueueFilter>, string[]]>([
      ['a state', { states: ['waived'] }, ['e']],
      ['a currency', { currency: 'JPY' }, ['b']],
      ['severities', { severities: ['low', 'medium'] }, ['a', 'f']],
      ['an assignee', { assignee: 'ann' }, ['f']],
      ['no assignee', { assignee: null }, ['d', 'b', 'a', 'c']],
      ['an amount', { atLeast: '9.5' }, ['d', 'b', 'a']],
      ['a text with signs that search languages know', { text: '100% OFF_BY' }, ['d']],
      ['a rule that nothing has', { rules: ['STATUS_STUCK'] }, []],
    ])('filters by %s, and counts the same', async (_, filter, expected) => {
      const all = { ...OPEN, ...filter };
      expect(await ids(all)).toEqual(expected);
      expect(await store.workList.count(all)).toBe(expected.length);
    });

    it('follows what people decide, and remembers who proved to be whom', async () => {
      const before = await store.workList.version();
      const [standing] = await store.workList.byIds([aBreak({ recordId: 'f' }).breakId]);
      expect(standing?.events).toBe(1);
      const waived = aBreakEvent({ recordId: 'f', state: 'waived' }, { type: 'waived', who: 'Ann' });
      await store.breaks.append([{ ...waived, proof: 'proved', account: 'local:Ann', expectedEvents: 1 }]);
      expect(await ids(OPEN)).not.toContain('f');
      expect(await store.workList.version()).toBeGreaterThan(before);
      const events = await store.breaks.events(waived.after.breakId);
      expect(events.map(({ proof, account }) => [proof, account])).toEqual([
        [undefined, undefined],
        ['proved', 'local:Ann'],
      ]);
    });

    it('counts what a month began with, opened, resolved and waived', async () => {
      const e = aBreakEvent(
        { recordId: 'f', state: 'resolved' },
        { type: 'resolved', who: 'Ann', at: at('2026-12-02 10:00') },
      );
      await store.breaks.append([{ ...e, expectedEvents: 1 }]);
      const november = await store.workList.moves(at('2026-11-01 00:00'), at('2026-12-01 00:00'));
      expect(november).toEqual({ opening: 0, opened: 5, resolved: 0, waived: 0, closing: 5 });
      const december = await store.workList.moves(at('2026-12-01 00:00'), at('2027-01-01 00:00'));
      expect(december).toEqual({ opening: 5, opened: 0, resolved: 1, waived: 0, closing: 4 });
    });
  });

  describe('access', () => {
    const link = {
      secretHash: 'h1',
      name: 'Ann',
      roles: ['analyst'],
      madeBy: 'os:x',
      madeAt: NOW,
      endsAt: NOW + 100,
    } as const;

    it('takes a link once, and not when it is too old or revoked', async () => {
      await store.access.addLink(link);
      await store.access.addLink({ ...link, secretHash: 'h2' });
      await store.access.addLink({ ...link, secretHash: 'h3' });
      expect(await store.access.useLink('h1', NOW)).toEqual(link);
      expect(await store.access.useLink('h1', NOW)).toBeNull();
      expect(await store.access.useLink('h2', NOW + 100)).toBeNull();
      expect(await store.access.revoke('Ann', NOW)).toBe(2);
      expect(await store.access.useLink('h3', NOW)).toBeNull();
    });

    it('ends sessions by time, by sign-out and by revoking', async () => {
      const session = {
        secretHash: 's1',
        name: 'Ann',
        account: 'local:Ann',
        roles: ['closer'],
        madeAt: NOW,
        endsAt: NOW + 100,
      } as const;
      await store.access.addSession(session);
      expect(await store.access.session('s1', NOW)).toEqual(session);
      expect(await store.access.session('s1', NOW + 100)).toBeNull();
      await store.access.endSession('s1', NOW + 1);
      expect(await store.access.session('s1', NOW + 2)).toBeNull();
      expect(await store.access.people()).toEqual(['Ann']);
    });
  });

  describe('attachments', () => {
    const one = { at: NOW, name: 'Ann', account: 'local:Ann', fileName: '../../etc/passwd', bytes: 3 };

    it('come back by their hash, for their own break only', async () => {
      await store.workList.attach('aa', one, Buffer.from('abc'));
      await store.workList.attach('aa', one, Buffer.from('abc'));
      const [kept, ...more] = await store.workList.attachments('aa');
      expect(more).toEqual([]);
      // Of `abc`, from FIPS 180-2.
      expect(kept?.sha256).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
      expect(Buffer.from((await store.workList.attachment('aa', kept?.sha256 ?? ''))?.content ?? []).toString()).toBe(
        'abc',
      );
      expect(await store.workList.attachment('bb', kept?.sha256 ?? '')).toBeNull();
    });
  });

  describe('claims', () => {
    const claim = {
      claimId: 'claim-0123456789ab',
      title: 'Card fees',
      state: 'open',
      reference: null,
      openedAt: NOW,
      openedBy: 'Ann',
      remindOn: null,
      events: 1,
    } as const;
    const item = { breakId: 'aa', currency: 'EUR', claimed: dec('1.50'), recovered: dec('0') };
    const event = {
      at: NOW,
      state: 'open',
      name: 'Ann',
      account: 'os:x',
      proof: 'stated',
      reason: 'overcharged',
    } as const;

    it('keep their breaks and their life, and refuse an update of what has changed since', async () => {
      await store.claims.open(claim, [item], event, []);
      const sent = { ...claim, state: 'sent', reference: 'T-1' } as const;
      await store.claims.update(sent, [{ ...item, recovered: dec('1.00') }], { ...event, state: 'sent' }, 1, []);
      await expect(store.claims.update(sent, [item], event, 1, [])).rejects.toThrow(ClaimMovedOnError);
      expect(await store.claims.get('claim-0123')).toEqual({ ...sent, events: 2 });
      expect(await store.claims.items(claim.claimId)).toEqual([{ ...item, recovered: dec('1.00') }]);
      expect((await store.claims.events(claim.claimId)).map(({ state }) => state)).toEqual(['open', 'sent']);
      expect(await store.claims.ofBreaks(['aa', 'bb'])).toEqual(new Map([['aa', claim.claimId]]));
    });
  });
}
