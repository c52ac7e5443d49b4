/**
 * Reads the frozen terms of a run once, ready to judge. The main line, a replay and a closed month all judge through
 * it.
 */

import { entryOf } from '../domain/entry-of.ts';
import type { Severity } from '../domain/finding.ts';
import { type JudgeableRun, type Run, withWatermarks } from '../domain/run.ts';
import type { StatusModel } from '../domain/status.ts';
import { type Judgement, judgeCase } from '../rules/judge-case.ts';
import { createRuleSet, type RuleSet, rulesInForce, severityIn } from '../rules/rule-set.ts';
import { judgingTerms, type RunTerms, thawTerms } from '../rules/terms.ts';
import type { BuiltCase } from './build-cases.ts';

/** A run with the rules and terms that it was frozen with. */
export interface ThawedRun {
  run: JudgeableRun;
  terms: RunTerms;
  statuses: StatusModel;
  /** Rules that judge nothing by the settings of the run, and why. */
  lapsed: ReadonlyMap<string, string>;
  /** Severity of a rule in this run; null where it is switched off. */
  severityOf: (code: string) => Severity | null;
  /** By the rules and terms that were in force when the run began. Pure. */
  judge: (built: BuiltCase) => Judgement;
}

export function lapsedIn(terms: RunTerms, { rules, off }: RuleSet): ReadonlyMap<string, string> {
  const lapsed = new Map(off.map((code) => [code, 'its rule is switched off in the settings']));
  for (const { rule } of rules) {
    const why = rule.lapses?.(terms) ?? null;
    if (why !== null) lapsed.set(rule.code, why);
  }
  return lapsed;
}

/** @throws RangeError for a run without watermarks: it has not been judged. */
export function thawRun(run: Run): ThawedRun {
  const terms = thawTerms(run.terms);
  const ruleSet = createRuleSet(terms.rules);
  const judging = judgingTerms(terms, run.asOf, run.survey);
  return {
    run: withWatermarks(run),
    terms,
    statuses: terms.statuses,
    lapsed: lapsedIn(terms, ruleSet),
    severityOf: (code) => severityIn(ruleSet, code),
    judge: (built) => judgeCase(built, judging, ruleSet),
  };
}

/** Rule code → severity or `off`, as a manifest states it. @param terms the frozen terms of a run or of a statement. */
export function frozenRules(terms: string): Readonly<Record<string, string>> {
  return rulesInForce(createRuleSet(thawTerms(terms).rules));
}

export type RunBook = ReturnType<typeof runBook>;

/** Reads each run once: a closed month was judged by up to a thousand runs, each by its own terms. */
export function runBook(store: { run(runKey: number): Promise<Run> }) {
  const runs = new Map<number, Promise<ThawedRun>>();
  /** @throws UnknownRunError */
  const of = (runKey: number) => entryOf(runs, runKey, () => store.run(runKey).then(thawRun));
  return { of };
}
