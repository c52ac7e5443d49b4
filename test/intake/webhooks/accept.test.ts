import { expect, it } from 'vitest';
import { DeliveryIntake } from '../../../src/intake/webhooks/accept.ts';
import type { AcceptEdges, Incoming } from '../../../src/intake/webhooks/contract.ts';
import type { Delivery, Projection, TrackedRecord } from '../../../src/ports/store/store.ts';
import { someFacts } from '../../support/builders.ts';

const EMPTY: Projection = {
  status: null,
  statusSince: null,
  peakStatus: null,
  peakAt: null,
  terminalDate: null,
  firstSnapshot: null,
  terminalSnapshot: null,
  lastSnapshot: null,
  lastVerifiedAt: null,
  lastVerifiedDate: null,
};
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

/** A store that notes its commits, and refuses any that has the delivery `poison` in it. */
function aStore(): { edges: AcceptEdges; commits: string[][]; pauses: number[]; open: () => void } {
  const [commits, pauses]: [string[][], number[]] = [[], []];
  let open: () => void = () => undefined;
  let gate: Promise<void> | null = new Promise((resolve) => {
    open = resolve;
  });
  const record = (id: string): TrackedRecord => ({
    recordKey: 1,
    kind: 'purchase',
    id,
    origin: 'webhook',
    retractedAt: null,
    trackedAt: 0,
    facts: someFacts(),
    projection: EMPTY,
  });
  const edges: AcceptEdges = {
    tracked: { add: async (lines) => lines.map(() => ({ outcome: 'added' })), find: async (id) => [record(id)] },
    deliveries: {
      lastUpdatedAt: async () => new Map(),
      save: async (batch: readonly Delivery[]) => {
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
    pause: async (ms) => void pauses.push(ms),
  };
  return { edges, commits, pauses, open: () => open() };
}

it('puts what gathers during a commit into the next one together', async () => {
  const { edges, commits, open } = aStore();
  const intake = new DeliveryIntake(edges);
  const answers = ['a', 'b', 'c', 'd'].map((id) => intake.accept(incoming(id)));
  open();
  expect(await Promise.all(answers)).toEqual(['unreadable', 'unreadable', 'unreadable', 'unreadable']);
  expect(commits).toEqual([['a'], ['b', 'c', 'd']]);
});

it('lets one that cannot be stored fail alone', async () => {
  const { edges, commits, open } = aStore();
  const intake = new DeliveryIntake(edges);
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
  expect(intake.waiting).toBe(0);
});

it('is idle when all that it accepted is stored', async () => {
  const { edges, commits, open } = aStore();
  const intake = new DeliveryIntake(edges);
  const answers = ['a', 'b'].map((id) => intake.accept(incoming(id)));
  expect(intake.waiting).toBe(1);
  const idle = intake.idle();
  open();
  await idle;
  expect(commits).toEqual([['a'], ['b']]);
  await Promise.all(answers);
});

it('waits for more only where some gathered already, and not for a full commit', async () => {
  const { edges, commits, pauses, open } = aStore();
  const intake = new DeliveryIntake(edges);
  open();
  await intake.accept(incoming('alone'));
  expect(pauses).toEqual([]);
  await Promise.all(Array.from({ length: 200 + 30 }, (_, i) => intake.accept(incoming(`${i}`))));
  expect(commits.map((ids) => ids.length)).toEqual([1, 200, 30]);
  expect(pauses).toEqual([100]);
});
