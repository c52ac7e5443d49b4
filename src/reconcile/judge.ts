/**
 * Judging and settling, page by page in report order. Offline: it sees what the fetch stored and nothing newer, so a
 * run and its replay walk the same path. Rows stream through; one page is in memory at a time.
 */
import { setImmediate as others } from 'node:timers/promises';
import type { Break } from '../domain/break.ts';
import { evidenceOf, type JudgingTerms } from '../domain/case.ts';
import type { Kind } from '../domain/record.ts';
import type { JudgeableRun, Run } from '../domain/run.ts';
import type { OutsideBreak, RunFacts, SettledRecord } from '../ports/settled.ts';
import type { BreakStore, ItemStore, StatusChange } from '../ports/store/store.ts';
import { judgeCase } from '../rules/judge-case.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import { judgingTerms, type RunTerms } from '../rules/terms.ts';
import { type BuiltCase, buildCases, type Lookups } from './build-cases.ts';
import { countOpen, settle } from './settle.ts';
import { verdictOf } from './verdict.ts';

/** Records a page: large enough to make a query cheap, small enough to stay flat. */
const PAGE = 500;

export interface JudgeStore extends Lookups {
  items: Pick<ItemStore, 'cases' | 'statusChanges'>;
  breaks: Pick<BreakStore, 'standing' | 'standingOutside'>;
}

export interface JudgedPage {
  records: readonly (SettledRecord & { recordKey: number })[];
  /** Breaks standing on records outside the run, up to this page's last record; in report order. */
  outside: readonly OutsideBreak[];
}

interface Place {
  kind: Kind;
  recordId: string;
}

/** @param withOutside nightly reports list the whole work list; an audit speaks of its own records only. */
export async function* judge(
  run: JudgeableRun,
  terms: RunTerms,
  ruleSet: RuleSet,
  store: JudgeStore,
  withOutside: boolean,
): AsyncGenerator<JudgedPage> {
  const facts: RunFacts = { runId: run.runId, businessDate: run.businessDate, timezone: run.timezone };
  const judging = judgingTerms(terms, run.asOf);
  let after: Place | null = null;
  for (;;) {
    const stored = await store.items.cases(run, after, PAGE);
    const first = stored[0];
    const last = stored.at(-1);
    const outsideUpTo = async (upTo: Place | null): Promise<readonly OutsideBreak[]> => {
      if (!withOutside) return [];
      const standing = await store.breaks.standingOutside(run.runId, run.watermarks.breakEvent, after, upTo);
      return standing.map((each) => ({ ...each, run: facts }));
    };
    if (first === undefined || last === undefined) {
      yield { records: [], outside: await outsideUpTo(null) };
      return;
    }
    const cases = await buildCases(stored, run, terms, store);
    const standing = await store.breaks.standing(
      cases.map((each) => each.recordKey),
      run.watermarks.breakEvent,
    );
    const changes = byRecord(await store.items.statusChanges(run.runId, first, last));
    const records = cases.map((built) =>
      settleCase(
        built,
        standing.get(built.recordKey) ?? [],
        changes.get(key(built)) ?? [],
        run,
        facts,
        judging,
        ruleSet,
      ),
    );
    yield { records, outside: await outsideUpTo(last) };
    // An embedded database never waits: without a pause no signal would be heard until the last page.
    await others();
    after = { kind: last.kind, recordId: last.recordId };
  }
}

function settleCase(
  built: BuiltCase,
  standing: readonly Break[],
  statusChanges: readonly StatusChange[],
  run: Run,
  facts: RunFacts,
  judging: JudgingTerms,
  ruleSet: RuleSet,
): SettledRecord & { recordKey: number } {
  const { findings, notApplicable, fees } = judgeCase(built, judging, ruleSet);
  const { observation } = built;
  const verified = observation.outcome === 'verified';
  const { events, breaks } = settle({
    kind: built.kind,
    recordId: built.recordId,
    findings,
    standing,
    verified,
    notApplicable,
    switchedOff: ruleSet.off,
    evidenceSha256: evidenceOf(observation),
    run: { runId: run.runId, businessDate: run.businessDate, at: run.asOf },
  });
  const openBreaks = countOpen(breaks);
  return {
    ...built,
    run: facts,
    state: verified ? observation.snapshot.state : null,
    fees,
    findings,
    notApplicable,
    verdict: verdictOf(built.kind, observation, openBreaks, judging.statuses),
    breaks,
    openBreaks,
    events,
    statusChanges,
  };
}

const key = ({ kind, recordId }: Place) => `${kind} ${recordId}`;

function byRecord(changes: readonly StatusChange[]): Map<string, StatusChange[]> {
  const grouped = new Map<string, StatusChange[]>();
  for (const change of changes) {
    const group = grouped.get(key(change));
    if (group === undefined) grouped.set(key(change), [change]);
    else group.push(change);
  }
  return grouped;
}
