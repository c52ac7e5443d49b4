/** Selects the records of a run, in the order in which a short allowance is spent. */
import { startOfBusinessDate } from '../domain/calendar.ts';
import type { DuePolicy } from '../domain/due.ts';
import type { Run } from '../domain/run.ts';
import type { PlanScope } from '../ports/store/store.ts';

/** A selection with its dates as instants: midnights of the business time zone, half-open. */
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
