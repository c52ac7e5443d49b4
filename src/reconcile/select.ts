/** Selecting: what is due for a business date, in the order in which a short allowance is spent. */
import { startOfBusinessDate } from '../domain/calendar.ts';
import type { DuePolicy } from '../domain/due.ts';
import type { Run } from '../domain/run.ts';
import type { Fence, ItemStore, PlanScope } from '../ports/store/store.ts';

export function planScope(
  run: Pick<Run, 'job' | 'businessDate' | 'selection' | 'timezone'>,
  policy: DuePolicy,
): PlanScope {
  const { job, businessDate, selection, timezone } = run;
  const created = selection.type === 'created' ? selection : null;
  return {
    job,
    businessDate,
    selection,
    policy,
    createdFrom: created === null ? null : startOfBusinessDate(created.from, timezone),
    createdTo: created === null ? null : startOfBusinessDate(created.to, timezone),
  };
}

/** Writes the run's items; done once, so that a resumed run keeps its population. Returns how many. */
export async function select(
  run: Run,
  fence: Fence,
  policy: DuePolicy,
  items: Pick<ItemStore, 'plan'>,
): Promise<number> {
  return items.plan(run.runId, fence, planScope(run, policy));
}
