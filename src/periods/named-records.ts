/** The records of a month that keep it from being clean, by name: not verified, not at their end, or with an open break. */
import { type Break, isOpen } from '../domain/break.ts';
import type { Observation } from '../domain/case.ts';
import type { Verdict } from '../domain/finding.ts';
import type { NamedRecord } from '../ports/period.ts';
import { pagesOf } from '../ports/store/pages.ts';
import type { MonthSet, MonthSetRecord, PeriodStore } from '../ports/store/periods.ts';
import type { RunBook } from '../reconcile/run-book.ts';
import type { PeriodEdges } from './edges.ts';
import { breaksOn, type PeriodRecord } from './standing.ts';

const PAGE = 250;

type Named = Pick<PeriodRecord, 'hostReference' | 'observation' | 'breaks'> & { record: MonthSetRecord };

const CLEAN: readonly Verdict[] = ['matched', 'waived'];

/** Null for a record that is matched or waived. */
export async function nameRecord(
  { record, hostReference, observation, breaks }: Named,
  book: RunBook,
): Promise<NamedRecord | null> {
  const { kind, recordId, verdict, lookRun } = record;
  if (CLEAN.includes(verdict)) return null;
  const why = verdict === 'break' ? openRules(breaks) : lastLook(observation);
  const lastLookRun = lookRun === null ? null : (await book.of(lookRun)).run.runId;
  return { kind, recordId, hostReference, verdict, why, lastLookRun };
}

function openRules(breaks: readonly Break[]): string {
  return [...new Set(breaks.filter(({ state }) => isOpen(state)).map(({ rule }) => rule))].sort().join(', ');
}

function lastLook(observation: Observation | null): string {
  if (observation === null) return 'never looked at';
  if (observation.outcome !== 'verified') return `${observation.outcome}: ${observation.reason}`;
  const { status } = observation.snapshot.state;
  return status === null ? 'without a status' : `in ${status}`;
}

/** Those of a sealed close, in report order. */
export async function* namedRecords(
  { store }: PeriodEdges,
  close: MonthSet,
  book: RunBook,
): AsyncGenerator<NamedRecord> {
  for await (const page of statedPages(store.periods, close.key)) {
    const open = page.filter(({ verdict }) => !CLEAN.includes(verdict));
    if (open.length === 0) continue;
    const looks = await store.periods.looksOf(open);
    const breaks = await breaksOn(store, open, close.basis.breakEvent);
    for (const [i, record] of open.entries()) {
      const stored = looks[i]?.last?.stored ?? null;
      const { hostReference = null } = stored?.tracked ?? {};
      const observation = stored?.observation ?? null;
      const own = breaks.get(record.recordKey) ?? [];
      const named = await nameRecord({ record, hostReference, observation, breaks: own }, book);
      if (named !== null) yield named;
    }
  }
}

export function statedPages(periods: Pick<PeriodStore, 'records'>, statementKey: number) {
  return pagesOf((after) => periods.records(statementKey, after, PAGE));
}

export async function* statedRecords(
  ...statement: Parameters<typeof statedPages>
): AsyncGenerator<MonthSetRecord, undefined> {
  for await (const page of statedPages(...statement)) yield* page;
  return undefined;
}
