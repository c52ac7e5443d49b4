import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { webhookIntake } from '../../../src/intake/webhooks/accept.ts';
import type { AcceptEdges, Incoming } from '../../../src/intake/webhooks/contract.ts';
import type { Projection, StoredWebhook, TrackedRecord, WebhookOutcome } from '../../../src/ports/store/store.ts';
import { aPurchase, at, someFacts, UNSEEN } from '../../support/builders.ts';

const incoming = (id: string): Incoming => ({
  kind: 'purchase',
  id,
  token: 'token',
  origin: 'webhook',
  eventType: 'CREATED',
  hostReference: null,
  body: { sha256: id, evidence: '{}' },
  state: null,
});

const RECORD: TrackedRecord = {
  recordKey: 1,
  kind: 'purchase',
  id: 'a',
  origin: 'webhook',
  retractedAt: null,
  trackedAt: 0,
  facts: someFacts(),
  projection: UNSEEN,
};

/** A store that notes its commits, and refuses any that has the delivery `poison` in it. */
function aStore(): { edges: AcceptEdges; commits: string[][]; pauses: number[][]; open: () => void } {
  const [commits, pauses]: [string[][], number[][]] = [[], []];
  let open: () => void = () => undefined;
  let gate: Promise<void> | null = new Promise((resolve) => {
    open = resolve;
  });
  const edges: AcceptEdges = {
    tracked: { add: async (lines) => lines.map(() => ({ outcome: 'added' })), find: async (id) => [{ ...RECORD, id }] },
    deliveries: {
      lastUpdatedAt: async () => new Map(),
      save: async (batch: readonly StoredWebhook[]) => {
        await gate;
        gate = null;
        const ids = batch.map(({ body }) => body.sha256);
        if (ids.includes('poison')) throw new Error('cannot be stored');
        commits.push(ids);
        return batch.map(() => ({ outcome: 'stored' }));
      },
    },
    statuses: { purchase: new Map(), sale: new Map() },
    advance: () => {
      throw new Error('an unreadable body advances nothing');
    },
    now: () => 0,
    pause: async (ms) => void pauses.push([ms, commits.length]),
  };
  return { edges, commits, pauses, open: () => open() };
}

it('puts what gathers during a commit into the next one together', async () => {
  const { edges, commits, open } = aStore();
  const intake = webhookIntake(edges);
  const answers = ['a', 'b', 'c', 'd'].map((id) => intake.accept(incoming(id)));
  open();
  expect(await Promise.all(answers)).toEqual(['unreadable', 'unreadable', 'unreadable', 'unreadable']);
  expect(commits).toEqual([['a'], ['b', 'c', 'd']]);
});

it('lets one that cannot be stored fail alone', async () => {
  const { edges, commits, open } = aStore();
  const intake = webhookIntake(edges);
  const answers = ['a', 'b', 'poison', 'd'].map((id) => intake.accept(incoming(id)));
  open();
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(commits).toEqual([['a'], ['b'], ['d']]);
  await intake.idle();
});

it('does not take a record of the other kind for that of the delivery', async () => {
  const { edges, commits, open } = aStore();
  open();
  const tracked = { ...edges.tracked, find: async () => [{ ...RECORD, kind: 'sale' as const }] };
  expect(await webhookIntake({ ...edges, tracked }).accept(incoming('a'))).toBe('untracked');
  expect(commits).toEqual([]);
});

it('is idle when all that it accepted is stored', async () => {
  const { edges, commits, open } = aStore();
  const intake = webhookIntake(edges);
  const answers = ['a', 'b'].map((id) => intake.accept(incoming(id)));
  const idle = intake.idle();
  expect(commits).toEqual([]);
  open();
  await idle;
  expect(commits).toEqual([['a'], ['b']]);
  await Promise.all(answers);
});

it('commits the first at once, and waits for more after each commit that was not full', async () => {
  const { edges, commits, pauses, open } = aStore();
  const intake = webhookIntake(edges);
  open();
  await intake.accept(incoming('alone'));
  expect(commits).toEqual([['alone']]);
  await intake.idle();
  expect(pauses).toEqual([[10, 1]]);
  await Promise.all(Array.from({ length: 200 + 30 }, (_, i) => intake.accept(incoming(`${i}`))));
  await intake.idle();
  expect(commits.map((ids) => ids.length)).toEqual([1, 1, 200, 29]);
  expect(pauses).toEqual([
    [10, 1],
    [100, 3],
    [10, 4],
  ]);
});

it('commits together what comes one by one, each in a turn of its own', async () => {
  const { edges, commits, open } = aStore();
  const intake = webhookIntake({ ...edges, pause: (ms) => pause(ms) });
  open();
  const answers: Promise<unknown>[] = [];
  for (let i = 0; i < 20; i++) {
    answers.push(intake.accept(incoming(`${i}`)));
    await pause(1);
  }
  await Promise.all(answers);
  expect(commits.length).toBeLessThan(10);
});

describe('a body that can be read', () => {
  const KNOWN: Projection = { ...UNSEEN, lastSnapshot: 3, status: 'RELEASED' };
  const NOW = at('2026-11-02 00:00');
  const delivery = (updatedAt: string): Incoming => ({
    ...incoming('a'),
    state: aPurchase({ updatedAt: at(updatedAt) }),
  });

  /** `saved` answers each commit in turn; `seen` are the projections that bodies were placed by. */
  function aRecord(saved: readonly WebhookOutcome[], newest: number | undefined) {
    const { edges } = aStore();
    const seen: Projection[] = [];
    const left = [...saved];
    const intake = webhookIntake({
      ...edges,
      now: () => NOW,
      tracked: {
        ...edges.tracked,
        find: async () => [{ ...RECORD, projection: KNOWN }],
      },
      deliveries: {
        lastUpdatedAt: async () => new Map(newest === undefined ? [] : [[RECORD.recordKey, newest]]),
        save: async (batch) => batch.map(() => left.shift() ?? { outcome: 'stored' }),
      },
      advance: (before) => {
        seen.push(before);
        return { projection: before, statusChange: null };
      },
    });
    return { intake, seen };
  }

  it('is late where a newer one is known', async () => {
    const newest = at('2026-11-01 12:00');
    expect(await aRecord([], newest).intake.accept(delivery('2026-11-01 11:00'))).toBe('late');
    expect(await aRecord([], newest).intake.accept(delivery('2026-11-01 13:00'))).toBe('stored');
  });

  it('is placed again by what another process has made of the record meanwhile', async () => {
    const moved: Projection = { ...KNOWN, lastSnapshot: 9 };
    const { intake, seen } = aRecord([{ outcome: 'stale', projection: moved }], undefined);
    expect(await intake.accept(delivery('2026-11-01 11:00'))).toBe('stored');
    expect(seen).toEqual([KNOWN, moved]);
  });
});
