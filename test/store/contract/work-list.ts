import { beforeEach, describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.ts';
import { ClaimMovedOnError } from '../../../src/ports/store/errors.ts';
import type { QueueFilter, QueueSort, Store } from '../../../src/ports/store/store.ts';
import { aBreak, aBreakEvent } from '../../support/a-break.ts';
import { at, dec } from '../../support/builders.ts';
import { judging, nightWith } from '../support/break-nights.ts';
import { aLine, keyOf, settle, track } from '../support/scenario.ts';

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
      const lines = [
        aLine({ id: 'a', token: 'token-of-a', hostReference: 'order-of-a' }),
        aLine({ id: 'b', token: 'token-of-b', createdAt: at('2026-10-31 23:59') }),
      ];
      await store.tracked.add(lines, 'import', at('2026-11-01 10:00'));
      await track(store, 'c', 'd', 'e', 'f');
      await nightWith(
        store,
        aBreakEvent({
          recordId: 'a',
          moneyAtStake: dec('9.5'),
          firstSeenDate: '2026-11-03',
          severity: 'low',
          recordStatus: 'EXPIRED',
          moneyMoved: 'no',
        }),
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
        aBreakEvent({
          recordId: 'f',
          explanation: 'paid 27170.90 EUR',
          moneyAtStake: dec('0.75'),
          assignee: 'ann',
          severity: 'medium',
        }),
      );
    });

    it('has the most money of each currency first, exactly and without its sign; what has none is last', async () => {
      expect(await ids(OPEN)).toEqual(['d', 'a', 'f', 'b', 'c']);
      expect(await ids(OPEN, 'stake', { reversed: true })).toEqual(['c', 'b', 'f', 'a', 'd']);
    });

    it('has what is owed to the host before all others, by what a run or a person wrote', async () => {
      const owed = { kind: 'payout', rule: 'PAYOUT_MISSING', recordId: '2026-10-USD', recordCurrency: 'USD' } as const;
      const event = aBreakEvent({ ...owed, moneyAtStake: dec('1'), lossBearer: 'host' });
      const night = await judging(store);
      await store.breaks.stage(night.run.runId, night.fence, [{ ...event, recordKey: null }]);
      await settle(store, night);
      expect((await ids(OPEN))[0]).toBe('2026-10-USD');
      await store.breaks.append([{ ...event, type: 'acknowledged', expectedEvents: 1 }]);
      expect((await ids(OPEN))[0]).toBe('2026-10-USD');
    });

    it('has one line for a break and those that it leads, as long as both match', async () => {
      const leadingBreakId = aBreak({ recordId: 'a' }).breakId;
      const led = { recordId: 'a', rule: 'FEE_BASE_DIFFERS', moneyAtStake: null, leadingBreakId } as const;
      await nightWith(store, aBreakEvent(led));
      const rules = async (filter: Partial<QueueFilter>) => {
        const all = { ...OPEN, ...filter };
        const found = await store.workList.page(all, { sort: 'age', limit: 9 });
        expect(await store.workList.count(all)).toBe(found.length);
        return found.map(({ rule }) => rule);
      };
      expect(await rules({ recordId: 'a' })).toEqual(['FEE_APPLIED_DIFFERS']);
      expect(await rules({ text: 'order-of-a' })).toEqual(['FEE_APPLIED_DIFFERS']);
      expect(await ids(OPEN)).toEqual(['d', 'a', 'f', 'b', 'c']);
      expect(await rules({ rules: ['FEE_BASE_DIFFERS'] })).toEqual(['FEE_BASE_DIFFERS']);
      const waived = aBreakEvent({ recordId: 'a', state: 'waived' }, { type: 'waived', who: 'Ann' });
      await store.breaks.append([{ ...waived, expectedEvents: 1 }]);
      expect(await rules({ recordId: 'a' })).toEqual(['FEE_BASE_DIFFERS']);
    });

    it('has the oldest first, and the most severe first', async () => {
      expect((await ids(OPEN, 'age')).slice(0, 3)).toEqual(['c', 'b', 'a']);
      const bySeverity = await ids(OPEN, 'severity');
      expect([bySeverity[0], bySeverity.at(-1)]).toEqual(['c', 'a']);
    });

    it('goes on after a break, and back before one', async () => {
      const b = aBreak({ recordId: 'b' }).breakId;
      expect(await ids(OPEN, 'stake', { after: b, limit: 2 })).toEqual(['c']);
      expect(await ids(OPEN, 'stake', { after: b, backwards: true, limit: 2 })).toEqual(['a', 'f']);
    });

    it('sorts several currencies by a reporting currency, page by page, in either direction', async () => {
      const rates: Record<string, bigint> = { EUR: 300n, USD: 200n, JPY: 1n };
      const rateOf = (code: string) => ({ rate: Decimal.of(rates[code] ?? 0n, 2), source: 'file', date: '2026-11-01' });
      const reporting = { currency: 'CHF', rates: new Map(Object.keys(rates).map((code) => [code, rateOf(code)])) };
      // Amounts of few values: many are worth the same in two currencies.
      const all = Array.from({ length: 42 }, (_, i) => ({
        recordId: `r${i}`,
        currency: ['EUR', 'USD', 'JPY', 'GBP', 'CHF', 'AUD'][i % 6] as string,
        cents: BigInt(((i * 7) % 5) * 200 + (i % 3)) * (i % 4 === 0 ? -1n : 1n),
        isOwed: i % 7 === 0,
      }));
      await track(store, ...all.map(({ recordId }) => recordId));
      const staked = ({ recordId, currency, cents, isOwed }: (typeof all)[number]) =>
        aBreakEvent({
          recordId,
          recordCurrency: currency,
          moneyAtStake: Decimal.of(cents, 2),
          lossBearer: isOwed ? 'host' : 'user',
          assignee: 'rates',
        });
      await nightWith(store, ...all.map(staked));
      const worth = ({ currency, cents }: (typeof all)[number]) =>
        (cents < 0n ? -cents : cents) * (currency === 'CHF' ? 100n : (rates[currency] ?? 0n));
      const sizeOf = ({ cents }: (typeof all)[number]) => (cents < 0n ? -cents : cents);
      const hasRate = ({ currency }: (typeof all)[number]) => Number(currency === 'CHF' || currency in rates);
      const place = (each: (typeof all)[number]) => all.indexOf(each);
      const expected = all
        .toSorted(
          (a, b) =>
            Number(b.isOwed) - Number(a.isOwed) ||
            hasRate(b) - hasRate(a) ||
            (hasRate(a) === 0 ? 0 : Number(worth(b) - worth(a))) ||
            (a.currency < b.currency ? -1 : Number(a.currency > b.currency)) ||
            Number(sizeOf(b) - sizeOf(a)) ||
            place(b) - place(a),
        )
        .map(({ recordId }) => recordId);
      const filter = { ...OPEN, assignee: 'rates' };
      for (const reversed of [false, true]) {
        const pages: string[] = [];
        for (let after: string | undefined; ; ) {
          const page = await ids(filter, 'stake', { reporting, reversed, limit: 4, ...(after && { after }) });
          pages.push(...page);
          if (page.length < 4) break;
          after = aBreak({ recordId: page.at(-1) as string }).breakId;
        }
        expect(pages).toEqual(reversed ? expected.toReversed() : expected);
      }
      const before = aBreak({ recordId: expected[30] as string }).breakId;
      expect(await ids(filter, 'stake', { reporting, after: before, backwards: true, limit: 9 })).toEqual(
        expected.slice(21, 30),
      );
    });

    // One queue for all of them: they only read it.
    it('filters, and counts the same', async () => {
      const filters: readonly [string, Partial<QueueFilter>, string[]][] = [
        ['a state', { states: ['waived'] }, ['e']],
        ['a currency', { currency: 'JPY' }, ['b']],
        ['severities', { severities: ['low', 'medium'] }, ['a', 'f']],
        ['an assignee', { assignee: 'ann' }, ['f']],
        ['no assignee', { assignee: null }, ['d', 'a', 'b', 'c']],
        ['an amount', { atLeast: '9.5' }, ['d', 'a', 'b']],
        ['a status of records', { status: 'EXPIRED' }, ['a']],
        ['what has moved', { moved: 'no' }, ['a']],
        ['a text with signs that search languages know', { text: '100% OFF_BY' }, ['d']],
        ['a rule that nothing has', { rules: ['STATUS_STUCK'] }, []],
        ['a text whose last word is only begun', { text: 'one, OF' }, ['d']],
        ['the beginning of a rule’s code, in any case', { text: 'fee_Appl' }, ['d', 'a', 'f', 'b', 'c']],
        ['a rule’s code that is one word', { text: 'SLIPPAGE' }, []],
        ['the beginning of another rule’s code', { text: 'FEE_B' }, []],
        ['an amount as pages print it', { text: '27,170.90' }, ['f']],
        ['a text without a word', { text: '%_' }, []],
        ['a text with the signs of a search language', { text: `'one" & ! OR (off` }, []],
        ['the beginning of a break id', { text: aBreak({ recordId: 'b' }).breakId.slice(0, 20) }, ['b']],
        ['a record', { recordId: 'c' }, ['c']],
        ['a host reference', { hostReference: 'order-of-a' }, ['a']],
        ['a month of creation', { created: { from: at('2026-10-01 00:00'), to: at('2026-11-01 00:00') } }, ['b']],
        ['a text and a currency', { text: '100', currency: 'JPY' }, []],
      ];
      for (const [what, filter, expected] of filters) {
        const all = { ...OPEN, ...filter };
        expect([what, await ids(all), await store.workList.count(all)]).toEqual([what, expected, expected.length]);
      }
    });

    it('is counted up to a number, where that is enough', async () => {
      expect(await store.workList.count(OPEN, 3)).toBe(3);
    });

    it('finds a break by its newest text, and no longer by the one before', async () => {
      await nightWith(store, aBreakEvent({ recordId: 'd', explanation: 'now of another kind' }, { type: 'seen' }));
      expect(await ids({ ...OPEN, text: 'another kind' })).toEqual(['d']);
      expect(await ids({ ...OPEN, text: 'off_by' })).toEqual([]);
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

    it('lists every event of many breaks, break by break', async () => {
      const f = aBreakEvent(
        { recordId: 'f', state: 'resolved' },
        { type: 'resolved', who: 'Ann', at: at('2026-12-02 10:00') },
      );
      await store.breaks.append([{ ...f, expectedEvents: 1 }]);
      const december = at('2026-12-01 00:00');
      const first = await store.workList.moves(0, 4, december);
      const rest = await store.workList.moves(first.last ?? 0, 4, at('2027-01-01 00:00'));
      expect(first.moves.map(({ state }) => state)).toEqual(['open', 'open', 'open', 'open']);
      expect(
        rest.moves.map(({ state, currency, moneyAtStake }) => [state, currency, moneyAtStake?.toString()]),
      ).toEqual([
        ['waived', 'EUR', '500'],
        ['open', 'EUR', '0.75'],
        ['resolved', 'EUR', '1.5'],
      ]);
      expect(await store.workList.moves(rest.last ?? 0, 4, december)).toEqual({ moves: [], last: null });
    });
  });

  describe('the queue of more breaks than are listed by their keys', () => {
    const MANY = 5_100;
    beforeEach(async () => {
      const names = Array.from({ length: MANY }, (_, i) => `m${i}`);
      await track(store, ...names);
      const first = await keyOf(store, 'm0');
      const night = await judging(store);
      const events = names.map((recordId, i) => {
        const explanation = `quote q-${i} promised ${i % 2 === 0 ? 'less' : 'more'}`;
        const moneyAtStake = dec(String(i));
        const stated = { recordId, explanation, moneyAtStake, rule: i % 3 === 0 ? 'STATUS_STUCK' : 'AMOUNT_DIFFERS' };
        return { ...aBreakEvent(stated), recordKey: first + i };
      });
      await store.breaks.stage(night.run.runId, night.fence, events);
      await settle(store, night);
    });

    it('is filtered and counted the same', async () => {
      const cases: [Partial<QueueFilter>, string[], number][] = [
        [{ text: 'promised' }, ['m5099', 'm5098'], MANY],
        [{ text: 'q-50 promi' }, ['m50'], 1],
        [{ text: 'less promised' }, ['m5098', 'm5096'], MANY / 2],
        [{ text: 'promised', rules: ['STATUS_STUCK'] }, ['m5097', 'm5094'], MANY / 3],
        [{ text: 'promised', rules: ['STATUS_STUCK'], atLeast: '5097' }, ['m5097'], 1],
        [{ rules: ['STATUS_STUCK', 'AMOUNT_DIFFERS'], severities: ['high'] }, ['m5099', 'm5098'], MANY],
        [{ rules: ['AMOUNT_DIFFERS'], currency: 'JPY' }, [], 0],
      ];
      for (const [filter, top, n] of cases) {
        const all = { ...OPEN, ...filter };
        expect([filter, (await ids(all)).slice(0, 2), await store.workList.count(all)]).toEqual([filter, top, n]);
      }
      expect(await store.workList.count({ ...OPEN, text: 'promised' }, 100)).toBe(100);
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
      await store.access.addLink({ ...link, secretHash: 'h4' });
      await store.access.addLink({ ...link, secretHash: 'h5', name: 'Anne' });
      expect(await store.access.revoke(' ANN', NOW)).toBe(1);
      expect(await store.access.useLink('h4', NOW)).toBeNull();
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

  it('beyond the quota of a break, or of a person in 24 hours, are refused', async () => {
    const file = (n: number, over = {}) =>
      store.workList.attach(
        'aa',
        { at: NOW, name: 'Ann', account: 'local:Ann', fileName: 'f', bytes: 3, ...over },
        Buffer.from(`file ${n}`),
      );
    for (let n = 0; n < 20; n++) expect(await file(n)).toBe(true);
    expect(await file(20)).toBe(false);
    const large = { at: NOW, name: 'Ann', account: 'local:Ann', fileName: 'f', bytes: 60 * 1024 * 1024 };
    expect(await store.workList.attach('bb', large, Buffer.from('b'))).toBe(true);
    expect(await store.workList.attach('cc', large, Buffer.from('c'))).toBe(false);
    expect(await store.workList.attach('cc', { ...large, account: 'local:Bob' }, Buffer.from('c'))).toBe(true);
    expect(await store.workList.attach('cc', { ...large, at: NOW + 86_400_001 }, Buffer.from('d'))).toBe(true);
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

    it('are opened once under an id, and found by the beginning of one where it is one alone', async () => {
      await store.claims.open(claim, [item], event, []);
      await expect(store.claims.open(claim, [], event, [])).rejects.toThrow();
      const other = { ...claim, claimId: 'claim-0123456789ff', state: 'sent' } as const;
      await store.claims.open(other, [{ ...item, breakId: 'bb' }], { ...event, state: 'sent' }, []);
      expect(await store.claims.items(claim.claimId)).toEqual([item]);
      expect(await store.claims.get('claim-0123')).toBeNull();
      expect(await store.claims.get('claim-9')).toBeNull();
      expect((await store.claims.get('claim-0123456789f'))?.claimId).toBe(other.claimId);
      const ids = async (filter: Parameters<Store['claims']['list']>[0]) =>
        (await store.claims.list(filter)).map(({ claimId }) => claimId);
      expect(await ids({ limit: 9 })).toEqual([other.claimId, claim.claimId]);
      expect(await ids({ limit: 1 })).toEqual([other.claimId]);
      expect(await ids({ states: ['open'], limit: 9 })).toEqual([claim.claimId]);
    });

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
