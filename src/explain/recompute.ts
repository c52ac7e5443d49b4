/** Compares a stored finding with the result of judging its case again. Pure. */
import type { Break } from '../domain/break.ts';
import type { Case } from '../domain/case.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { Finding } from '../domain/finding.ts';
import type { JudgeableRun, Run } from '../domain/run.ts';
import type { StoredCase } from '../ports/store/store.ts';
import { RULES } from '../rules/index.ts';
import { figuresOf, judgeCase } from '../rules/judge-case.ts';
import { createRuleSet } from '../rules/rule-set.ts';
import { judgingTerms, type RunTerms } from '../rules/terms.ts';
import type { Workings } from '../rules/working.ts';
import type { Recomputed, Today } from './story.ts';
import type { ChangedTerm } from './terms-changed.ts';

/** Finds each stored record its quote and reference data by a set of terms, one case a record: `src/reconcile/build-cases.ts`. */
export type BuildCases = (page: readonly StoredCase[], run: JudgeableRun, terms: RunTerms) => Promise<readonly Case[]>;

type Named = Pick<Break, 'rule' | 'field'>;

type Counts = Run['survey'];

/** The finding of the break by a set of terms and the counts of its run; `off` where the rule is switched off there. */
export function findingOf(subject: Case, { rule, field }: Named, terms: RunTerms, asOf: number, survey: Counts = null) {
  const ruleSet = createRuleSet(terms.rules);
  if (ruleSet.off.includes(rule)) return 'off';
  const { findings } = judgeCase(subject, judgingTerms(terms, asOf, survey), ruleSet);
  return findings.find((finding) => finding.rule === rule && finding.field === field) ?? null;
}

/** The arithmetic written out; null where the rule has none, or the case gives it nothing to work with. */
export function workOut(
  subject: Case,
  { rule, field }: Named,
  terms: RunTerms,
  asOf: number,
  survey: Counts = null,
): Workings | null {
  const judging = judgingTerms(terms, asOf, survey);
  const { working } = RULES.find(({ code }) => code === rule) ?? {};
  return working?.({ ...subject, terms: judging, ...figuresOf(subject, judging) }, field) ?? null;
}

/** @param stored the break as it stood when it was last found. */
export function compareStored(stored: Break, again: Finding | 'off' | null, workings: Workings | null): Recomputed {
  if (again === 'off') return { outcome: 'not-recomputed', why: 'its rule was switched off in that run' };
  if (again === null) return { outcome: 'not-found' };
  const apart = [
    ...unlike('expected', stored.expected, again.expected),
    ...unlike('found', stored.actual, again.actual),
    ...unlike('difference', text(stored.difference), text(again.difference)),
    ...unlike('tolerance', text(stored.tolerance), text(again.tolerance)),
    ...unlike('currency', stored.currency, again.currency),
    ...unlike('severity', stored.severity, again.severity),
    ...unlike('explanation', stored.explanation, again.explanation),
    ...(workings === null || stored.difference === null
      ? []
      : [
          ...unlike('difference written out', text(stored.difference), text(workings.difference)),
          ...unlike('tolerance written out', text(stored.tolerance), text(workings.tolerance)),
        ]),
  ];
  return apart.length === 0 ? { outcome: 'agrees' } : { outcome: 'differs', apart };
}

function text(value: Decimal | null): string | null {
  return value === null ? null : value.toString();
}

function unlike(what: string, stored: string | null, recomputed: string | null) {
  return stored === recomputed ? [] : [{ what, stored, recomputed }];
}

/** @param then what the run's own terms find. */
export function byTodaysTerms(
  changed: readonly ChangedTerm[],
  then: Finding | 'off' | null,
  now: Finding | 'off' | null,
): Today {
  if (changed.length === 0) return { changed, verdict: null, difference: null, tolerance: null };
  if (now === 'off') return { changed, verdict: 'off', difference: null, tolerance: null };
  if (now === null) return { changed, verdict: 'gone', difference: null, tolerance: null };
  const { difference, tolerance } = now;
  const isSame =
    then !== null &&
    then !== 'off' &&
    now.severity === then.severity &&
    now.explanation === then.explanation &&
    text(tolerance) === text(then.tolerance) &&
    text(difference) === text(then.difference);
  // An info finding opens no break.
  const verdict = now.severity === 'info' ? 'gone' : isSame ? 'same' : 'other';
  return { changed, verdict, difference, tolerance };
}
