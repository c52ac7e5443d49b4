/** The records of a closed month as a sealed statement left them, for what is made from the sealed sets alone. */
import type { RecordPosition } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { ClosedPeriod, PeriodStore, Statement, StatementRecord } from '../ports/store/periods.ts';
import { Baseline, trackOf } from './baseline.ts';
import type { PeriodEdges } from './edges.ts';
import { PeriodDamagedError } from './errors.ts';
import { periodRange, requireClosed } from './month.ts';
import { sealedProblems } from './status.ts';

const PAGE = 500;

export interface SealedPeriod {
  closed: ClosedPeriod;
  /** The close first, then each delta, in order. */
  statements: readonly Statement[];
}

/**
 * A closed month whose sealed sets are as they were published.
 * @throws PeriodNameError, PeriodNotClosedError (exit 2); PeriodDamagedError (1)
 */
export async function sealedPeriod(edges: PeriodEdges, name: string): Promise<SealedPeriod> {
  const { periods } = edges.store;
  const { period } = periodRange(name, edges.timezone);
  const closed = requireClosed(period, await periods.get(period));
  const statements = trackOf(await periods.statements(period), 'delta');
  const problems = await sealedProblems(edges, statements);
  if (problems[0] !== undefined) throw new PeriodDamagedError(period, problems[0]);
  return { closed, statements };
}

/**
 * Pages of what was readable of each record that belongs to the month, in report order.
 * @param statements the close and the deltas up to the one that is asked for
 */
export async function* sealedStates(
  periods: Pick<PeriodStore, 'records' | 'states'>,
  statements: readonly Statement[],
): AsyncGenerator<readonly RecordState[]> {
  const close = statements[0];
  if (close === undefined) return;
  const baseline = new Baseline(periods, statements);
  let after: RecordPosition | null = null;
  for (;;) {
    const page: readonly StatementRecord[] = await periods.records(close.key, after, PAGE);
    const last = page.at(-1);
    // Records that only a delta has may come after the last one of the close.
    yield statesOf(periods, await baseline.upTo(last ?? null));
    if (last === undefined) return;
    after = { kind: last.kind, recordId: last.recordId };
  }
}

async function statesOf(
  periods: Pick<PeriodStore, 'states'>,
  records: readonly StatementRecord[],
): Promise<readonly RecordState[]> {
  const wanted = records.flatMap(({ kind, recordId, contentKey, present }) =>
    present && contentKey !== null ? [{ kind, recordId, contentKey }] : [],
  );
  if (wanted.length === 0) return [];
  const states = await periods.states(wanted);
  return wanted.flatMap(({ contentKey }) => states.get(contentKey) ?? []);
}
