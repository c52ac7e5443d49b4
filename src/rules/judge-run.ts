/** What the rules that look at no record find of a run: of itself for each direction, and of each market. */
import type { BreakKind } from '../domain/break.ts';
import type { Severity } from '../domain/finding.ts';
import { directionOf, KINDS } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import { asFinding } from './judge-case.ts';
import { notCapturedIn, quotesNotCaptured } from './quotes-not-captured.ts';
import type { RuleFinding } from './rule.ts';
import { oneSidedIn, slippageOneSided } from './slippage-one-sided.ts';

/** What was found of one direction of a run, or of one market, by the rule of that code. */
interface FoundAboutRun {
  kind: Extract<BreakKind, 'run' | 'market'>;
  recordId: string;
  code: string;
  found: RuleFinding;
}

/** Nothing for a run over chosen records that took over the counts of a night: they are not about it. */
export function foundAboutRun({ survey }: Pick<Run, 'survey'>): readonly FoundAboutRun[] {
  if (survey === null || survey.of === 'night') return [];
  const quotes = KINDS.map(directionOf).flatMap((recordId): FoundAboutRun[] => {
    const found = notCapturedIn(survey, recordId);
    return found === null ? [] : [{ kind: 'run', recordId, code: quotesNotCaptured.code, found }];
  });
  const markets = (survey.oneSided ?? []).map((each): FoundAboutRun => {
    return { kind: 'market', recordId: each.market, code: slippageOneSided.code, found: oneSidedIn(each) };
  });
  return [...quotes, ...markets];
}

/** The same as findings; none of rules that are switched off. */
export function judgeRun(run: Pick<Run, 'survey'>, severityOf: (code: string) => Severity | null) {
  return foundAboutRun(run).flatMap(({ kind, recordId, code, found }) => {
    const severity = severityOf(code);
    return severity === null ? [] : [{ kind, recordId, finding: asFinding(code, severity, found) }];
  });
}
