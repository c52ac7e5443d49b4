/** Times of a page of cases that few records need: when one was tracked, and the statuses that one passed. */
import { sql } from 'kysely';
import { lastChange } from '../domain/execution.ts';
import { CLOCKS_DIFFER_MS, isPlausible } from '../domain/plausible-date.ts';
import { saysReleased } from '../domain/released.ts';
import type { StoredCase } from '../ports/store/store.ts';
import { FIRST_STATUS } from '../service/profile.ts';
import type { CaseDraft } from './case-parts.ts';
import type { Engine } from './engine.ts';
import { findRows } from './statements.ts';

/** Adds the time of tracking of records that have no date, or one that cannot be true: it decides about their month. */
export async function addTrackedAt(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const asked = new Map(
    drafts.filter(({ stored }) => isUndated(stored)).map(({ stored }) => [stored.recordKey, stored] as const),
  );
  if (asked.size === 0) return;
  const isAsked = engine.inList('record_key', [...asked.keys()]);
  const rows = await findRows(engine.db, 'tracked_records', isAsked, ['record_key', 'tracked_at']);
  for (const row of rows) {
    const stored = asked.get(row.record_key);
    if (stored !== undefined) stored.history.trackedAt = row.tracked_at;
  }
}

function isUndated({ tracked, observation, history }: StoredCase): boolean {
  const newest = observation.outcome === 'verified' ? observation.snapshot : history.first;
  const dates = [tracked.createdAt, newest?.state.createdAt ?? null].filter((date) => date !== null);
  // Tracked before it was first read: a date that was plausible then was so when it was tracked.
  const firstRead = (history.first ?? newest)?.evidence.receivedAt ?? Number.MAX_SAFE_INTEGER;
  return dates.length === 0 || dates.some((date) => !isPlausible(date, firstRead));
}

/** By so much a body may be behind one that another part of the Service gave before, in milliseconds. */
const BEHIND = 60_000;

/** Adds the latest earlier body that says that it is younger than tonight's. */
export async function addYounger(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const asked = new Map<number, CaseDraft>();
  for (const draft of drafts) {
    const { observation, history } = draft.stored;
    const isDated = observation.outcome === 'verified' && observation.snapshot.state.updatedAt !== null;
    if (isDated && draft.contentKey !== null && history.first !== null) asked.set(draft.contentKey, draft);
  }
  if (asked.size === 0) return;
  const rows = await engine.db
    .selectFrom('contents as now')
    .innerJoin('contents as c', 'c.record_key', 'now.record_key')
    .innerJoin('snapshots as s', 's.content_key', 'c.content_key')
    .select(['now.content_key', 'c.updated_at', 's.received_at', 's.origin'])
    .where(engine.inList('now.content_key', [...asked.keys()]))
    .where((is) => is('c.updated_at', '>', is('now.updated_at', '+', BEHIND)))
    // A later date than that of its receipt is no date of a change.
    .where((is) => is('c.updated_at', '<=', is('s.received_at', '+', CLOCKS_DIFFER_MS)))
    .$narrowType<{ updated_at: number }>()
    .orderBy(sql`c.updated_at, s.snapshot_key`)
    .execute();
  for (const { content_key: key, updated_at: updatedAt, received_at: seenAt, origin } of rows) {
    const { observation, history } = (asked.get(key) as CaseDraft).stored;
    if (observation.outcome !== 'verified') continue;
    const { state, evidence } = observation.snapshot;
    // Some deployments always answer with the date of the creation, and only their webhooks have a later one.
    const isDated = origin === 'fetch' || lastChange(state) !== null;
    const isBefore = seenAt < evidence.receivedAt && updatedAt !== history.younger?.updatedAt;
    if (isDated && isBefore) history.younger = { updatedAt, seenAt };
  }
}

/**
 * Adds the statuses that a record passed before tonight's body, where the body does not say whether its money moved. A released
 * record and an unpaid one need none.
 */
export async function addPassed(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const asked = new Map<number, CaseDraft>();
  for (const draft of drafts) {
    const { observation, recordKey } = draft.stored;
    if (observation.outcome !== 'verified') continue;
    const { status } = observation.snapshot.state;
    if (status !== null && status !== FIRST_STATUS && !saysReleased(status)) asked.set(recordKey, draft);
  }
  if (asked.size === 0) return;
  const isAsked = engine.inList('record_key', [...asked.keys()]);
  const named = ['record_key', 'from_status', 'from_seen_at', 'to_status', 'to_seen_at'] as const;
  const rows = await findRows(engine.db, 'status_changes', isAsked, named, 'to_seen_at', 'change_key');
  const changes = Map.groupBy(rows, ({ record_key }) => record_key);
  const delivered = Map.groupBy(await deliveredStatuses(engine, [...asked.keys()]), ({ record_key }) => record_key);
  for (const [recordKey, { stored }] of asked) {
    if (stored.observation.outcome !== 'verified') continue;
    const { receivedAt } = stored.observation.snapshot.evidence;
    const known = (changes.get(recordKey) ?? []).filter((row) => row.to_seen_at <= receivedAt);
    const told = (delivered.get(recordKey) ?? []).filter((row) => row.received_at <= receivedAt);
    const passed = [
      ...known.flatMap((row) => [
        { status: row.from_status, at: row.from_seen_at },
        { status: row.to_status, at: row.to_seen_at },
      ]),
      ...told.map(({ status, updated_at, received_at }) => ({ status, at: updated_at ?? received_at })),
    ];
    if (passed.length > 0) stored.history.passed = passed.sort((a, b) => a.at - b.at);
  }
}

/** Statuses of bodies that webhooks and events brought. One that came late changed no status, and still tells what was passed. */
async function deliveredStatuses(engine: Engine, recordKeys: readonly number[]) {
  return engine.db
    .selectFrom('deliveries as d')
    .innerJoin('snapshots as s', 's.snapshot_key', 'd.snapshot_key')
    .innerJoin('contents as c', 'c.content_key', 's.content_key')
    .select(['d.record_key', 's.received_at', 'c.status', 'c.updated_at'])
    .where(engine.inList('d.record_key', [...recordKeys]))
    .where('c.status', 'is not', null)
    .$narrowType<{ status: string }>()
    .orderBy('s.snapshot_key')
    .execute();
}
