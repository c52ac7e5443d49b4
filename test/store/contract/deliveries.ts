import { beforeEach, describe, expect, it } from 'vitest';
import { ForeignItemError } from '../../../src/ports/store/errors.ts';
import type { ProjectionUpdate, Store, StoredWebhook } from '../../../src/ports/store/store.ts';
import { aPurchase, at } from '../../support/builders.ts';
import { aLine, allCases, bodyOf, keyOf, plan, settle, track, unreachable, verified } from '../support/scenario.ts';

const CREATED = at('2026-11-01 10:00');
const RELEASED = at('2026-11-01 10:30');

function projection(status: string, when: number): ProjectionUpdate {
  return {
    status,
    statusSince: when,
    peakStatus: status,
    peakAt: when,
    terminalDate: null,
    firstSnapshot: 'this',
    terminalSnapshot: null,
    lastVerifiedAt: null,
    lastVerifiedDate: null,
  };
}

type ReadDelivery = NonNullable<StoredWebhook['read']>;

/** Bodies that come to us. */
export function deliveriesContract(use: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = use();
    await track(store, 'a');
  });

  async function delivery(
    eventType: string,
    status: string,
    when: number,
    overrides: Partial<StoredWebhook> = {},
    read: Partial<Omit<ReadDelivery, 'projection'>> & { projection?: Partial<ProjectionUpdate> } = {},
  ): Promise<StoredWebhook> {
    const state = aPurchase({ recordId: 'a', status });
    const whole = {
      recordKey: await keyOf(store, 'a'),
      origin: 'webhook' as const,
      eventType,
      at: when,
      body: bodyOf(state),
      read: {
        state,
        basis: null,
        statusChange: null,
        ...read,
        projection: { ...projection(status, when), ...read.projection },
      },
      ...overrides,
    };
    return whole;
  }

  async function lastSnapshot(): Promise<number | null> {
    return (await store.tracked.find('a'))[0]?.projection.lastSnapshot ?? null;
  }

  describe('a delivery', () => {
    it('updates the known facts of its record, type included', async () => {
      expect(await store.deliveries.save([await delivery('CREATED', 'INITIALIZED', CREATED)])).toEqual([
        { outcome: 'stored' },
      ]);
      const [record] = await store.tracked.find('a');
      expect(record?.projection).toMatchObject({ status: 'INITIALIZED', lastVerifiedDate: null });
      expect(record?.facts.webhookEvents).toEqual([{ type: 'CREATED', at: CREATED }]);
      expect(await store.items.evidence(bodyOf(aPurchase({ recordId: 'a', status: 'INITIALIZED' })).sha256)).toContain(
        'INITIALIZED',
      );
    });

    it('that is sent again is stored once', async () => {
      const sent = await delivery('CREATED', 'INITIALIZED', CREATED);
      await store.deliveries.save([sent]);
      expect(await store.deliveries.save([{ ...sent, at: CREATED + 180_000 }])).toEqual([{ outcome: 'repeated' }]);
      expect((await store.tracked.find('a'))[0]?.facts.webhookEvents).toHaveLength(1);
    });

    it('is handed back where the record has moved on', async () => {
      await store.deliveries.save([await delivery('CREATED', 'INITIALIZED', CREATED)]);
      const late = await delivery('RELEASED', 'RELEASED', RELEASED);
      const [record] = await store.tracked.find('a');
      expect(await store.deliveries.save([late])).toEqual([{ outcome: 'stale', projection: record?.projection }]);
      expect((await store.tracked.find('a'))[0]).toEqual(record);
      const again = await delivery('RELEASED', 'RELEASED', RELEASED, {}, { basis: await lastSnapshot() });
      expect(await store.deliveries.save([again])).toEqual([{ outcome: 'stored' }]);
    });

    it('that cannot be read is kept sealed, and still has its type', async () => {
      const body = { sha256: 'c0ffee', evidence: '{"fiatValue":NaN}' };
      await store.deliveries.save([await delivery('RELEASED', 'RELEASED', RELEASED, { body, read: null })]);
      const [record] = await store.tracked.find('a');
      expect(record?.projection.status).toBeNull();
      expect(record?.facts.webhookEvents).toEqual([{ type: 'RELEASED', at: RELEASED }]);
      expect(await store.items.quarantinedBody('purchase', 'a', 'c0ffee')).toBe('{"fiatValue":NaN}');
    });

    it('returns types oldest first, in any order of arrival, and none for an SDK event', async () => {
      const unread = { read: null, body: { sha256: '1', evidence: '{}' } };
      await store.deliveries.save([await delivery('RELEASED', 'RELEASED', RELEASED, unread)]);
      await store.deliveries.save([await delivery('CREATED', 'INITIALIZED', CREATED, unread)]);
      await store.deliveries.save([await delivery('PURCHASE_CREATED', 'X', CREATED, { ...unread, origin: 'event' })]);
      expect((await store.tracked.find('a'))[0]?.facts.webhookEvents).toEqual([
        { type: 'CREATED', at: CREATED },
        { type: 'RELEASED', at: RELEASED },
      ]);
    });

    it('for a record that is not tracked, or of another record, is refused', async () => {
      const nobody = await delivery('CREATED', 'INITIALIZED', CREATED, { recordKey: 999 });
      await expect(store.deliveries.save([nobody])).rejects.toThrow(ForeignItemError);
      const own = await delivery('CREATED', 'INITIALIZED', CREATED);
      const state = aPurchase({ recordId: 'b' });
      const read = own.read === null ? null : { ...own.read, state };
      await expect(store.deliveries.save([{ ...own, read }])).rejects.toThrow(ForeignItemError);
    });
  });

  describe('a delivery between runs', () => {
    it('is reported by the next run over the record: its status change, its type, its snapshot', async () => {
      await store.deliveries.save([await delivery('CREATED', 'INITIALIZED', CREATED)]);
      const statusChange = { from: 'INITIALIZED', fromSeenAt: CREATED, to: 'RELEASED', legal: true };
      const first = await lastSnapshot();
      const read = { basis: first, projection: { firstSnapshot: first }, statusChange };
      await store.deliveries.save([await delivery('RELEASED', 'RELEASED', RELEASED, {}, read)]);

      const night = await plan(store);
      await store.items.save(night.run.runId, night.fence, [unreachable(await keyOf(store, 'a'), '2026-11-20')]);
      const run = await store.runs.startJudging(night.run.runId, night.fence, 'late');
      const place = { kind: 'purchase', recordId: 'a' } as const;
      expect(await store.items.statusChanges(run.runId, place, place)).toMatchObject([
        { from: 'INITIALIZED', to: 'RELEASED', fromSeenAt: CREATED, toSeenAt: RELEASED, learnedFrom: 'webhook' },
      ]);
      const [stored] = await allCases(store, run);
      expect(stored?.tracked.webhookEvents.map((event) => event.type)).toEqual(['CREATED', 'RELEASED']);
      expect(stored?.history.first?.evidence).toMatchObject({ origin: 'webhook', receivedAt: CREATED });
      expect(stored?.history.lastVerified).toBeNull();
      await settle(store, night);

      const next = await plan(store, { date: '2026-11-21' });
      await store.runs.startJudging(next.run.runId, next.fence, 'late');
      expect(await store.items.statusChanges(next.run.runId, place, place)).toEqual([]);
    });

    it('does not make a record verified: what it was last verified as stays', async () => {
      const night = await plan(store);
      const state = aPurchase({ recordId: 'a', status: 'RELEASING' });
      await store.items.save(night.run.runId, night.fence, [verified(await keyOf(store, 'a'), state, '2026-11-18')]);
      const [before] = await store.tracked.find('a');
      const known = before?.projection;
      const lastVerifiedAt = known?.lastVerifiedAt ?? null;
      const lastVerifiedDate = known?.lastVerifiedDate ?? null;
      const read = { basis: known?.lastSnapshot ?? null, projection: { lastVerifiedAt, lastVerifiedDate } };
      await store.deliveries.save([await delivery('RELEASED', 'RELEASED', at('2026-11-18 12:00'), {}, read)]);
      const next = await plan(store, { date: '2026-11-21' });
      const run = await store.runs.startJudging(next.run.runId, next.fence, 'late');
      const [stored] = await allCases(store, run);
      expect(stored?.history.lastVerified).toEqual({ at: at('2026-11-18 04:20'), status: 'RELEASING' });
    });
  });

  it.each([
    ['the creation’s', '2026-11-01 10:00', undefined],
    ['another one', '2026-11-01 10:10', at('2026-11-01 10:20')],
  ])(
    'a body behind the date of a webhook is older where its own is another than the creation’s: %s',
    async (_date, changed, expected) => {
      const heard = aPurchase({ recordId: 'a', status: 'RELEASED', updatedAt: at('2026-11-01 10:20') });
      await store.deliveries.save([
        await delivery('RELEASED', 'RELEASED', RELEASED, { body: bodyOf(heard) }, { state: heard }),
      ]);
      const basis = await lastSnapshot();
      const night = await plan(store);
      const state = aPurchase({ recordId: 'a', status: 'RELEASED', updatedAt: at(changed) });
      const fetched = verified(await keyOf(store, 'a'), state, '2026-11-20', {
        basis,
        projection: { firstSnapshot: basis },
      });
      await store.items.save(night.run.runId, night.fence, [fetched]);
      const run = await store.runs.startJudging(night.run.runId, night.fence, 'late');
      const [stored] = await allCases(store, run);
      expect(stored?.history.younger?.updatedAt).toBe(expected);
    },
  );

  describe('statuses learned from deliveries', () => {
    it('is the newest change of each record; a body that came late is stored, and changes nothing', async () => {
      const late = await delivery('CREATED', 'INITIALIZED', CREATED);
      expect(await store.deliveries.lastUpdatedAt([late.recordKey])).toEqual(new Map());
      const moved = await delivery('RELEASED', 'RELEASED', RELEASED);
      await store.deliveries.save([moved]);
      const read = late.read === null ? null : { ...late.read, basis: await lastSnapshot(), projection: null };
      expect(await store.deliveries.save([{ ...late, read }])).toEqual([{ outcome: 'stored' }]);
      expect((await store.tracked.find('a'))[0]?.projection.status).toBe('RELEASED');
      await track(store, 'b');
      expect(await store.deliveries.lastUpdatedAt([late.recordKey, await keyOf(store, 'b')])).toEqual(
        new Map([[late.recordKey, moved.read?.state.updatedAt ?? null]]),
      );
    });

    it('waits until a run looks at the record, or the record is taken out of the population', async () => {
      await track(store, 'b');
      const ofB = { recordKey: await keyOf(store, 'b'), read: null, body: { sha256: 'b0', evidence: '{}' } };
      await store.deliveries.save([await delivery('CREATED', 'INITIALIZED', CREATED)]);
      await store.deliveries.save([await delivery('CREATED', '', CREATED, ofB)]);
      await store.deliveries.save([await delivery('RELEASED', '', RELEASED, { ...ofB, eventType: 'RELEASED' })]);
      expect(await store.deliveries.waiting()).toBe(2);
      await store.tracked.correct('purchase', 'b', { type: 'retract', actor: 'Ann', reason: 'a test', at: RELEASED });
      expect(await store.deliveries.waiting()).toBe(1);
      const night = await plan(store);
      await store.items.save(night.run.runId, night.fence, [unreachable(await keyOf(store, 'a'), '2026-11-20')]);
      expect(await store.deliveries.waiting()).toBe(0);
    });

    it('is read again by type and time, oldest first, with the quote that the application named', async () => {
      await store.tracked.add([aLine({ id: 'a', token: 'token-of-a', quoteId: 'q-17' })], 'import', CREATED);
      await store.deliveries.save([await delivery('CREATED', 'INITIALIZED', CREATED)]);
      const again = await delivery('RELEASED', 'RELEASED', RELEASED, {}, { basis: await lastSnapshot() });
      await store.deliveries.save([again]);
      const told = async (types: readonly string[], since: number, after = 0) =>
        (await store.deliveries.readSince(types, since, after)).map(({ state, quoteId }) => [state.status, quoteId]);
      expect(await told(['RELEASED', 'CREATED'], CREATED)).toEqual([
        ['INITIALIZED', 'q-17'],
        ['RELEASED', 'q-17'],
      ]);
      expect(await told(['CREATED'], CREATED)).toHaveLength(1);
      expect(await told(['CREATED', 'RELEASED'], CREATED + 1)).toEqual([['RELEASED', 'q-17']]);
      const [first, second] = await store.deliveries.readSince(['CREATED', 'RELEASED'], CREATED, 0);
      expect([first?.deliveredAt, second?.deliveredAt]).toEqual([CREATED, RELEASED]);
      expect(await told(['CREATED', 'RELEASED'], CREATED, first?.key)).toEqual([['RELEASED', 'q-17']]);
      expect(await told(['CREATED', 'RELEASED'], CREATED, second?.key)).toEqual([]);
    });

    it('is counted by how each change of status was learned', async () => {
      expect(await store.deliveries.learnedFrom()).toEqual({ fetch: 0, webhook: 0, event: 0, import: 0 });
      const statusChange = { from: 'INITIALIZED', fromSeenAt: CREATED, to: 'RELEASED', legal: true };
      await store.deliveries.save([await delivery('RELEASED', 'RELEASED', RELEASED, {}, { statusChange })]);
      expect(await store.deliveries.learnedFrom()).toEqual({ fetch: 0, webhook: 1, event: 0, import: 0 });
    });
  });
}
