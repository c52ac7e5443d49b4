/** What a close and a delta share: the options of a statement, and the recovery of one that a crash left behind. */
import type { ClosedPeriod, MonthSet } from '../ports/store/periods.ts';
import { RunBook } from '../reconcile/run-book.ts';
import type { PeriodEdges } from './edges.ts';
import { isInPlace } from './publish.ts';
import type { StageOptions } from './stage.ts';

/** @param timezone of the month: the one that it was closed in, which may differ from the settings of today */
export function stageOptions(edges: PeriodEdges, by: string, timezone: string, signal: AbortSignal): StageOptions {
  const { store } = edges;
  const stating = { timezone, by, at: edges.now(), ...edges.frame() };
  return { store, book: new RunBook(store.periods), signal, stating, byRelease: edges.byRelease };
}

/**
 * A statement whose set an earlier process put in place before it died: it has to be completed as it is. A staged statement
 * without a set in place is forgotten; the next close states what is known then.
 */
export async function stagedSet(edges: PeriodEdges, period: string, type: 'close' | 'delta'): Promise<MonthSet | null> {
  const { periods } = edges.store;
  const staged = (await periods.statements(period)).find((each) => each.type === type && each.state === 'staged');
  if (staged === undefined) return null;
  if (isInPlace(edges, staged)) return staged;
  await periods.forget(staged.key);
  return null;
}

/** What the close of a month carries of the months before it. */
export async function carriedSets(
  { store: { periods } }: PeriodEdges,
  period: string,
  closed: readonly ClosedPeriod[],
  state: MonthSet['state'],
): Promise<readonly MonthSet[]> {
  const all = (await Promise.all(closed.map((each) => periods.statements(each.period)))).flat();
  return all.filter((each) => each.carriedIn === period && each.state === state);
}

/** After a failure: a statement counts only if its set is in place. */
export async function forgetUnlessInPlace(
  edges: PeriodEdges,
  name: Pick<MonthSet, 'period' | 'number'>,
  begun: readonly MonthSet[],
): Promise<void> {
  if (isInPlace(edges, name)) return;
  for (const { key } of begun) await edges.store.periods.forget(key);
}
