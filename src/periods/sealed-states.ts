/** The records of a closed month as in a sealed statement, for documents made only from sealed sets. */
import type { RunFacts, SettledRecord } from '../ports/settled.ts';
import type { ClosedPeriod, MonthSet, MonthSetRecord } from '../ports/store/periods.ts';
import { runBook } from '../reconcile/run-book.ts';
import { baselineOf, trackOf } from './baseline.ts';
import type { PeriodEdges } from './edges.ts';
import { PeriodDamagedError } from './errors.ts';
import { periodRange, requireClosed } from './month.ts';
import { statedPages } from './named-records.ts';
import { periodPage } from './pages.ts';
import { problemsOfSet } from './status.ts';

export interface PeriodOfSet {
  closed: ClosedPeriod;
  close: MonthSet;
  /** The close first, then each delta, in order. */
  statements: readonly MonthSet[];
}

/**
 * A closed month whose sealed sets are as they were published.
 * @throws UsageError; PeriodDamagedError (exit 1)
 */
export async function periodOfSet(edges: PeriodEdges, name: string): Promise<PeriodOfSet> {
  const { periods } = edges.store;
  const { period } = periodRange(name, edges.timezone);
  const closed = requireClosed(period, await periods.get(period));
  const statements = trackOf(await periods.statements(period), 'delta');
  const [close] = statements;
  if (close === undefined) throw new Error(`the close of ${period} is not among its statements`);
  const problems = await problemsOfSet(edges, statements);
  if (problems[0] !== undefined) throw new PeriodDamagedError(period, problems[0]);
  return { closed, close, statements };
}

/**
 * Pages of the records that belong to the month, as reports take them, in report order. Quotes are those that each record's
 * run linked, so equal statements give equal records.
 * @param statements the close and the deltas up to the one that is asked for
 */
export async function* recordsOfSet(
  { store }: PeriodEdges,
  statements: readonly MonthSet[],
): AsyncGenerator<readonly SettledRecord[]> {
  const [close] = statements;
  const newest = statements.at(-1);
  if (close === undefined || newest === undefined) return;
  const { periods } = store;
  const book = runBook(periods);
  const { last: businessDate } = periodRange(close.period, close.timezone);
  const facts: RunFacts = { runId: `period-${close.period}`, businessDate, timezone: close.timezone };
  const baseline = baselineOf(periods, statements);
  const rendered = async (page: readonly MonthSetRecord[]) => {
    const present = page.filter((record) => record.present);
    return (await periodPage(store, book, facts, newest.basis, present)).map(({ settled }) => settled);
  };
  for await (const page of statedPages(periods, close.key))
    yield await rendered(await baseline.upTo(page.at(-1) ?? null));
  // Records that only a delta has may come after the last one of the close.
  yield await rendered(await baseline.upTo(null));
}
