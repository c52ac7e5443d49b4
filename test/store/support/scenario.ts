/** Steps of a night, so that a test names only its events. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Run, Selection } from '../../../src/domain/run.ts';
import type { RecordState } from '../../../src/domain/snapshot.ts';
import type {
  Fence,
  ObservedItem,
  PlannedItem,
  PlanScope,
  ProjectionUpdate,
  Store,
  StoredCase,
  TrackedInput,
} from '../../../src/ports/store/store.ts';
import { at } from '../../support/builders.ts';
import { DUE_POLICY } from '../../support/due-rule.ts';

export const TRACKED_AT = at('2026-11-01 10:00');

export function aLine(overrides: Partial<TrackedInput> = {}): TrackedInput {
  return {
    kind: 'purchase',
    id: 'sqs6a428mqjtzbv',
    token: 'mg3voq92hd2mbdht',
    createdAt: null,
    hostReference: null,
    quoteId: null,
    expectedStatus: null,
    ...overrides,
  };
}

/** Tracks purchases by id, each with a token of its own. */
export async function track(store: Store, ...ids: string[]): Promise<void> {
  await store.tracked.add(
    ids.map((id) => aLine({ id, token: `token-of-${id}` })),
    'import',
    TRACKED_AT,
  );
}

export async function keyOf(store: Store, id: string): Promise<number> {
  const [record] = await store.tracked.find(id);
  if (record === undefined) throw new Error(`${id} is not tracked`);
  return record.recordKey;
}

export interface Night {
  run: Run;
  fence: Fence;
  scope: PlanScope;
}

export interface NightOptions {
  job?: string;
  date?: string;
  selection?: Selection;
}

export async function acquire(store: Store, name = 'nightly'): Promise<Fence> {
  const lease = await store.leases.acquire(name, 'a test', TRACKED_AT, 60_000);
  if (!('fence' in lease)) throw new Error(`the lease is held by ${lease.heldBy}`);
  return lease.fence;
}

/** A run with its lease, not planned yet. The lease of an earlier night is given up first. */
export async function begin(store: Store, options: NightOptions = {}): Promise<Night> {
  const { job = 'nightly', date = '2026-11-20', selection = { type: 'due' } } = options;
  await store.leases.evict(job, 'a test');
  const fence = await acquire(store, job);
  const run = await store.runs.create(
    {
      job,
      businessDate: date,
      selection,
      timezone: 'UTC',
      startedAt: at(`${date} 04:15`),
      asOf: at(`${date} 23:59`),
      terms: '{"of":"the run"}',
      rulesHash: 'rules',
      configHash: 'config',
      codeVersion: '0.1.0',
      sources: [],
    },
    fence,
  );
  const scope = { job, businessDate: date, selection, policy: DUE_POLICY, createdFrom: null, createdTo: null };
  return { run, fence, scope };
}

/** A run with its items. */
export async function plan(store: Store, options: NightOptions = {}): Promise<Night> {
  const night = await begin(store, options);
  await store.items.plan(night.run.runId, night.fence, night.scope);
  return night;
}

export async function allItems(store: Store, { run }: Night): Promise<readonly PlannedItem[]> {
  return store.items.next(run.runId, 0, 1_000);
}

export function bodyOf(state: RecordState): { sha256: string; evidence: string } {
  const evidence = JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
  return { sha256: createHash('sha256').update(evidence).digest('hex'), evidence };
}

export type Verified = Extract<ObservedItem['observed'], { outcome: 'verified' }>;

/** A record that was read at `date` 04:20, seen for the first time unless the projection says otherwise. */
export function verified(
  recordKey: number,
  state: RecordState,
  date: string,
  overrides: Partial<Omit<Verified, 'projection'>> & { projection?: Partial<ProjectionUpdate> } = {},
): ObservedItem & { observed: Verified } {
  const seenAt = at(`${date} 04:20`);
  const terminal = state.status === 'RELEASED';
  const { projection, ...rest } = overrides;
  return {
    recordKey,
    attempts: 1,
    observed: {
      outcome: 'verified',
      state,
      ...bodyOf(state),
      at: seenAt,
      httpStatus: 200,
      projection: {
        status: state.status,
        statusSince: seenAt,
        peakStatus: state.status,
        peakAt: seenAt,
        terminalDate: terminal ? date : null,
        firstSnapshot: 'this',
        terminalSnapshot: terminal ? 'this' : null,
        lastVerifiedAt: seenAt,
        lastVerifiedDate: date,
        ...projection,
      },
      statusChange: null,
      ...rest,
    },
  };
}

export function unreachable(recordKey: number, date: string): ObservedItem {
  const observed = { reason: 'TIMEOUT', httpStatus: 504, errorCode: null, at: at(`${date} 04:20`) } as const;
  return { recordKey, attempts: 4, observed: { outcome: 'unreachable', ...observed } };
}

export const NO_VERDICTS = { matched: 0, pending: 0, break: 0, unverified: 0, quarantined: 0, waived: 0 };

/** Judges without a finding and settles. */
export async function settle(store: Store, { run, fence }: Night): Promise<Run> {
  await store.runs.startJudging(run.runId, fence, 'the allowance was spent');
  return store.runs.settle(run.runId, fence, { verdicts: NO_VERDICTS, finishedAt: run.asOf });
}

/** Settles and calls it complete. */
export async function complete(store: Store, night: Night): Promise<Run> {
  await settle(store, night);
  return store.runs.finish(night.run.runId, night.fence, 'complete', 'somewhere');
}

/** Every case of a run that is being judged, read in pages of two. */
export async function allCases(store: Store, run: Run): Promise<StoredCase[]> {
  const cases: StoredCase[] = [];
  for (;;) {
    const last = cases.at(-1);
    const after = last === undefined ? null : { kind: last.kind, recordId: last.recordId };
    const page = await store.items.cases(run, after, 2);
    if (page.length === 0) return cases;
    cases.push(...page);
  }
}

/** Saves observations of which no record is unknown. */
export async function saveAll(store: Store, { run, fence }: Night, items: readonly ObservedItem[]): Promise<void> {
  expect(await store.items.save(run.runId, fence, items)).toEqual([]);
}

export async function judgedAfterAllowance(store: Store, { run, fence }: Night): Promise<StoredCase[]> {
  return allCases(store, await store.runs.startJudging(run.runId, fence, 'the allowance was spent'));
}
