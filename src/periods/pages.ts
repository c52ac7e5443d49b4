/**
 * The records of a statement as reports take them. Fees and quotes are computed again from what each record's run stored, by
 * the terms of that run, so a month's set agrees with the sets of its runs. Breaks are as of the statement's basis.
 */
import { businessMonths } from '../domain/calendar.ts';
import { NO_FIGURES, NOTHING_KNOWN } from '../domain/case.ts';
import { recordMonths } from '../domain/record-months.ts';
import { withStake } from '../domain/stake.ts';
import type { RunFacts, SettledRecord } from '../ports/settled.ts';
import type { Look, MonthSetRecord, PeriodBasis } from '../ports/store/periods.ts';
import type { BuiltCase } from '../reconcile/build-cases.ts';
import { byRecord } from '../reconcile/judge.ts';
import type { RunBook } from '../reconcile/run-book.ts';
import { buildEach, judgeOrSetAside, type TryPrinting } from '../reconcile/set-aside.ts';
import { countOpen } from '../reconcile/settle.ts';
import type { MonthStore } from './edges.ts';
import { breaksOn, unresolvedBreaks } from './standing.ts';

/** A record of a month, for two kinds of reports. */
interface PeriodPageRecord {
  /** As last read, with the verdict of the last look: for amounts and totals. */
  settled: SettledRecord;
  /** As the last look left it: for coverage. */
  looked: SettledRecord;
}

export async function periodPage(
  store: MonthStore,
  book: RunBook,
  facts: RunFacts,
  basis: PeriodBasis,
  page: readonly MonthSetRecord[],
  tryPrinting: TryPrinting | null = null,
): Promise<readonly PeriodPageRecord[]> {
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return [];
  const looks = await store.periods.looksOf(page);
  const both = looks.flatMap(({ last: look, verified }) => [look, verified]);
  const built = await buildLooks(store, book, both);
  const standing = await breaksOn(store, page, basis.breakEvent);
  const changes = byRecord(await store.periods.statusChanges(basis, first, last));
  const monthOf = businessMonths(facts.timezone);
  const records: PeriodPageRecord[] = [];
  for (const [i, record] of page.entries()) {
    const { last: look = null, verified = null } = looks[i] ?? {};
    const best = verified ?? look;
    const settled = await settledBy(record, best);
    records.push({ settled, looked: look === best ? settled : await settledBy(record, look) });
  }
  return records;

  async function settledBy(record: MonthSetRecord, look: Look | null): Promise<SettledRecord> {
    // People may have waived the leading break since the last run.
    const breaks = withStake(unresolvedBreaks(standing.get(record.recordKey) ?? []));
    const statusChanges = changes.get(`${record.kind} ${record.recordId}`) ?? [];
    const shared = {
      run: facts,
      verdict: record.verdict,
      breaks,
      openBreaks: countOpen(breaks),
      events: [],
      statusChanges,
    };
    const subject = look === null ? undefined : built.get(look);
    if (look === null || subject === undefined) return { ...neverLookedAt(record), ...shared };
    const { judge, run } = await book.of(look.runKey);
    return judgeOrSetAside(subject, tryPrinting, (each) => {
      const { figures, findings, notApplicable, notJudged } = judge(each);
      const { observation } = each;
      const state = observation.outcome === 'verified' ? observation.snapshot.state : null;
      const months = recordMonths(each, run.asOf, monthOf);
      return { ...each, ...shared, state, ...figures, ...months, findings, notApplicable, notJudged };
    });
  }
}

/** Two queries per run and page, as in the run itself; a look that is both the last and the verified one is built once. */
async function buildLooks(
  store: MonthStore,
  book: RunBook,
  looks: readonly (Look | null)[],
): Promise<ReadonlyMap<Look, BuiltCase>> {
  const byRun = Map.groupBy(new Set(looks.filter((look) => look !== null)), ({ runKey }) => runKey);
  const built = new Map<Look, BuiltCase>();
  for (const [runKey, group] of byRun) {
    const stored = group.map((look) => look.stored);
    const cases = await buildEach(stored, await book.of(runKey), store);
    for (const [i, look] of group.entries()) {
      const one = cases[i];
      if (one !== undefined) built.set(look, one);
    }
  }
  return built;
}

/** A record without any observation. */
function neverLookedAt({ kind, recordId }: MonthSetRecord) {
  return {
    kind,
    recordId,
    ...NOTHING_KNOWN,
    ...NO_FIGURES,
    observation: { outcome: 'deferred', reason: 'never looked at' } as const,
    businessMonth: null,
    revenue: null,
    attempts: 0,
    state: null,
    findings: [],
    notApplicable: [],
  };
}
