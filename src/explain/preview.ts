/**
 * What another rule set would have said of a stored run: which findings it adds and which it removes, before it is
 * turned on. Judges every case twice; keeps counts and sums only, so a large run costs no memory.
 */
import type { BreakKind } from '../domain/break.ts';
import type { Case } from '../domain/case.ts';
import type { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { Finding } from '../domain/finding.ts';
import { type Run, withWatermarks } from '../domain/run.ts';
import { pagesOf } from '../ports/store/pages.ts';
import type { ItemStore } from '../ports/store/store.ts';
import { asFinding, judgeCase } from '../rules/judge-case.ts';
import { foundAboutRun } from '../rules/judge-run.ts';
import type { RuleFinding } from '../rules/rule.ts';
import { createRuleSet, severityIn } from '../rules/rule-set.ts';
import { judgingTerms, type RunTerms, thawTerms } from '../rules/terms.ts';
import type { BuildCases } from './recompute.ts';

const PAGE = 1000;

/** One rule's difference; net sums of `difference` by currency. */
export interface PreviewRow {
  rule: string;
  before: number;
  after: number;
  added: number;
  removed: number;
  addedTotals: Map<string, Decimal>;
  removedTotals: Map<string, Decimal>;
}

/** A break that other rules would add, take away or tell otherwise. */
export interface PreviewChange {
  change: 'added' | 'removed';
  kind: BreakKind;
  recordId: string;
  finding: Finding;
}

/** @param onChange sees every added and removed break, in report order. */
export async function preview(
  run: Run,
  changed: RunTerms,
  store: { items: Pick<ItemStore, 'cases'> },
  buildCases: BuildCases,
  onChange: (change: PreviewChange) => void,
): Promise<readonly PreviewRow[]> {
  const judgeable = withWatermarks(run);
  const present = thawTerms(run.terms);
  const judges = [judgeBy(present, run), judgeBy(changed, run)] as const;
  const rows = new Map<string, PreviewRow>();
  for await (const stored of pagesOf((after) => store.items.cases(judgeable, after, PAGE))) {
    // Quotes are matched by each side's own window and tolerances.
    const before = await buildCases(stored, judgeable, present);
    const then = await buildCases(stored, judgeable, changed);
    for (const [i, subject] of before.entries())
      compare(subject, judges[0].findings(subject), judges[1].findings(then[i] ?? subject), rows, onChange);
  }
  // Breaks of no record: only a severity can change them, since their counts are those of the night.
  for (const { kind, recordId, code, found } of foundAboutRun(run))
    compare({ kind, recordId }, judges[0].about(code, found), judges[1].about(code, found), rows, onChange);
  return [...rows.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
}

function judgeBy(terms: RunTerms, run: Run) {
  const ruleSet = createRuleSet(terms.rules);
  const judging = judgingTerms(terms, run.asOf, run.survey);
  // An info finding opens no break, so a preview of breaks leaves it out.
  const opening = (findings: readonly Finding[]) => findings.filter(({ severity }) => severity !== 'info');
  return {
    findings: (subject: Case) => opening(judgeCase(subject, judging, ruleSet).findings),
    about(code: string, found: RuleFinding) {
      const severity = severityIn(ruleSet, code);
      return severity === null ? [] : opening([asFinding(code, severity, found)]);
    },
  };
}

function compare(
  { kind, recordId }: Omit<PreviewChange, 'change' | 'finding'>,
  before: readonly Finding[],
  after: readonly Finding[],
  rows: Map<string, PreviewRow>,
  onChange: (change: PreviewChange) => void,
): void {
  const isIn = (findings: readonly Finding[], { rule, field }: Finding) =>
    findings.some((other) => other.rule === rule && other.field === field);
  const rowOf = (rule: string) =>
    entryOf(rows, rule, () => {
      return { rule, before: 0, after: 0, added: 0, removed: 0, addedTotals: new Map(), removedTotals: new Map() };
    });
  const count = (change: PreviewChange['change'], finding: Finding) => {
    const row = rowOf(finding.rule);
    row[change]++;
    addTo(row[`${change}Totals`], finding);
    onChange({ change, kind, recordId, finding });
  };
  for (const finding of before) {
    rowOf(finding.rule).before++;
    if (!isIn(after, finding)) count('removed', finding);
  }
  for (const finding of after) {
    rowOf(finding.rule).after++;
    if (!isIn(before, finding)) count('added', finding);
  }
}

/** Money alone: rates and days add up to nothing. */
function addTo(totals: Map<string, Decimal>, { difference, currency, unit }: Finding): void {
  if (difference === null || currency === null || unit !== 'money') return;
  totals.set(currency, totals.get(currency)?.plus(difference) ?? difference);
}
