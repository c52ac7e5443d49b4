/** Nights that end with given breaks, in a store under test. */
import { type Break, type BreakEvent, isOnRecord } from '../../../src/domain/break.ts';
import type { Run } from '../../../src/domain/run.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { keyOf, type Night, plan, settle } from './scenario.ts';

export const EVER = Number.MAX_SAFE_INTEGER;

/** A night that has fetched all it will and is judging. */
export async function judging(store: Store, job = 'nightly'): Promise<Night> {
  const night = await plan(store, { job, selection: { type: 'all', kind: null } });
  return { ...night, run: await store.runs.startJudging(night.run.runId, night.fence, 'late') };
}

export async function stage(store: Store, { run, fence }: Night, ...events: BreakEvent[]): Promise<void> {
  const staged: (BreakEvent & { recordKey: number | null })[] = [];
  for (const event of events) {
    const { kind, recordId } = event.after;
    staged.push({ ...event, recordKey: isOnRecord(kind) ? await keyOf(store, recordId) : null });
  }
  await store.breaks.stage(run.runId, fence, staged);
}

/** A whole night that ends with these events. */
export async function nightWith(store: Store, ...events: BreakEvent[]): Promise<Run> {
  const planned = await judging(store);
  await stage(store, planned, ...events);
  return settle(store, planned);
}

export async function standingOf(store: Store, id: string, watermark = EVER): Promise<readonly Break[]> {
  const key = await keyOf(store, id);
  return (await store.breaks.standing([key], watermark)).get(key) ?? [];
}
