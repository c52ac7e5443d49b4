/** docs/deploy/postgresql/roles.sql on a real server: each role can do its part, and nothing beyond it. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quotes } from '../../../jobs/quotes.ts';
import { EXIT } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { openStore } from '../../../src/store/open.ts';
import { boundConnections } from '../../../src/store/postgres/bounded-connections.ts';
import { watchQueue } from '../../../src/workers/figures.ts';
import { openPgBossQueue } from '../../../src/workers/pg-boss-queue.ts';
import { NOTHING_ASKED, openFrozenWorld } from '../../e2e/support/frozen-world.ts';
import { purchaseOf } from '../../service/bodies.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { aPurchase, aQuote, at } from '../../support/builders.ts';
import { inThisOrder } from '../../support/in-this-order.ts';
import { SEALER, testKey } from '../support/engines.ts';
import { aLine, allCases, bodyOf, complete, keyOf, NO_VERDICTS, plan, track, verified } from '../support/scenario.ts';
import { makeDatabase, onServer, type TestDatabase } from './database.ts';
import { isSwitchedOff } from './server.ts';

inThisOrder();

const ROLES = readFileSync(new URL('../../../docs/deploy/postgresql/roles.sql', import.meta.url), 'utf8');
const GROUPS = ['tieout_run', 'tieout_intake', 'tieout_pages', 'tieout_report'] as const;
type Group = (typeof GROUPS)[number];
const LISTED = {
  symbol: 'ETH',
  chain: 'ETH',
  name: 'Ether',
  decimals: 18,
  address: null,
  type: 'NATIVE',
  enabled: true,
};
const queueAt = (url: string) =>
  openPgBossQueue({
    url,
    heartbeatMs: 10_000,
    onError: () => undefined,
    translate: (error) => error,
    connections: boundConnections(10_000),
  });

describe.skipIf(isSwitchedOff())('roles', () => {
  let database: TestDatabase;
  const urls = new Map<Group, string>();
  const users: string[] = [];
  const opened: Store[] = [];

  beforeAll(async () => {
    database = await makeDatabase();
    const owner = await openStore({ url: database.url, sealer: SEALER });
    await track(owner.store, 'a', 'b');
    const night = await plan(owner.store);
    const key = await keyOf(owner.store, 'a');
    await owner.store.items.save(night.run.runId, night.fence, [
      verified(key, aPurchase({ recordId: 'a' }), '2026-11-20'),
    ]);
    await complete(owner.store, night);
    await owner.store.close();
    await (await queueAt(database.url)).close();
    // Twice, as after a migration.
    await onServer(database.url, ROLES, ROLES);
    for (const group of GROUPS) {
      const user = `${group}_${randomBytes(4).toString('hex')}`;
      const password = randomBytes(8).toString('hex');
      await onServer(database.url, `create role ${user} login password '${password}' in role ${group}`);
      users.push(user);
      urls.set(group, Object.assign(new URL(database.url), { username: user, password }).href);
    }
  });
  afterAll(async () => {
    for (const store of opened) await store.close();
    await onServer(database.url, ...[...users, ...GROUPS].map((role) => `drop owned by ${role}`));
    await onServer(database.url, ...[...users, ...GROUPS].map((role) => `drop role ${role}`));
    await database[Symbol.asyncDispose]();
  });

  async function storeAs(group: Group, withKey: boolean): Promise<Store> {
    const { store } = await openStore({ url: urls.get(group) ?? '', sealer: withKey ? SEALER : null });
    opened.push(store);
    return store;
  }

  const denied = (group: Group, statement: string) =>
    expect(onServer(urls.get(group) ?? '', statement), statement).rejects.toThrow(/permission denied/);

  describe('tieout_run', () => {
    it('sends batches and takes them, on a queue that the owner has made', async () => {
      const queue = await queueAt(urls.get('tieout_run') ?? '');
      const run = { runId: 'r', fence: { name: 'nightly', token: 1 } };
      await queue.send([{ ...run, after: 0, upTo: 5, maxRequests: null, deployment: {} }]);
      const claim = await queue.claim();
      expect([claim?.batch.upTo, await claim?.renew()]).toEqual([5, true]);
      await claim?.giveBack({ kind: 'stopped', message: 'stopped' });
      expect(await queue.standing(run)).toMatchObject({ waiting: 1, active: 0 });
      await queue.withdraw('r');
      expect(await queue.figures()).toMatchObject({ waiting: 0, active: 0 });
      await queue.close();
    });

    it('does a whole night, and decides about its breaks', async () => {
      const store = await storeAs('tieout_run', true);
      await track(store, 'c');
      const night = await plan(store, { date: '2026-11-21' });
      const item = (await store.items.next(night.run.runId, 0, 10)).find(({ id }) => id === 'c');
      expect(item?.token).toBe('token-of-c');
      await store.items.save(night.run.runId, night.fence, [
        verified(item?.recordKey ?? 0, aPurchase({ recordId: 'c' }), '2026-11-21'),
      ]);
      await store.runs.startJudging(night.run.runId, night.fence, 'put off');
      const event = aBreakEvent({ recordId: 'c' }, { runId: night.run.runId });
      await store.breaks.stage(night.run.runId, night.fence, [{ ...event, recordKey: item?.recordKey ?? 0 }]);
      await store.runs.settle(night.run.runId, night.fence, { verdicts: NO_VERDICTS, finishedAt: night.run.asOf });
      await store.runs.finish(night.run.runId, night.fence, 'complete', 'somewhere');
      const decision = aBreakEvent({ recordId: 'c', state: 'acknowledged' }, { type: 'acknowledged', who: 'ann' });
      await store.breaks.append([{ ...decision, expectedEvents: 1 }]);
      expect(await store.breaks.list({ limit: 10, offset: 0 })).toMatchObject([{ state: 'acknowledged', events: 2 }]);
    });

    it.each(['update break_events set who = $$nobody$$', 'delete from break_events', 'drop table breaks'])(
      'cannot rewrite history: %s',
      async (statement) => {
        await expect(onServer(urls.get('tieout_run') ?? '', statement)).rejects.toThrow(
          /permission denied|must be owner/,
        );
      },
    );
  });

  describe('tieout_intake', () => {
    it('takes ids, quotes and webhooks in, and books requests', async () => {
      const store = await storeAs('tieout_intake', true);
      const lines = [aLine({ id: 'd', token: 'token-of-d' }), aLine({ id: 'a', token: 'another token' })];
      expect(await store.tracked.add(lines, 'import', at('2026-11-21 10:00'))).toMatchObject([
        { outcome: 'added' },
        { outcome: 'conflict' },
      ]);
      expect(await store.tracked.add([aLine({ id: 'd', token: 'token-of-d', quoteId: 'q' })], 'import', 1)).toEqual([
        { outcome: 'updated' },
      ]);
      const quote = { quote: aQuote(), request: '{}', response: '{}' };
      expect(await store.quotes.add([quote], 1)).toEqual(['added']);
      expect(await store.quotes.add([quote], 1)).toEqual(['unchanged']);
      const state = aPurchase({ recordId: 'd' });
      const read = { state, basis: null, statusChange: null, projection: null };
      const recordKey = await keyOf(store, 'd');
      const delivery = { recordKey, origin: 'webhook', eventType: 'CREATED', at: 2, body: bodyOf(state) } as const;
      const unread = { ...delivery, eventType: 'ODD', body: { sha256: 'f'.repeat(64), evidence: '{"odd":1}' } };
      expect(
        await store.deliveries.save([
          { ...delivery, read },
          { ...unread, read: null },
        ]),
      ).toEqual([{ outcome: 'stored' }, { outcome: 'stored' }]);
      await store.bookings.withBookings('office', 'boot', (bookings) => bookings.book(1));
    });

    it('captures a quote for a created order, where it has no out folder and sees no published set', async () => {
      const secrets = { TIEOUT_SECRET_KEY: testKey('a'), TIEOUT_HOST_API_KEY: 'of-the-host' };
      const world = await openFrozenWorld({ 'database.url': urls.get('tieout_intake') ?? '' }, secrets);
      try {
        const { asset, ...method } = {
          asset: { ...LISTED, price: { EUR: 2500 }, currencyCode: 'EUR' },
          fiatCurrency: 'EUR',
          cryptoAmount: '40000000000000000',
          fiatValue: 104.76,
          baseServiceFee: 3.9,
          appliedFee: 4.76,
        };
        const body = JSON.stringify({ asset, CARD_PAYMENT: method });
        world.server.paths.set('/host-api/v3/onramp/quote/all', { body });
        world.goTo('2026-11-25T10:01:00Z');
        const created = purchaseOf('created', {
          ...{ status: '"INITIALIZED"', finalTxHash: 'null', purchaseViewToken: '"token-of-created"' },
          ...{
            createdAt: '"2026-11-25T10:00:00Z"',
            updatedAt: '"2026-11-25T10:00:00Z"',
            endTime: '"2026-11-28T10:00:00Z"',
          },
        });
        await world.webhook('purchase', `{"type":"CREATED","purchase":${created}}`);
        const capture = () => world.app.run(quotes, { ...NOTHING_ASKED });
        expect(await capture()).toMatchObject({ outcome: 'quoted', counts: { captured: 1 }, requests: 1 });
        expect(await capture()).toMatchObject({ outcome: 'quoted', counts: { present: 1 }, requests: 0 });
        await denied('tieout_intake', 'select path from publications');
      } finally {
        await world.close();
      }
    });

    it('is told which table it may not read, and what to do', async () => {
      const store = await storeAs('tieout_intake', true);
      await expect(store.breaks.list({ limit: 1, offset: 0 })).rejects.toMatchObject({
        exitCode: EXIT.unavailable,
        message: expect.stringMatching(/permission denied for table \w+\); .*roles\.sql/),
      });
    });

    it('counts rows for its metrics, and cannot read them', async () => {
      const store = await storeAs('tieout_intake', true);
      expect(await store.breaks.openBySeverity()).toMatchObject({ low: 0, critical: 0 });
      expect(await store.deliveries.waiting()).toBeGreaterThanOrEqual(0);
      expect(await store.deliveries.learnedFrom()).toMatchObject({ import: 0 });
      const watch = watchQueue(urls.get('tieout_intake') ?? '');
      expect(await watch.figures()).toMatchObject({ waiting: 0, failed: 0 });
      await watch.close();
      await denied('tieout_intake', 'select data from tieout_queue.job');
      await denied('tieout_intake', 'delete from tieout_queue.job');
      await denied('tieout_intake', 'select explanation from break_events');
    });

    it('cannot read a token in any way', async () => {
      const store = await storeAs('tieout_intake', true);
      await expect(store.tracked.token('purchase', 'd')).rejects.toMatchObject({ reason: 'not-allowed' });
      await denied('tieout_intake', 'select token from tracked_records');
      await denied('tieout_intake', 'select * from tracked_records');
      await denied('tieout_intake', 'select token from tracking_conflicts');
      await denied('tieout_intake', 'select sealed from sealed_bodies');
      await denied('tieout_intake', 'update tracked_records set origin = origin returning token');
    });

    it('cannot read evidence, nor change or remove what came in', async () => {
      await denied('tieout_intake', 'select deflated from bodies');
      await denied('tieout_intake', 'select exchange from quote_bodies');
      await denied('tieout_intake', 'update tracked_records set token = token_fingerprint');
      await denied('tieout_intake', 'update quotes set api = api');
      await denied('tieout_intake', 'delete from tracked_records');
      await denied('tieout_intake', 'insert into breaks (break_id) values ($$x$$)');
      await denied('tieout_intake', 'create table mine (n int)');
    });
  });

  describe('tieout_pages', () => {
    it('signs people in, and keeps what they decide', async () => {
      const store = await storeAs('tieout_pages', true);
      const now = at('2026-11-22 10:00');
      const person = { name: 'ann', roles: ['analyst'] as const, madeAt: now, endsAt: now + 1000 };
      await store.access.addLink({ ...person, secretHash: 'of-a-link', madeBy: 'bob' });
      expect(await store.access.useLink('of-a-link', now)).toMatchObject({ name: 'ann' });
      const [first] = await store.breaks.list({ limit: 1, offset: 0 });
      const decision = aBreakEvent({ recordId: 'c', state: 'waived' }, { type: 'waived', who: 'ann' });
      await store.breaks.append([{ ...decision, expectedEvents: first?.events ?? 0 }]);
      expect(await store.runs.newestInstant()).not.toBeNull();
    });

    it.each([
      'select token from tracked_records',
      'select token from tracking_conflicts',
      'select sealed from sealed_bodies',
      'delete from tracked_records',
      'update break_events set who = $$nobody$$',
      'delete from access_acts',
      'create table mine (n int)',
    ])('may not: %s', (statement) => denied('tieout_pages', statement));
  });

  describe('tieout_report', () => {
    it('reads runs, their cases, breaks and evidence, without the key', async () => {
      const store = await storeAs('tieout_report', false);
      const run = await store.runs.get('nightly-2026-11-20-r1');
      if (run === null) throw new Error('the run is not there');
      expect((await allCases(store, run)).map(({ recordId }) => recordId)).toEqual(['a', 'b']);
      expect(await store.items.evidence(bodyOf(aPurchase({ recordId: 'a' })).sha256)).not.toBeNull();
      expect(await store.breaks.list({ limit: 10, offset: 0 })).toHaveLength(1);
      const known = await store.tracked.latest({ kind: null, createdFrom: null, createdTo: null }, null, 10);
      expect(known.length).toBeGreaterThan(2);
    });

    it('can change nothing at all', async () => {
      const tables = await onServer<{ name: string }>(
        database.url,
        `select tablename as name from pg_tables where schemaname = 'public'`,
      );
      expect(tables.length).toBeGreaterThan(25);
      for (const { name } of tables) {
        await denied('tieout_report', `delete from ${name}`);
        await denied('tieout_report', `insert into ${name} default values`);
        await denied('tieout_report', `truncate ${name}`);
      }
      await denied('tieout_report', 'update runs set state = $$complete$$');
      await denied('tieout_report', 'create table mine (n int)');
      const store = await storeAs('tieout_report', false);
      const decision = aBreakEvent({ recordId: 'c', state: 'waived' }, { type: 'waived', who: 'ann' });
      const waiving = store.breaks.append([{ ...decision, expectedEvents: 3 }]);
      await expect(waiving).rejects.toMatchObject({ reason: 'not-allowed' });
    });

    it('sees nothing that is sealed', async () => {
      await denied('tieout_report', 'select token from tracked_records');
      await denied('tieout_report', 'select token_fingerprint from tracked_records');
      await denied('tieout_report', 'select token from tracking_conflicts');
      await denied('tieout_report', 'select sealed from sealed_bodies');
    });
  });
});
